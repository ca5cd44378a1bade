"""How the model behind a judge answers, on the wire and in scripts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from clients import Finish, Piece, TokenLogprob, Usage
from sdr_decode.rewards.judge import Judge
from tests.clients import gemini_case
from tests.clients.case import KEY
from tests.clients.cases import OpenAICase, delta
from tests.clients.wire_server import Answer, WireServer

OPENAI, GEMINI = OpenAICase(), gemini_case.GeminiCase()
REPORT = "Findings: The lungs are clear. Impression: No acute disease."

Probabilities = Mapping[str, float]
SURE_FOUR = {"4": 1.0}


def openai_says(text: str, first: Probabilities | None = None, finish: str = "stop") -> Answer:
    """An answer in one token, with what else could have stood there in ``first``."""
    listed = [{"token": each, "logprob": math.log(p)} for each, p in (first or {}).items()]
    place = {"token": text, "logprob": -0.5, "top_logprobs": listed}
    logprobs = None if first is None else {"content": [place]}
    return Answer(
        [
            delta(role="assistant", content=""),
            delta(content=text, logprobs=logprobs),
            delta(finish),
            OPENAI.usage(400, 1),
            OPENAI.end(),
        ]
    )


def gemini_says(text: str, first: Probabilities | None = None) -> Answer:
    """As ``openai_says``, in Gemini's words."""
    candidate: dict[str, Any] = {
        "content": {"parts": [{"text": text}], "role": "model"},
        "finishReason": "STOP",
        "index": 0,
    }
    if first is not None:
        top = [{"token": each, "logProbability": math.log(p)} for each, p in first.items()]
        candidate["logprobsResult"] = {
            "chosenCandidates": [{"token": text, "logProbability": -0.5}],
            "topCandidates": [{"candidates": top}],
        }
    usage = {"promptTokenCount": 400, "candidatesTokenCount": 1}
    return Answer([gemini_case.event({"candidates": [candidate], "usageMetadata": usage})])


def openai_judge(server: WireServer, **options: Any) -> Judge:
    spec = f"openai:test-model,base_url={server.url}/v1,retries=0"
    return Judge(spec, api_key=KEY, **{"reference": None, **options})


def gemini_judge(server: WireServer, **options: Any) -> Judge:
    spec = f"gemini:test-model,base_url={server.url},retries=0"
    return Judge(spec, api_key=KEY, **{"reference": None, **options})


def asked(body: Any) -> str:
    """The prompt in a request, of either kind."""
    if "contents" in body:
        return str(body["contents"][0]["parts"][0]["text"])
    return str(body["messages"][0]["content"])


def scripted(text: str, first: Probabilities | None = None) -> list[Any]:
    """A scripted stream's answer."""
    top = first and tuple(TokenLogprob(each, math.log(p)) for each, p in first.items())
    return [Piece(text, top_logprobs=top or None), Usage(400, output_tokens=1), Finish("stop")]
