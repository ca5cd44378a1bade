"""How many concepts a generated report shares with its reference, as a reward.

Order and grammar do not count: all the right concepts in a meaningless order are worth as much as
in a good report. What reads badly is for other rewards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Literal, get_args

from clients.spec import Spec, one_of, parse_spec
from sdr_decode.concepts import Concept, Linker, linkers, set_f1
from sdr_decode.errors import RewardError
from sdr_decode.findings import Mention
from sdr_decode.rewards.base import Reward, Values
from sdr_decode.rewards.completions import Completion, completion_text, reference_texts

Negated = Literal["exclude", "mark"]

DEFAULT_LINKER = "hpo"
_SAID = frozenset({Mention.POSITIVE, Mention.UNCERTAIN})
_EMPTY = {"1": 1.0, "0": 0.0, "none": None}
_REMEMBERED = 1 << 14  # texts


class ConceptReward(Reward):
    """F1 between the sets of concepts of a completion and of the reference in its ``column``, in
    [0, 1].

    Affirmed and suspected concepts count. Negated ones are left out, or with ``negated="mark"``
    count as concepts of their own, so that to deny the same things is worth something; of a concept
    that is both affirmed and denied the denial is dropped. ``linker`` is a spec (``hpo``,
    ``table:FILE``, ``scispacy``) or a ``Linker``.

    Where neither text has a concept the value is ``empty`` (1.0; ``None`` leaves such samples out),
    and where only one has it is 0.0. So an empty completion is as good as any against a normal
    reference: weigh it beside a reward that asks for a report. ``None`` where there is no
    reference, or a blank one.

    Raises ``ConceptError`` when the linker cannot load what it needs.
    """

    needs_reference = True

    def __init__(
        self,
        linker: str | Linker = DEFAULT_LINKER,
        *,
        negated: Negated = "exclude",
        empty: float | None = 1.0,
        column: str = "reference",
        name: str = "concepts",
    ) -> None:
        super().__init__(name)
        if negated not in get_args(Negated):
            raise RewardError(f"found {negated!r} for negated concepts; expected exclude or mark")
        if empty is not None and not 0.0 <= empty <= 1.0:
            raise RewardError(f"found {empty} for two texts without concepts; expected 0 to 1")
        self.linker = linkers.make(linker) if isinstance(linker, str) else linker
        self.negated: Negated = negated
        self.empty = empty
        self.column = column
        self._known: dict[str, frozenset[str]] = {}

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Completion] = (),
        completion_ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> Values:
        texts = [completion_text(completion) for completion in completions]
        references = reference_texts(columns, self.column, len(texts), self.name)
        pairs = [
            (text, None if reference is None or not reference.strip() else reference)
            for text, reference in zip(texts, references, strict=True)
        ]
        compared = [pair for pair in pairs if pair[1] is not None]
        sets = self._sets(each for each in chain(*compared) if each is not None)
        return [
            None if reference is None else self._value(sets[text], sets[reference])
            for text, reference in pairs
        ]

    def identifiers(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """The set of concepts of each text (n), as it is compared; a marked one begins with
        ``not``."""
        sets = self._sets(texts)
        return [sets[text] for text in texts]

    def _value(self, ours: frozenset[str], theirs: frozenset[str]) -> float | None:
        return set_f1(ours, theirs) if ours or theirs else self.empty

    def _sets(self, texts: Iterable[str]) -> dict[str, frozenset[str]]:
        """The concepts of each distinct text, linked once as long as few enough are known."""
        distinct = list(dict.fromkeys(texts))
        known = self._known
        sets = {text: known[text] for text in distinct if text in known}
        new = [text for text in distinct if text not in sets]
        sets.update(zip(new, map(self._said, self.linker.link(new)), strict=True))
        # A new dictionary, since another thread may be reading this one.
        self._known = sets if len(known) + len(new) > _REMEMBERED else {**known, **sets}
        return sets

    def _said(self, concepts: Sequence[Concept]) -> frozenset[str]:
        said = {each.identifier for each in concepts if each.mention in _SAID}
        if self.negated == "exclude":
            return frozenset(said)
        denied = {each.identifier for each in concepts if each.mention is Mention.NEGATIVE} - said
        return frozenset(said | {f"not {identifier}" for identifier in denied})


def from_spec(spec: Spec) -> ConceptReward:
    """``concepts``, ``concepts:table:FILE``, ``concepts:hpo,negated=mark,empty=none``. What is no
    option of the reward is the linker's."""
    own = {"negated", "empty", "column"}
    chosen = parse_spec(spec.value or DEFAULT_LINKER)
    options = {key: word for key, word in spec.options.items() if key not in own}
    linker = linkers.make(Spec(chosen.name, chosen.value, options))
    empty = one_of(spec, "empty", _EMPTY) or "1"
    negated = one_of(spec, "negated", get_args(Negated))
    return ConceptReward(
        linker,
        negated="mark" if negated == "mark" else "exclude",
        empty=_EMPTY[empty],
        column=spec.options.get("column", "reference"),
    )
