"""Ask in the way that costs least with the client at hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clients import Client, Request
from clients.errors import ClientError, SpecError
from clients.spec import Spec, allow_options, no_value, number, parse_spec
from sdr_decode.candidate import Candidate
from sdr_decode.launch.base import Chosen, LaunchPlan
from sdr_decode.launch.parallel import Parallel

if TYPE_CHECKING:
    from clients.pricing import Plan, Strategy

CHARACTERS_PER_TOKEN = 4
"""Of English prose; the text of a prompt is a small part of the bill."""


@dataclass(frozen=True)
class Auto(LaunchPlan):
    """The planner's cheapest (``sdr-decode plan``) for the client, the images and K.

    ``tokens`` is the expected output of one full candidate, ``pruned`` the share of all output that
    pruning leaves ungenerated, ``launches`` how many prompts a staged launch is expected to send;
    ``None`` is the planner's own assumption. ``sdr-decode plan --recording`` measures all three.
    On an engine of one's own the cheapest is what generates least, which is a staged launch.
    Where no price is known, candidates start in parallel, and the result says why.
    """

    tokens: float = 120.0
    pruned: float = 0.5
    launches: float | None = None

    def due(self, candidates: Sequence[Candidate], k: int) -> int:
        raise SpecError(
            "the launch plan auto goes by the prices of a client, and here is none; name a plan, "
            "such as parallel or shared"
        )

    async def choose(self, client: Client, spec: str, request: Request, k: int) -> Chosen:
        # The first call loads a table of prices, which takes a fifth of a second.
        return await asyncio.to_thread(self._choose, client, spec, request, k)

    def _choose(self, client: Client, spec: str, request: Request, k: int) -> Chosen:
        from sdr_decode.launch import launch_plans  # noqa: PLC0415 - it names this plan too

        try:
            cheapest = _cheapest(self._plan(spec, request, k))
        except ClientError as error:  # such as a client that bills nobody, or a missing package
            return _in_parallel(str(error))
        if cheapest.launch == "shared" and not client.can_share:
            return _in_parallel(
                f"the cheapest is {cheapest.name}, and {client.name} streams one candidate a "
                "request"
            )
        return Chosen(launch_plans.make(cheapest.launch), cheapest.launch)

    def _plan(self, spec: str, request: Request, k: int) -> Plan:
        from clients.pricing import AUTO, load_facts, plan, provider_and_model  # noqa: PLC0415

        facts, parsed = load_facts(), parse_spec(spec)
        provider, model = provider_and_model(parsed, facts)
        return plan(
            model=model,
            provider=provider,
            images=[(image.width, image.height) for image in request.images],
            prompt_tokens=len(request.prompt) // CHARACTERS_PER_TOKEN,
            k=k,
            expected_tokens=self.tokens,
            expected_pruned=self.pruned,
            expected_launches=None if self.launches is None else min(self.launches, float(k)),
            detail=parsed.options.get("detail", AUTO),
            facts=facts,
        )


def _cheapest(plan: Plan) -> Strategy:
    from clients.pricing import PricingError  # noqa: PLC0415

    if plan.cheapest is not None:
        return plan.cheapest
    if plan.image_tokens is None:
        unknown = f"how many tokens an image takes with {plan.model}"
    elif plan.prices is None:
        unknown = f"a price for {plan.model}"
    else:
        unknown = f"how the prompt cache works with {plan.model}"
    raise PricingError(f"{unknown} at {plan.provider} is not known")


def _in_parallel(why: str) -> Chosen:
    return Chosen(Parallel(), "parallel", f"the launch plan auto started all in parallel: {why}")


def from_spec(spec: Spec) -> Auto:
    no_value(spec)
    allow_options(spec, "launches", "pruned", "tokens")
    given = spec.options.get
    usual = Auto()
    launches = given("launches")
    return Auto(
        number(spec, given("tokens", str(usual.tokens)), "tokens", low=1.0),
        number(spec, given("pruned", str(usual.pruned)), "pruned", high=1.0),
        None if launches is None else number(spec, launches, "launches", low=1.0),
    )
