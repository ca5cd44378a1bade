"""The image path of a real engine, with a vision-language model of random weights."""

from __future__ import annotations

import asyncio
import io
from hashlib import sha256

import PIL.Image
import pytest

from clients import ClientError, Image, Request, Sampling, Usage
from tests.data import real_data
from tests.engine.metrics import once_idle
from tests.engine.targets import Target

pytestmark = [
    pytest.mark.engine,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(300),
]
K = 8
GREEDY = Sampling(temperature=0.0, max_tokens=1)


@pytest.fixture(scope="module")
def chest() -> PIL.Image.Image:
    folder = real_data("images")
    return PIL.Image.open(min(folder.glob("*.png"))).convert("RGB")


def png(picture: PIL.Image.Image) -> Image:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    data = buffer.getvalue()
    return Image(data, "image/png", *picture.size, sha256(data).hexdigest())


def asked(*images: Image) -> Request:
    return Request("Describe the chest X-ray.", images, GREEDY)


async def first(viewer: Target, request: Request) -> tuple[float, Usage]:
    """The log-probability of the first token, and the usage."""
    async with viewer.open(logprobs=True) as client:
        stream = client.stream(request, 0)
        pieces = [piece async for piece in stream]
    assert stream.finish.reason in ("stop", "length")
    return pieces[0].logprob, stream.usage  # of one token: a piece may hold several


async def test_the_image_is_part_of_the_prompt(viewer: Target, chest: PIL.Image.Image) -> None:
    before = await once_idle(viewer.metrics)
    _, without = await first(viewer, asked())
    _, one = await first(viewer, asked(png(chest)))
    _, wide = await first(viewer, asked(png(chest.crop((0, 0, 1024, 512)))))
    _, two = await first(viewer, asked(png(chest), png(chest.crop((0, 0, 1024, 512)))))
    after = await once_idle(viewer.metrics)

    # 4 x 4 tiles and 4 x 2, each beside the image as a whole, 4 tokens a tile.
    assert one.image_tokens > wide.image_tokens > 4 * (8 + 1)
    assert one.prompt_tokens == without.prompt_tokens + one.image_tokens
    assert two.image_tokens == one.image_tokens + wide.image_tokens
    usages = (without, one, wide, two)
    assert sum(usage.prompt_tokens for usage in usages) == after.prompts - before.prompts


async def test_what_the_image_shows_changes_the_model(
    viewer: Target, chest: PIL.Image.Image
) -> None:
    shown, _ = await first(viewer, asked(png(chest)))
    again, _ = await first(viewer, asked(png(chest)))
    other, _ = await first(viewer, asked(png(PIL.Image.eval(chest, lambda value: 255 - value))))
    assert shown == pytest.approx(again, abs=1e-3)
    assert abs(shown - other) > 0.01


async def test_k_candidates_share_one_image(viewer: Target, chest: PIL.Image.Image) -> None:
    request = Request("Describe it.", (png(chest.rotate(90)),), Sampling(max_tokens=16, seed=1))
    before = await once_idle(viewer.metrics)
    async with viewer.open() as client:
        await client.check(request, K)
        streams = [client.stream(request, number) for number in range(K)]

        async def text(number: int) -> str:
            return "".join([piece.text async for piece in streams[number]])

        texts = [await text(0), *await asyncio.gather(*map(text, range(1, K)))]
    after = await once_idle(viewer.metrics)

    assert len(set(texts)) > 1
    assert after.images - before.images == K
    assert after.images_cached - before.images_cached == K - 1
    cached = [stream.usage.cached_tokens for stream in streams]
    assert cached[0] < min(cached[1:])
    assert sum(cached) == after.prompts_cached - before.prompts_cached


async def test_a_refused_image_is_whole_when_it_comes_again(
    viewer: Target, chest: PIL.Image.Image
) -> None:
    image = png(chest.rotate(180))
    # It is the image that makes it too long, which shows only when it has become tokens.
    request = Request("x" * 1990, (image,), GREEDY)
    async with viewer.open() as client:
        with pytest.raises(ClientError, match="takes 2048"):
            await client.check(request, 1)
    _, usage = await first(viewer, asked(image))
    assert usage.image_tokens > 0
