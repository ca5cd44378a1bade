from __future__ import annotations

import errno

import pytest

from clients.errors import SpecError, StreamTimeoutError
from sdr_decode.cli.errors import BAD_INPUT, INTERRUPTED, clear_errors
from sdr_decode.errors import IndexFormatError


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SpecError("unknown client 'x'"), "Error: unknown client 'x'\n"),
        (StreamTimeoutError("silent"), "Error: silent\n"),
        (IndexFormatError("not an index"), "Error: not an index\n"),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "a.png"),
            "Error: a.png: No such file or directory\n",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "Error: No space left on device\n"),
        (TimeoutError(), "Error: a time limit ran out; try again\n"),
        (
            caused(TimeoutError(), ValueError("no lock on the index")),
            "Error: a time limit ran out: no lock on the index; try again\n",
        ),
        (ConnectionError(), "Error: ConnectionError; try again\n"),
    ],
)
def test_an_expected_error_is_one_sentence(
    error: Exception, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped, clear_errors():
        raise error
    assert stopped.value.code == BAD_INPUT
    assert capsys.readouterr() == ("", message)


def test_ctrl_c_has_its_own_code(capsys: pytest.CaptureFixture[str]) -> None:
    @clear_errors()
    def command() -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as stopped:
        command()
    assert stopped.value.code == INTERRUPTED
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("error", [ZeroDivisionError(), BrokenPipeError(errno.EPIPE, "pipe")])
def test_defects_and_closed_pipes_are_not_hidden(error: Exception) -> None:
    with pytest.raises(type(error)), clear_errors():
        raise error


def test_a_decorated_command_gives_its_result_every_time() -> None:
    @clear_errors()
    def command(value: int) -> int:
        return value + 1

    assert [command(1), command(2)] == [2, 3]
