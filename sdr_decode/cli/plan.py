"""``sdr-decode plan``: what every way of asking would cost, before a call is made."""

from __future__ import annotations

import datetime
import json as json_format
import re
import sys
from dataclasses import asdict, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sdr_decode.cli.output import require_folder, write_text
from sdr_decode.cli.plan_measured import measured, remark
from sdr_decode.cli.plan_output import as_data, print_plan
from sdr_decode.defaults import DEFAULT_PRUNE

if TYPE_CHECKING:
    from clients.pricing import Prices

_SIZE = re.compile(r"([0-9]+)[xX]([0-9]+)")


def plan(
    *,
    client: Annotated[str, typer.Option(help="Such as openai:gpt-4o-mini.")],
    image: Annotated[
        list[Path] | None, typer.Option(help="An image of the study; repeatable.")
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="WxH", help="Pixels, instead of an image; repeatable."),
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", help="How many candidates.")] = 8,
    prompt_tokens: Annotated[
        int, typer.Option(help="Text of one prompt; the default is an estimate.")
    ] = 300,
    expected_tokens: Annotated[
        float | None,
        typer.Option(
            help="Output of one full candidate, hidden reasoning included.", show_default="120"
        ),
    ] = None,
    expected_pruned: Annotated[
        float | None,
        typer.Option(
            help="Share of the output that pruning leaves ungenerated, 0 to 1.", show_default="0.5"
        ),
    ] = None,
    expected_launches: Annotated[
        float | None, typer.Option(help="Prompts that a staged launch sends, 1 to k.")
    ] = None,
    recording: Annotated[
        Path | None, typer.Option(help="Measure on it what is expected and not given.")
    ] = None,
    index: Annotated[
        Path | None, typer.Option(help="The index directory, to measure a recording with.")
    ] = None,
    prune: Annotated[
        str, typer.Option(help="The prune policy, to measure a recording with.")
    ] = DEFAULT_PRUNE,
    encoder: Annotated[
        str | None, typer.Option(help="A folder or name; by default the index's own.")
    ] = None,
    embeddings: Annotated[
        Path | None, typer.Option(help="Keep the embeddings in this file for the next run.")
    ] = None,
    detail: Annotated[
        str | None,
        typer.Option(help="The provider's image detail or resolution; the client's by default."),
    ] = None,
    image_tokens: Annotated[
        int | None, typer.Option(help="Of all images together, instead of the formula.")
    ] = None,
    provider: Annotated[
        str | None, typer.Option(help="Who bills, where the client does not say it.")
    ] = None,
    date: Annotated[str | None, typer.Option(help="YYYY-MM-DD; today by default.")] = None,
    prices: Annotated[
        Path | None,
        typer.Option(help='JSON with "input", "cached", "output": dollars per million tokens.'),
    ] = None,
    price_input: Annotated[str | None, typer.Option(help="Dollars per million tokens.")] = None,
    price_cached: Annotated[str | None, typer.Option(help="Dollars per million tokens.")] = None,
    price_output: Annotated[str | None, typer.Option(help="Dollars per million tokens.")] = None,
    facts: Annotated[
        Path | None, typer.Option(help="TOML with facts that come before the built-in ones.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the plan to this file.")] = None,
) -> None:
    """Compare the ways of asking CLIENT for K candidates: tokens, dollars, and the cheapest."""
    from clients.pricing import AUTO, load_facts, provider_and_model  # noqa: PLC0415 - fast --help
    from clients.pricing import plan as make_plan  # noqa: PLC0415
    from clients.spec import parse_spec  # noqa: PLC0415

    known, spec = load_facts(facts), parse_spec(client)
    billed_by, model = provider_and_model(spec, known)
    billed_by = provider or billed_by
    on = _date(date)
    images = _images(image or (), size or ())
    staged = known.staged.launch
    found = None
    if recording is not None:
        require_folder(embeddings)
        found = measured(
            recording,
            _required(index),
            k=k,
            prune=prune,
            staged=staged,
            encoder=encoder,
            embeddings=embeddings,
        )
        expected_tokens = found.tokens if expected_tokens is None else expected_tokens
        expected_pruned = found.pruned if expected_pruned is None else expected_pruned
        expected_launches = found.launches if expected_launches is None else expected_launches
    made = make_plan(
        model=model,
        provider=billed_by,
        images=images,
        prompt_tokens=prompt_tokens,
        k=k,
        expected_tokens=120 if expected_tokens is None else expected_tokens,
        expected_pruned=0.5 if expected_pruned is None else expected_pruned,
        expected_launches=expected_launches,
        detail=detail or spec.options.get("detail", AUTO),
        image_tokens=image_tokens,
        date=on,
        prices=_prices(prices, (price_input, price_cached, price_output), billed_by, model, on),
        facts=known,
    )
    if json is not None:
        data = as_data(made) | {"measured": None if found is None else asdict(found)}
        write_text(json, json_format.dumps(data, indent=2) + "\n")
    console = Console(width=None if sys.stdout.isatty() else 200)
    print_plan(made, console)
    if recording is not None and found is not None:
        said = remark(found, recording, k=k, prune=prune, staged=staged)
        console.print(said, highlight=False, markup=False, soft_wrap=True)


def _required(index: Path | None) -> Path:
    from clients.errors import SpecError  # noqa: PLC0415 - fast --help

    if index is None:
        raise SpecError("found a recording without an index; give --index NAME.sdr to measure it")
    return index


def _images(files: list[Path] | tuple[()], sizes: list[str] | tuple[()]) -> list[tuple[int, int]]:
    from clients.pricing import PricingError  # noqa: PLC0415 - fast --help

    found = []
    for text in sizes:
        match = _SIZE.fullmatch(text.strip())
        if match is None:
            raise PricingError(f"found the size {text!r}; expected WxH in pixels, as in 1024x1024")
        found.append((int(match[1]), int(match[2])))
    if files:
        from clients.images import load_image  # noqa: PLC0415 - needs Pillow

        # As it will be sent: turned upright and within the size limit.
        found += [(loaded.width, loaded.height) for loaded in map(load_image, files)]
    if not found:
        raise PricingError("found no image; give --image FILE or --size WxH")
    return found


def _date(text: str | None) -> datetime.date:
    from clients.pricing import PricingError  # noqa: PLC0415 - fast --help

    if text is None:
        return datetime.datetime.now(datetime.UTC).date()
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise PricingError(f"found the date {text!r}; expected YYYY-MM-DD") from None


def _prices(
    file: Path | None,
    given: tuple[str | None, str | None, str | None],
    provider: str,
    model: str,
    on: datetime.date,
) -> Prices | None:
    """The prices of the user, with those that are missing from ``genai-prices``; ``None`` when
    the user gives none."""
    from clients.pricing import Prices, PricingError, load_prices, prices_for  # noqa: PLC0415

    found = load_prices(file) if file is not None else None
    if given == (None, None, None):
        return found
    paid, cached, written = map(_dollars, given)
    if found is None:
        found = prices_for(provider, model, on)
    if found is None:
        if paid is None or written is None:
            raise PricingError(
                f"no prices are known for {model} at {provider}; give both --price-input and "
                "--price-output"
            )
        return Prices(paid, written, cached, date=on)
    return replace(
        found,
        input=found.input if paid is None else paid,
        output=found.output if written is None else written,
        cached=found.cached if cached is None else cached,
        source=f"the caller, the rest from {found.source}",
    )


def _dollars(text: str | None) -> Decimal | None:
    from clients.pricing import PricingError  # noqa: PLC0415 - fast --help

    if text is None:
        return None
    try:
        price = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        price = Decimal("NaN")
    if not price.is_finite() or price < 0:
        raise PricingError(f"found the price {text!r}; expected dollars per million tokens")
    return price
