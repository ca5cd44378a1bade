"""The way into a command and out of it, where Ctrl-C finds no command yet, or no more.

It imports next to nothing, so that the long imports of the commands come within its guard.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from importlib import import_module
from types import FrameType

INTERRUPTED = 130

_WORD = "interrupted\n"


def run_command(module: str) -> None:
    """Import ``module`` and run its ``main``. Ctrl-C ends the program with ``INTERRUPTED`` at any
    moment: in the imports with one line, and while Python shuts down with none."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        import_module(module).main()  # somebody else heeds Ctrl-C, or nobody shall
        return
    # What is registered first runs last; then Python takes its handlers away, and Ctrl-C kills.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    try:
        try:
            # No exception yet: one that is raised within an import may be swallowed there.
            signal.signal(signal.SIGINT, _leave_with_a_word)
            command = import_module(module)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            command.main()
        finally:
            signal.signal(signal.SIGINT, _leave)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, _leave)  # if it came just before the line above
        sys.stderr.write(_WORD)
        sys.exit(INTERRUPTED)


def _leave_with_a_word(_signal: int, _frame: FrameType | None) -> None:
    os.write(sys.stderr.fileno(), _WORD.encode())
    os._exit(INTERRUPTED)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
