"""Whether a decode is what a calibration holds for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clients import Client, Request
from clients.recorded import RecordedClient
from clients.recording import RecordedCandidate
from sdr_decode.calibration.file import Calibration, Source
from sdr_decode.corpus import Corpus
from sdr_decode.launch import LaunchPlan, launch_plans
from sdr_decode.measure import CorpusMeasure
from sdr_decode.selection import Selector, selectors


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a decode runs, as far as a calibration depends on it. ``client`` is ``None`` where it is
    not known what the candidates come from."""

    measure: CorpusMeasure
    selector: Selector
    plan: LaunchPlan
    k: int
    max_tokens: int
    client: str | None


def warning(calibration: Calibration, conditions: Conditions) -> str | None:
    """A sentence that names everything in which a decode differs from its calibration; ``None``
    where nothing does."""
    differences = list(_differences(calibration, conditions))
    if not differences:
        return None
    return (
        f"the calibration of {calibration.prune} was made otherwise, so its promise does not hold "
        f"here: {'; '.join(differences)}"
    )


def _differences(calibration: Calibration, here: Conditions) -> Iterator[str]:
    corpus = here.measure.corpus
    index = index_source(corpus)
    if index.sha256 != calibration.index.sha256:
        yield f"the index is {_named(index)}, not {_named(calibration.index)}"
    encoder = corpus.manifest.encoder
    if not encoder.matches(calibration.encoder):
        yield f"the encoder is {encoder}, not {calibration.encoder}"
    if None not in (here.client, calibration.client) and here.client != calibration.client:
        yield f"the client is {here.client}, not {calibration.client}"
    if here.k != calibration.k:
        yield f"K is {here.k}, not {calibration.k}"
    if not _alike(here.selector, selectors.make(calibration.select)):
        yield f"the selector is not {calibration.select}"
    if not _alike(here.plan, launch_plans.make(calibration.launch)):
        yield f"the launch plan is not {calibration.launch}"
    if here.max_tokens != calibration.max_tokens:
        yield f"a candidate has at most {here.max_tokens} tokens, not {calibration.max_tokens}"
    if here.measure.sections != calibration.sections:
        yield f"sections {'count' if here.measure.sections else 'do not count'}"


def _named(source: Source) -> str:
    return f"{source.name} ({source.sha256[:12]})"


def _alike(one: object, other: object) -> bool:
    """Whether both are the same member of a family with the same settings."""
    return type(one) is type(other) and all(
        _alike(value, vars(other)[name])
        if hasattr(value, "__dict__")
        else value == vars(other)[name]
        for name, value in vars(one).items()
    )


def index_source(corpus: Corpus) -> Source:
    """An index by what is in it: when and how it was built does not count."""
    hashes = {name: record.sha256 for name, record in sorted(corpus.manifest.files.items())}
    return Source(
        name=corpus.path.name, sha256=hashlib.sha256(json.dumps(hashes).encode()).hexdigest()
    )


def client_of(candidates: Iterable[RecordedCandidate]) -> str | None:
    """What recorded candidates came from, ``None`` where the recording does not say of all."""
    sources = {candidate.source for candidate in candidates}
    return " and ".join(sorted(filter(None, sources))) if None not in sources else None


async def client_asked(client: Client, request: Request, k: int) -> str | None:
    """What a decode's candidates come from: a replayed recording counts as what it recorded."""
    if not isinstance(client, RecordedClient):
        return client.name
    return client_of((await client.study(request.study)).candidates[:k])
