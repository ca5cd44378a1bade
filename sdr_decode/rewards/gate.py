"""A reward as a gate in the decoder: a candidate that it values too low cannot be chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import isawaitable

from clients.errors import SpecError
from sdr_decode.errors import RewardError
from sdr_decode.rewards import rewards
from sdr_decode.rewards.base import Reward, Values
from sdr_decode.rewards.composite import is_async
from sdr_decode.validity import Invalid

_BOUND = re.compile(r"(?P<reward>.+?)[:,]at_least=(?P<bound>[^,:]*)\Z", re.DOTALL)


@dataclass(frozen=True)
class Gate:
    """Lets a complete text pass whose reward is at least ``at_least``, by default the reward's
    ``gate_bound``.

    What the reward cannot tell passes. Raises ``RewardError`` for a reward that needs a reference:
    there is none while a study is decoded.
    """

    reward: Reward
    at_least: float | None = None

    def __post_init__(self) -> None:
        if self.reward.needs_reference:
            raise RewardError(
                f"the reward {self.reward.name} needs a reference, which a decode has not; expected"
                " one of the text alone, such as language:ja, format, consistency or answer-format"
            )

    def __str__(self) -> str:
        return f"{self.reward.name}, at least {self.bound:g}"

    @property
    def bound(self) -> float:
        return self.reward.gate_bound if self.at_least is None else self.at_least

    async def refusal(self, text: str) -> str | None:
        """Why a text does not pass, in words; ``None`` when it does. An async reward is awaited."""
        made = self.reward(completions=[text])
        return self._why(made if isinstance(made, list) else await made)

    def refusal_now(self, text: str) -> str | None:
        """The same for synchronous code. Raises ``RewardError`` where the reward is async."""
        made = None if is_async(self.reward) else self.reward(completions=[text])
        if made is None or isawaitable(made):
            raise RewardError(f"the reward {self.reward.name} is async; it only gates live decodes")
        assert isinstance(made, list)
        return self._why(made)

    def _why(self, values: Values) -> str | None:
        (value,) = values
        if value is None or value >= self.bound:
            return None
        return f"{self.reward.name} is {value:.4g}, below {self.bound:g}"


def open_gate(gate: str | Reward | Gate) -> Gate:
    """The gate of a reward or of a spec: that of the reward, with ``at_least`` as its last option
    (``language:ja``, ``consistency:at_least=0.8``). Raises ``SpecError`` where it cannot be
    used."""
    if isinstance(gate, Gate):
        return gate
    if isinstance(gate, Reward):
        return Gate(gate)
    given = _BOUND.match(gate)
    try:
        if given is None:
            return Gate(rewards.make(gate))
        return Gate(rewards.make(given["reward"]), _bound(gate, given["bound"]))
    except RewardError as error:
        raise SpecError(f"the gate {gate!r} cannot be used: {error}") from None


def open_gates(gates: Iterable[str | Reward | Gate]) -> tuple[Gate, ...]:
    """The gates in order. Raises ``SpecError`` for a single spec in place of a list of them."""
    if isinstance(gates, str):
        raise SpecError(f"found {gates!r} as the gates; expected a list such as [{gates!r}]")
    return tuple(map(open_gate, gates))


def flaw_of(text: str, gates: Iterable[Gate]) -> Invalid | None:
    """What the first gate that refuses a recorded text makes of it."""
    refusals = (gate.refusal_now(text) for gate in gates)
    refusal = next((refusal for refusal in refusals if refusal is not None), None)
    return None if refusal is None else Invalid("gated", refusal)


def _bound(gate: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise SpecError(
            f"found {word!r} as at_least in the gate {gate!r}; expected a number"
        ) from None
