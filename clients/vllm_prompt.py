"""A study as vLLM's engine reads it: the chat template applied, the images decoded."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clients.base import Image, Request
from clients.errors import ClientError, StreamError

if TYPE_CHECKING:
    from vllm.v1.engine.async_llm import AsyncLLM


@dataclass(frozen=True, slots=True)
class EnginePrompt:
    """A rendered prompt. ``tokens`` and ``image_tokens``, which is a part of it, are exact."""

    rendered: Mapping[str, Any]
    tokens: int
    image_tokens: int


async def render(
    engine: AsyncLLM, request: Request, pictures: list[Any], *, dry: bool = False
) -> EnginePrompt:
    """The prompt of ``request``, through the engine's own renderer, as vLLM's server does it.

    A model without a chat template gets the prompt as it stands. ``dry`` leaves the image cache
    alone: an image that is rendered and then not sent would leave the engine believing that it
    had it. Raises ``StreamError`` where the engine cannot render it.
    """
    try:
        rendered = await _rendered(engine, request, pictures, dry)
    except Exception as error:
        reason = " ".join(str(error).split())
        raise StreamError(f"vLLM cannot read the prompt: {reason}") from error
    images = rendered.get("mm_placeholders", {}).get("image", ())
    return EnginePrompt(
        rendered, len(rendered["prompt_token_ids"]), sum(place.length for place in images)
    )


def check_length(prompt: EnginePrompt, longest: int) -> None:
    """Raise ``ClientError`` where a prompt leaves no room for a report."""
    if prompt.tokens >= longest:
        of_images = f", {prompt.image_tokens} of them for images" if prompt.image_tokens else ""
        raise ClientError(
            f"the prompt has {prompt.tokens} tokens{of_images}; the model takes {longest} with the "
            "report. Send fewer or smaller images, a shorter prompt, or allow more (max_model_len)"
        )


def decode_image(image: Image) -> Any:
    """The picture that an encoded image holds, as Pillow gives it."""
    from PIL import Image as Pillow  # noqa: PLC0415

    picture = Pillow.open(io.BytesIO(image.data))
    picture.load()
    return picture.convert("RGB")


async def _rendered(engine: AsyncLLM, request: Request, pictures: list[Any], dry: bool) -> Any:
    from vllm.renderers import ChatParams  # noqa: PLC0415
    from vllm.renderers.chat_utils import ChatTemplateResolutionError  # noqa: PLC0415

    renderer = engine.renderer
    parts: list[dict[str, Any]] = [{"type": "text", "text": request.prompt}]
    parts += [
        {"type": "image_pil", "image_pil": picture, "uuid": image.sha256}
        for picture, image in zip(pictures, request.images, strict=True)
    ]
    content: Any = parts if pictures else request.prompt
    template = ChatParams(chat_template_kwargs={"add_generation_prompt": True})
    try:
        _, (rendered,) = await renderer.render_chat_async(
            [[{"role": "user", "content": content}]], template, skip_mm_cache=dry
        )
    except ChatTemplateResolutionError:
        prompt: dict[str, Any] = {"prompt": request.prompt}
        if pictures:
            prompt["multi_modal_data"] = {"image": pictures}
            prompt["multi_modal_uuids"] = {"image": [image.sha256 for image in request.images]}
        (rendered,) = await renderer.render_cmpl_async([prompt], skip_mm_cache=dry)
    return rendered
