"""Measures every policy, launch plan and selector on a recording, beside the peers.

    python -m benchmarks.report RECORDING --index INDEX [--embeddings FILE] -o FOLDER

It writes ``RESULTS.md``, ``results.json`` and plots into the folder. What is chosen is chosen on
one half of the studies and reported on the other. The same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.comparison import Lines, Row, compare, lines
from benchmarks.contenders import FULL, GRID, PARALLEL, SIZES, Contender, Entry, contenders
from benchmarks.frontier import GROUPS, SEARCH, Views, key, picks, steady
from benchmarks.halves import half
from benchmarks.markdown import SHOWN, Report, markdown
from benchmarks.model_metrics import Reports, measure_with_models
from benchmarks.outcomes import NOBODY, play, selector_maker
from benchmarks.plots import draw
from benchmarks.quality import measure_quality
from benchmarks.splits import Held, held
from benchmarks.statistics import Resamples
from benchmarks.studies import BenchStudy, load_bench_studies, token_limit
from clients.errors import ClientError, MissingPackageError
from sdr_decode.cli.output import write_text
from sdr_decode.encoder import Encoder
from sdr_decode.errors import SDRDecodeError
from sdr_decode.load import open_measure
from sdr_decode.measure import CorpusMeasure
from sdr_decode.replay import prose_of


def run(
    recording: Path,
    index: Path,
    folder: Path,
    *,
    encoder: str | Path | Encoder | None = None,
    embeddings: Path | None = None,
    sizes: Sequence[int] = SIZES,
    grid: Sequence[Entry] = GRID,
    search: Sequence[Entry] = SEARCH,
    resamples: int = 10_000,
    command: str = "",
) -> Report:
    """Make the report in ``folder`` and return it. Candidates beyond the largest K are not read."""
    folder.mkdir(parents=True, exist_ok=True)
    with open_measure(index, encoder=encoder, embeddings=embeddings) as measure:
        studies = load_bench_studies(recording, measure, k=max(sizes))
        limit = token_limit(studies)
        reported = [study for study in studies if half(study.study) == "report"]
        competing, notes = _possible(contenders(grid))
        searched = contenders(search)
        bench = Bench(measure, limit, resamples)
        rows: list[Row] = []
        known: dict[int, Lines] = {}
        for k in sizes:
            made, known[k] = bench.rows(competing, reported, k)
            rows += made
        k = max((size for size in sizes if size <= SHOWN), default=max(sizes))
        views, repeated = bench.search(searched, studies, k)
        chosen = picks(views)
        wanted = [key(each.reported) for each in chosen]
        judged = measure_with_models(bench.reports(wanted, reported, k))
    report = Report(
        command=command,
        recording=recording.name,
        encoder=measure.corpus.manifest.encoder.name,
        tuning=len(studies) - len(reported),
        reported=len(reported),
        rows=rows,
        lines=known,
        picks=chosen,
        steady=steady(views),
        repeated=repeated,
        searched=len(searched),
        plots=draw(folder, rows, known),
        notes=[*notes, *judged.notes],
        judged=judged.figures,
    )
    write_text(folder / "results.json", json.dumps(asdict(report), indent=1) + "\n")
    write_text(folder / "RESULTS.md", markdown(report))
    return report


class Bench:
    """Rows of contenders on some studies, with one measure, token limit and bootstrap."""

    def __init__(self, measure: CorpusMeasure, limit: int | None, resamples: int) -> None:
        self._measure = measure
        self._limit = limit
        self._resamples = resamples

    def rows(
        self, competing: Sequence[Contender], studies: Sequence[BenchStudy], k: int
    ) -> tuple[list[Row], Lines]:
        first = [study.first(k) for study in studies]
        baselines = {Contender(FULL, PARALLEL, one.select) for one in competing}
        played = play({*competing, *baselines}, first, self._measure, max_tokens=self._limit)
        quality = measure_quality(first)
        full = played[Contender(FULL, PARALLEL, competing[0].select)]
        return compare(played, quality, Resamples(len(first), self._resamples)), lines(
            full, quality
        )

    def search(
        self, searched: Sequence[Contender], studies: Sequence[BenchStudy], k: int
    ) -> tuple[list[Views], list[Held]]:
        """Each contender on both halves and on all studies, and what choosing is worth."""
        first = [study.first(k) for study in studies]
        baselines = {Contender(FULL, PARALLEL, one.select) for one in searched}
        played = play({*searched, *baselines}, first, self._measure, max_tokens=self._limit)
        quality = measure_quality(first)
        reported = np.array([half(study.study) == "report" for study in first])
        rows = [
            compare(
                {name: one.of(some) for name, one in played.items()},
                quality.of(some),
                Resamples(int(some.sum()), self._resamples),
            )
            for some in (~reported, reported, np.ones_like(reported))
        ]
        return [Views(*each) for each in zip(*rows, strict=True)], held(played, quality, GROUPS)

    def reports(
        self, wanted: Sequence[Contender], studies: Sequence[BenchStudy], k: int
    ) -> list[Reports]:
        """What contenders choose, and what full best-of-N with their selectors does."""
        first = [study.first(k) for study in studies if study.reference is not None]
        both = {Contender(FULL, PARALLEL, one.select) for one in wanted} | {*wanted}
        played = play(both, first, self._measure, max_tokens=self._limit)
        references = [_text(study) for study in first]
        return [
            Reports(
                str(name),
                [
                    "" if at == NOBODY else prose_of(study.tracks[at].track.report)
                    for study, at in zip(first, played[name].winner, strict=True)
                ],
                references,
            )
            for name in sorted(both)
        ]


def _possible(wanted: Sequence[Contender]) -> tuple[list[Contender], list[str]]:
    """Those whose selector can be made here, and a sentence for each selector that cannot."""
    missing: dict[str, str] = {}
    for select in dict.fromkeys(one.select for one in wanted):
        try:
            selector_maker(select)
        except MissingPackageError as error:
            missing[select] = f"`{select}` did not compete: {error}."
    return [one for one in wanted if one.select not in missing], list(missing.values())


def _text(study: BenchStudy) -> str:
    assert study.reference is not None
    return " ".join(part for part in (study.reference.findings, study.reference.impression) if part)


def _sizes(text: str) -> list[int]:
    return sorted({int(word) for word in text.split(",")})


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("--index", type=Path, required=True, help="the index directory, NAME.sdr")
    parser.add_argument("--encoder", help="a folder or name; by default the index's own")
    parser.add_argument("--embeddings", type=Path, help="keep the embeddings in this file")
    parser.add_argument("-k", "--sizes", type=_sizes, default=list(SIZES), help="such as 2,4,8,16")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder to write to")
    given = parser.parse_args(arguments)
    try:
        run(
            given.recording,
            given.index,
            given.output,
            encoder=given.encoder,
            embeddings=given.embeddings,
            sizes=given.sizes,
            command=_command(given),
        )
    except (ClientError, SDRDecodeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"wrote {given.output / 'RESULTS.md'}")
    return 0


def _command(given: argparse.Namespace) -> str:
    """The command that makes the report again, without this machine's folders."""
    options: Mapping[str, Path | None] = {
        "--index": given.index,
        "--embeddings": given.embeddings,
        "--encoder": given.encoder and Path(given.encoder),
    }
    words = ["python", "-m", "benchmarks.report", given.recording.name]
    for option, value in options.items():
        if value is not None:
            words += [option, value.name]
    sizes = ",".join(map(str, given.sizes))
    return shlex.join([*words, *(["--sizes", sizes] if given.sizes != list(SIZES) else [])]) + (
        " -o benchmarks"
    )


if __name__ == "__main__":
    sys.exit(main())
