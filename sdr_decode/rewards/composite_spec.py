"""Composite rewards from specs: a sum of one's own, or a preset.

``composite:0.8*sdr:polarity=true+0.2*consistency`` sums its members, each a weight and a spec; a
member without a weight counts with the reward's own. ``missing=drop`` among them gives a sample of
which a part is unknown no value, where otherwise (in ``sdr`` only if asked) the weights are
renormalised.

``composite:judge,client=openai:gpt-4o-mini`` is 0.6 judge + 0.3 concepts + 0.1 consistency, and
``composite:sdr`` 0.2 format + 0.8 (1 - D), the set distance reward with its parts named. Options
of a preset: ``missing``, of ``judge`` ``client`` and ``concepts`` (``hpo``), of ``sdr`` those of
the reward ``sdr`` but its weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn, cast

from clients.errors import SpecError
from clients.spec import Registry, Spec, allow_options, number, one_of, parse_spec
from sdr_decode.rewards.base import Reward
from sdr_decode.rewards.composite import CompositeReward, Missing, composite
from sdr_decode.rewards.set_distance import FORMAT_WEIGHT, SEMANTIC_WEIGHT

JUDGE_WEIGHT, CONCEPTS_WEIGHT, CONSISTENCY_WEIGHT = 0.6, 0.3, 0.1

_PRESET = re.compile(r"(judge|sdr)(,.*)?\Z", re.DOTALL)
_WEIGHT = re.compile(r"\s*([^*:\s]+)\s*\*(.*)\Z", re.DOTALL)


def judge_preset(
    judge: Reward, concepts: Reward, consistency: Reward, *, missing: Missing = "renormalise"
) -> CompositeReward:
    """0.6 judge + 0.3 concepts + 0.1 consistency."""
    parts = {
        "judge": (judge, JUDGE_WEIGHT),
        "concepts": (concepts, CONCEPTS_WEIGHT),
        "consistency": (consistency, CONSISTENCY_WEIGHT),
    }
    return composite(parts, missing=missing, name="composite-judge")


def sdr_preset(
    report_format: Reward, likeness: Reward, *, missing: Missing = "drop"
) -> CompositeReward:
    """0.2 format + 0.8 likeness, where ``likeness`` is the set distance reward without its format
    part: equal to the set distance reward, which has no value without a reference either."""
    parts = {"format": (report_format, FORMAT_WEIGHT), "likeness": (likeness, SEMANTIC_WEIGHT)}
    return composite(parts, missing=missing, name="composite-sdr")


def from_spec(registry: Registry[Reward], spec: Spec) -> CompositeReward:
    value = spec.value or ""
    if _PRESET.match(value):
        return _preset(registry, parse_spec(value.replace(",", ":", 1)))
    parts: dict[str, Reward | tuple[Reward, float]] = {}
    missing: Missing = "renormalise"
    for member in value.split("+"):
        if member.strip().startswith("missing="):
            missing = _missing(parse_spec(f"composite:{member.strip()}"))
            continue
        if not member.strip():
            _refuse(f"found nothing as a member of {value!r}" if value else "found no members")
        weighted = _WEIGHT.match(member)
        text = weighted.group(2) if weighted else member
        reward = registry.make(text.strip())
        if reward.name in parts:
            _refuse(f"found {reward.name} twice in {value!r}")
        weight = (
            number(spec, weighted.group(1), f"weight of {reward.name}")
            if weighted
            else reward.weight
        )
        parts[reward.name] = (reward, weight)
    if not parts:
        _refuse("found no members")
    return composite(parts, missing=missing)


def _preset(registry: Registry[Reward], spec: Spec) -> CompositeReward:
    missing = _missing(spec, "renormalise" if spec.name == "judge" else "drop")
    if spec.name == "judge":
        allow_options(spec, "client", "concepts", "missing")
        client = spec.options.get("client")
        if spec.value is not None or client is None:
            _refuse("found the preset judge without a client")
        return judge_preset(
            registry.make(f"judge:{client}"),
            registry.make(f"concepts:{spec.options.get('concepts', 'hpo')}"),
            registry.make("consistency"),
            missing=missing,
        )
    allow_options(spec, "encoder", "polarity", "column", "missing")
    options = {key: word for key, word in spec.options.items() if key != "missing"}
    parted: Mapping[str, str] = {**options, "format": "0", "semantic": "1"}
    likeness = registry.make(Spec("sdr", spec.value, parted))
    return sdr_preset(registry.make("format"), likeness, missing=missing)


def _missing(spec: Spec, default: Missing = "renormalise") -> Missing:
    word = one_of(spec, "missing", ("renormalise", "drop"))
    return cast("Missing", word or default)


def _refuse(found: str) -> NoReturn:
    raise SpecError(
        f"composite {found}; expected rewards with + between them, such as "
        "composite:0.8*sdr+0.2*consistency, or a preset: composite:sdr or "
        "composite:judge,client=openai:gpt-4o-mini"
    )
