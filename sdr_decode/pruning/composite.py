"""Several policies as one: stop what any of them would stop, or only what all would.

``any:MEMBER+MEMBER`` and ``all:MEMBER+MEMBER``, with two members or more, each a spec with its own
value and options: ``any:margin:0.02,warmup=2+repetition``. A ``+`` outside brackets always parts
members. A member in brackets may itself be a composite, or hold a ``+``:
``any:(all:threshold:0.04+quantile:0.95)+language``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, Self

from clients.errors import SpecError
from clients.spec import Registry, Spec, allow_options
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning.base import PrunePolicy

_DEEPEST = 8


@dataclass(frozen=True)
class _Composite(PrunePolicy):
    members: tuple[PrunePolicy, ...]

    @property
    def watches_tokens(self) -> bool:
        return any(member.watches_tokens for member in self.members)

    def within(self, max_tokens: int) -> Self:
        return replace(self, members=tuple(member.within(max_tokens) for member in self.members))

    def against(self, measure: CorpusMeasure) -> Self:
        return replace(self, members=tuple(member.against(measure) for member in self.members))

    def _reasons(self, candidates: Sequence[Candidate]) -> list[dict[int, str]]:
        """For each member, whom it would stop and why."""
        return [
            {pruning.candidate: pruning.reason for pruning in member.prune(candidates)}
            for member in self.members
        ]


@dataclass(frozen=True)
class AnyOf(_Composite):
    """Prune what at least one member would, for the reason of the first that would."""

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        reasons = self._reasons(candidates)
        for number in sorted(set().union(*reasons)):
            yield Pruning(number, next(why[number] for why in reasons if number in why))


@dataclass(frozen=True)
class AllOf(_Composite):
    """Prune what every member would in the same step, for all their reasons."""

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        reasons = self._reasons(candidates)
        for number in sorted(set.intersection(*map(set, reasons))):
            yield Pruning(number, "; and ".join(why[number] for why in reasons))


def any_from_spec(registry: Registry[PrunePolicy], spec: Spec) -> AnyOf:
    return AnyOf(_members(registry, spec))


def all_from_spec(registry: Registry[PrunePolicy], spec: Spec) -> AllOf:
    return AllOf(_members(registry, spec))


def _members(registry: Registry[PrunePolicy], spec: Spec) -> tuple[PrunePolicy, ...]:
    allow_options(spec)
    parts = _parted(spec)
    if len(parts) < 2:
        _refuse(spec, f"found {spec.value!r} as the members")
    return tuple(registry.make(_bare(part)) for part in parts)


def _parted(spec: Spec) -> list[str]:
    """The members, parted at each ``+`` outside brackets."""
    parts, depth = [""], 0
    for char in spec.value or "":
        depth += (char == "(") - (char == ")")
        if depth < 0 or depth > _DEEPEST:
            _refuse(spec, f"found brackets that do not pair or nest too deep in {spec.value!r}")
        if char == "+" and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    if depth:
        _refuse(spec, f"found an open bracket in {spec.value!r}")
    if not all(part.strip() for part in parts):
        _refuse(spec, "found nothing as a member" if spec.value else "found no members")
    return parts


def _bare(part: str) -> str:
    """A member without the brackets around it."""
    part = part.strip()
    return part[1:-1] if part.startswith("(") and part.endswith(")") else part


def _refuse(spec: Spec, found: str) -> NoReturn:
    raise SpecError(
        f"{spec.name} {found}; expected two prune policies or more with + between them, such as "
        f"{spec.name}:margin:0.02,warmup=2+repetition, and brackets around one that is itself "
        f"made of several"
    )
