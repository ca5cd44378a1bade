"""Bad input becomes one sentence on standard error and an exit code, never a traceback."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from clients.errors import ClientError
from sdr_decode.cli.entry import INTERRUPTED
from sdr_decode.errors import SDRDecodeError
from sdr_decode.visible import visible

OK = 0
BAD_INPUT = 2
NO_VALID_CANDIDATE = 3
TERMINATED = 143

EXIT_CODES = (
    "Exit codes: 0 done; 2 bad input or usage; 3 no valid candidate came back; 130 interrupted."
)


@contextmanager
def clear_errors() -> Iterator[None]:
    """Guards a command, as ``with clear_errors():`` or as the decorator ``@clear_errors()``.

    An error of the packages or of the operating system ends the program with ``BAD_INPUT`` and
    its message, Ctrl-C with ``INTERRUPTED``. A closed pipe (``| head``) is left to the caller;
    anything else is a defect and keeps its traceback.
    """
    try:
        yield
    except (ClientError, SDRDecodeError) as error:
        _stop(str(error))
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        _stop(_describe(error))
    except KeyboardInterrupt as error:
        # asyncio raises it where the cancelled command ended, which noted what was lost.
        lost = getattr(error.__context__, "__notes__", ())
        _stop("; ".join(("interrupted", *lost)), INTERRUPTED)


def _describe(error: OSError) -> str:
    if error.filename is None:
        return error.strerror or str(error) or _unsaid(error)
    return f"{error.filename}: {error.strerror or error}"


def _unsaid(error: OSError) -> str:
    """What an error without words was: a time limit, mostly, and what it cut short."""
    what = "a time limit ran out" if isinstance(error, TimeoutError) else type(error).__name__
    cause = error.__cause__
    told = f": {cause}" if cause is not None and str(cause) else ""
    return f"{what}{told}; try again"


def _stop(message: str, code: int = BAD_INPUT) -> None:
    message = visible(message)  # it may quote a server or a file
    sys.stderr.write(f"Error: {message}\n" if code == BAD_INPUT else f"{message}\n")
    raise SystemExit(code)
