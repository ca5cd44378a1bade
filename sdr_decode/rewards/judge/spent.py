"""What judging has cost so far."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clients import Usage


@dataclass(frozen=True, slots=True)
class Spent:
    """Requests that were answered or failed, and the tokens that the provider reported.

    ``untold`` is how many of the ``requests`` came without a count, as failed ones do: where it is
    not 0, the tokens are a lower bound. Cached ratings cost nothing.
    """

    requests: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    untold: int = 0

    def plus(self, usage: Usage | None) -> Spent:
        """This, and one more request."""
        prompt = None if usage is None else usage.prompt_tokens
        output = None if usage is None else usage.output_tokens
        return replace(
            self,
            requests=self.requests + 1,
            prompt_tokens=self.prompt_tokens + (prompt or 0),
            output_tokens=self.output_tokens + (output or 0),
            untold=self.untold + (prompt is None or output is None),
        )

    def __str__(self) -> str:
        bound = "at least " if self.untold else ""
        return (
            f"{self.requests} requests, {bound}{self.prompt_tokens:,} prompt and "
            f"{bound}{self.output_tokens:,} output tokens"
        )
