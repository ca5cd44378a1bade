"""What is asked of the model: a template with the fields of a study."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from clients.errors import PromptError
from clients.file_kind import HEAD_BYTES, file_kind

PROMPT_VERSION = "chest-xray-1"  # changes whenever a word of the default template does
FIELDS = ("indication", "comparison")
NOT_GIVEN = "not given"

# {name} is a field and {{name}} the text {name}; every other brace stands for itself.
_FIELD = re.compile(r"\{\{([^\W\d]\w*)\}\}|\{([^\W\d]\w*)\}")


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A prompt whose fields are filled for each study.

    ``version`` names the text in recordings and results. Raises ``PromptError`` for a field that
    nothing fills.
    """

    text: str
    version: str

    def __post_init__(self) -> None:
        for match in _FIELD.finditer(self.text):
            if match[2] and match[2] not in FIELDS:
                known = ", ".join(f"{{{field}}}" for field in FIELDS)
                raise PromptError(
                    f"the prompt {self.version} has the field {{{match[2]}}}; known: {known} "
                    f"(for the text itself, write {{{{{match[2]}}}}})"
                )

    def fill(self, indication: str | None = None, comparison: str | None = None) -> str:
        """The prompt for one study. A field that is ``None`` or blank reads "not given"."""
        values = {"indication": indication, "comparison": comparison}

        def filled(match: re.Match[str]) -> str:
            if match[1]:
                return f"{{{match[1]}}}"
            return (values[match[2]] or "").strip() or NOT_GIVEN

        return _FIELD.sub(filled, self.text)


@cache
def default_prompt() -> PromptTemplate:
    """The template that asks for ``Findings:`` and ``Impression:`` of a chest X-ray."""
    text = files("clients").joinpath("templates", "chest_xray.txt").read_text("utf-8")
    return PromptTemplate(text.strip(), PROMPT_VERSION)


def load_prompt(path: str | Path) -> PromptTemplate:
    """The template in a text file (UTF-8), named after the file and a hash of its text.

    Raises ``PromptError`` for a file that is missing, empty or not text, and for unknown fields.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise PromptError(f"{path} does not exist; expected a prompt in a text file") from None
    except (OSError, ValueError) as error:
        raise PromptError(f"{path} cannot be read as a prompt ({error})") from None
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError:
        text = None
    kind = file_kind(data[:HEAD_BYTES])
    if text is None or "\0" in text or kind == "a Git LFS pointer":
        looks = f"looks like {kind}" if kind else "is not UTF-8 text"
        raise PromptError(f"{path} {looks}; expected a prompt in a text file")
    if not text:
        raise PromptError(f"{path} is empty; expected a prompt in a text file")
    return prompt_from_text(text, path.name)


def prompt_from_text(text: str, name: str = "text") -> PromptTemplate:
    """A template whose version is a name and a hash of its text. Raises ``PromptError``."""
    return PromptTemplate(text, f"{name}@{sha256(text.encode()).hexdigest()[:12]}")
