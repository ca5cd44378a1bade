"""What can go wrong where token streams come from.

ClientError
├── SpecError               a short spec such as "openai:gpt-4o-mini" cannot be used
├── MissingPackageError     an optional package is needed and not installed
├── MissingKeyError         no API key in the environment or the argument
├── ImageError              a file is not an image that can be sent
├── PromptError             a prompt template cannot be used
├── RecordingError          a recording cannot be read
├── PricingError            prices or billing facts cannot be used (clients.pricing)
├── ClientClosedError       the client was used after it was closed, or from another event loop
└── StreamError             one candidate's stream failed; ``retryable``: trying again may help
    ├── ServerUnreachableError  no connection to the server
    └── StreamTimeoutError      no piece arrived in time

Every message says what was found, what was expected and what to do.
"""

from __future__ import annotations


class ClientError(Exception):
    """The root of this package's errors."""


class SpecError(ClientError):
    """A spec names nothing known, or carries a value or an option that cannot be used."""


class MissingPackageError(ClientError):
    """An optional package is not installed. The message carries the install line."""


class MissingKeyError(ClientError):
    """No API key was found where one is needed."""


class ImageError(ClientError):
    """A file is missing, unreadable, or not an image."""


class PromptError(ClientError):
    """A prompt template is missing or has a field that nothing fills."""


class RecordingError(ClientError):
    """A recording is missing, damaged, or lacks what is asked of it."""


class ClientClosedError(ClientError):
    """The client was closed, or belongs to another event loop."""


class StreamError(ClientError):
    """One candidate's stream failed.

    ``retry_after`` is how many seconds the server asked to be left alone, where it said so.
    """

    def __init__(
        self, message: str, *, retryable: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after


class ServerUnreachableError(StreamError):
    """No connection to the server could be made."""


class StreamTimeoutError(StreamError):
    """The stream stayed silent for longer than it may."""
