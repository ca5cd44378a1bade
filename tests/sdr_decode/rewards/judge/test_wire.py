"""The judge over servers that speak as OpenAI's and Gemini's do."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from sdr_decode.rewards.judge import Judge
from tests.clients.wire_server import Answer, Exchange, WireServer
from tests.sdr_decode.rewards.judge.speaking import (
    GEMINI,
    OPENAI,
    REPORT,
    SURE_FOUR,
    asked,
    gemini_judge,
    gemini_says,
    openai_judge,
    openai_says,
)

Judging = Callable[..., Judge]
Saying = Callable[..., Answer]

VENDORS = [
    pytest.param(openai_judge, openai_says, id="openai"),
    pytest.param(gemini_judge, gemini_says, id="gemini"),
]


@pytest.mark.parametrize(("judging", "says"), VENDORS)
async def test_log_probabilities_are_the_distribution(judging: Judging, says: Saying) -> None:
    first = {"4": 0.5, "5": 0.2, " 5": 0.05, "1": 0.05, "The": 0.2}
    async with WireServer(says("4", first)) as server, judging(server) as judge:
        (rating,) = await judge.arate([REPORT])
    assert rating is not None
    assert rating.probabilities == pytest.approx((0.0625, 0, 0, 0.625, 0.3125))
    assert len(server.exchanges) == 1
    assert (judge.spent.requests, judge.spent.prompt_tokens, judge.spent.output_tokens) == (
        1,
        400,
        1,
    )
    assert judge.spent.untold == 0


async def test_what_is_asked_of_openai() -> None:
    async with WireServer(openai_says("4", SURE_FOUR)) as server, openai_judge(server) as judge:
        await judge.arate([REPORT])
    body = server.exchanges[0].body
    assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
    assert (body["temperature"], body["max_tokens"]) == (1.0, 8)
    assert REPORT in asked(body)


async def test_what_is_asked_of_gemini() -> None:
    async with WireServer(gemini_says("4", SURE_FOUR)) as server, gemini_judge(server) as judge:
        await judge.arate([REPORT])
    config = server.exchanges[0].body["generationConfig"]
    assert (config["responseLogprobs"], config["logprobs"]) == (True, 20)
    assert REPORT in asked(server.exchanges[0].body)


@pytest.mark.parametrize(("judging", "says"), VENDORS)
async def test_without_log_probabilities_samples_are_the_distribution(
    judging: Judging, says: Saying
) -> None:
    script = [says(digit) for digit in ("4", "5", "4.", " 4\n")]
    async with WireServer(script) as server, judging(server, samples=4) as judge:
        (rating,) = await judge.arate([REPORT])
    assert rating is not None
    assert rating.probabilities == (0, 0, 0, 0.75, 0.25)
    assert (len(server.exchanges), judge.spent.prompt_tokens) == (4, 1600)


REFUSES_LOGPROBS = [
    pytest.param(
        openai_judge,
        openai_says,
        OPENAI,
        403,
        "No permission to request logprobs here",
        id="openai",
    ),
    pytest.param(
        gemini_judge, gemini_says, GEMINI, 400, "Logprobs is not supported here", id="gemini"
    ),
]


@pytest.mark.parametrize(("judging", "says", "case", "status", "words"), REFUSES_LOGPROBS)
async def test_a_model_that_refuses_log_probabilities_is_sampled(
    judging: Judging,
    says: Saying,
    case: Any,
    status: int,
    words: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def script(exchange: Exchange) -> Answer:
        wanted = {"logprobs", "responseLogprobs"} & {
            *exchange.body, *exchange.body.get("generationConfig", {}),
        }  # fmt: skip
        return case.refusal(status, words) if wanted else says("2")

    async with WireServer(script) as server, judging(server, samples=3) as judge:
        ratings = await judge.arate([REPORT])
        assert len(server.exchanges) == 4
        ratings += await judge.arate([REPORT + " More."])
        assert len(server.exchanges) == 7  # what was learnt once is not tried again
    assert [rating and rating.expected for rating in ratings] == [2, 2]
    (record,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert words in record.getMessage()
    assert "asking for 3 answers" in record.getMessage()


async def test_log_probabilities_need_not_be_asked_for() -> None:
    async with (
        WireServer(openai_says("4")) as server,
        openai_judge(server, samples=2, top_logprobs=0) as judge,
    ):
        await judge(completions=[REPORT])
    assert len(server.exchanges) == 2
    assert not any({"logprobs", "top_logprobs"} & set(each.body) for each in server.exchanges)


async def test_a_field_that_openai_servers_do_not_know_is_left_out_with_its_like() -> None:
    def script(exchange: Exchange) -> Answer:
        known = "logprobs" not in exchange.body and "top_logprobs" not in exchange.body
        text = "Unsupported parameter: 'logprobs' is not supported with this model."
        return openai_says("5") if known else OPENAI.refusal(400, text)

    async with WireServer(script) as server, openai_judge(server, samples=2) as judge:
        (rating,) = await judge.arate([REPORT])
    assert rating is not None
    assert rating.expected == 5
    assert len(server.exchanges) == 3


GARBAGE = [
    "four",
    "4/5",
    "I cannot rate this",
    "10",
    "0",
    "6",
    "4.5",
    "4 because",
    "**4**",
    "\uff14",
    "",
]


@pytest.mark.parametrize("text", GARBAGE)
@pytest.mark.parametrize(("judging", "says"), VENDORS)
async def test_an_answer_that_is_no_rating_is_none(
    judging: Judging, says: Saying, text: str
) -> None:
    async with WireServer(says(text)) as server, judging(server, samples=3) as judge:
        assert await judge(completions=[REPORT]) == [None]
    assert len(judge.failures) == 1
    assert str(judge.failures).startswith("1 text is without a rating: 1 x the answer is ")
    assert text in str(judge.failures)


@pytest.mark.parametrize(("judging", "says"), VENDORS)
async def test_log_probabilities_that_are_mostly_no_ratings_are_none(
    judging: Judging, says: Saying
) -> None:
    first = {"I": 0.6, "5": 0.4}
    async with WireServer(says("I", first)) as server, judging(server) as judge:
        assert await judge(completions=[REPORT]) == [None]
    assert judge.failures.counts == {"the answer is not a rating": 1}


@pytest.mark.parametrize("text", ["4/5", "10"])
async def test_a_digit_that_goes_on_is_no_rating_however_sure_it_was(text: str) -> None:
    script = openai_says(text, {text[0]: 1.0})
    async with WireServer(script) as server, openai_judge(server) as judge:
        assert await judge(completions=[REPORT]) == [None]


async def test_a_stray_word_does_not_spoil_a_distribution_of_ratings() -> None:
    script = openai_says("The", {"4": 0.9, "The": 0.1})
    async with WireServer(script) as server, openai_judge(server) as judge:
        assert await judge(completions=[REPORT]) == [0.75]


async def test_most_samples_must_be_ratings() -> None:
    digits = itertools.cycle(["3", "three", "3", "3/5"])
    async with (
        WireServer(lambda _: openai_says(next(digits))) as server,
        openai_judge(server, samples=4) as judge,
        openai_judge(server, samples=3) as other,
    ):
        assert await judge(completions=[REPORT]) == [0.5]  # two of four are
        next(digits)
        assert await other(completions=[REPORT]) == [None]  # one of three is


REFUSALS = [
    pytest.param(openai_judge, openai_says("4", None, "content_filter"), id="openai-filter"),
    pytest.param(gemini_judge, Answer([GEMINI.text("4", "content_filter")]), id="gemini-safety"),
    pytest.param(
        gemini_judge,
        Answer([b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\n\n']),
        id="gemini-blocked",
    ),
]


@pytest.mark.parametrize(("judging", "answer"), REFUSALS)
async def test_a_refusal_is_none(judging: Judging, answer: Answer) -> None:
    async with WireServer(answer) as server, judging(server) as judge:
        assert await judge(completions=[REPORT]) == [None]
        assert len(server.exchanges) == 1
    assert judge.failures.counts == {"the judge refused": 1}


@pytest.mark.parametrize("judging", [openai_judge, gemini_judge])
async def test_a_server_that_fails_is_none_for_that_text_only(judging: Judging) -> None:
    case, says = (OPENAI, openai_says) if judging is openai_judge else (GEMINI, gemini_says)

    def script(exchange: Exchange) -> Answer:
        bad = "Unlucky" in asked(exchange.body)
        return case.refusal(500, "out of order") if bad else says("5", {"5": 1.0})

    async with WireServer(script) as server, judging(server) as judge:
        values = await judge(completions=[REPORT, "Unlucky. " + REPORT])
        assert values == [1.0, None]
        assert judge.failures.counts == {"the request failed": 1}
        assert "out of order" in str(judge.failures)
        assert judge.spent.untold == 1
        # A failure is not remembered as a rating: it is asked again.
        before = len(server.exchanges)
        assert await judge(completions=[REPORT, "Unlucky. " + REPORT]) == [1.0, None]
        assert len(server.exchanges) == before + 1


async def test_no_more_than_so_many_requests_are_open() -> None:
    script = openai_says("4", SURE_FOUR)
    async with WireServer(script) as server, openai_judge(server, concurrency=3) as judge:
        texts = [f"Report {number}." for number in range(20)]
        assert await judge(completions=texts) == [0.75] * 20
    assert len(server.exchanges) == 20
    assert server.most_open_requests <= 3


async def test_tokens_spent_on_reasoning_say_so() -> None:
    answer = Answer([OPENAI.usage(400, 8), OPENAI.finish("length"), OPENAI.end()])
    async with WireServer(answer) as server, openai_judge(server, samples=1) as judge:
        assert await judge(completions=[REPORT]) == [None]
    assert "allow more tokens" in str(judge.failures)
