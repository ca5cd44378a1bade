"""The image path of a real engine, with a vision-language model of random weights."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import PIL.Image
import pytest
import pytest_asyncio

from clients import ClientError, Image, Request, Sampling, Usage
from tests.data import real_data
from tests.engine.metrics import once_idle
from tests.engine.settings import Device, engine_args
from tests.engine.targets import Target, start

pytestmark = [
    pytest.mark.engine,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(300),
]
K = 8
GREEDY = Sampling(temperature=0.0, max_tokens=8)


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["server", "process"])
async def target(
    request: pytest.FixtureRequest,
    engine_device: Device,
    tiny_vlm: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Target]:
    real_data("images")  # where it is absent, no engine need be started to find out
    log = tmp_path_factory.mktemp("log") / "server.log"
    arguments = engine_args(engine_device, dtype="float32")
    async with start(request.param, tiny_vlm, log, arguments) as started:
        yield started


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


async def first(target: Target, request: Request) -> tuple[float, Usage]:
    """The log-probability of the first token, and the usage."""
    async with target.open(logprobs=True) as client:
        stream = client.stream(request, 0)
        pieces = [piece async for piece in stream]
    assert stream.finish.reason in ("stop", "length")
    return pieces[0].logprob, stream.usage


async def test_the_image_is_part_of_the_prompt(target: Target, chest: PIL.Image.Image) -> None:
    before = await once_idle(target.metrics)
    _, without = await first(target, asked())
    _, one = await first(target, asked(png(chest)))
    _, wide = await first(target, asked(png(chest.crop((0, 0, 1024, 512)))))
    _, two = await first(target, asked(png(chest), png(chest.crop((0, 0, 1024, 512)))))
    after = await once_idle(target.metrics)

    # 4 x 4 tiles and 4 x 2, each beside the image as a whole, 4 tokens a tile.
    assert one.image_tokens > wide.image_tokens > 4 * (8 + 1)
    assert one.prompt_tokens == without.prompt_tokens + one.image_tokens
    assert two.image_tokens == one.image_tokens + wide.image_tokens
    usages = (without, one, wide, two)
    assert sum(usage.prompt_tokens for usage in usages) == after.prompts - before.prompts


async def test_what_the_image_shows_changes_the_model(
    target: Target, chest: PIL.Image.Image
) -> None:
    shown, _ = await first(target, asked(png(chest)))
    again, _ = await first(target, asked(png(chest)))
    other, _ = await first(target, asked(png(PIL.Image.eval(chest, lambda value: 255 - value))))
    assert shown == pytest.approx(again, abs=1e-3)
    assert abs(shown - other) > 0.01


async def test_k_candidates_share_one_image(target: Target, chest: PIL.Image.Image) -> None:
    request = Request("Describe it.", (png(chest.rotate(90)),), Sampling(max_tokens=16, seed=1))
    before = await once_idle(target.metrics)
    async with target.open() as client:
        await client.check(request, K)
        streams = [client.stream(request, number) for number in range(K)]

        async def text(number: int) -> str:
            return "".join([piece.text async for piece in streams[number]])

        texts = [await text(0), *await asyncio.gather(*map(text, range(1, K)))]
    after = await once_idle(target.metrics)

    assert len(set(texts)) > 1
    assert after.images - before.images == K
    assert after.images_cached - before.images_cached == K - 1
    cached = [stream.usage.cached_tokens for stream in streams]
    assert cached[0] < min(cached[1:])
    assert sum(cached) == after.prompts_cached - before.prompts_cached


async def test_a_refused_image_is_whole_when_it_comes_again(
    target: Target, chest: PIL.Image.Image
) -> None:
    image = png(chest.rotate(180))
    # It is the image that makes it too long, which shows only when it has become tokens.
    request = Request("x" * 1990, (image,), GREEDY)
    async with target.open() as client:
        with pytest.raises(ClientError, match="takes 2048"):
            await client.check(request, 1)
    _, usage = await first(target, asked(image))
    assert usage.image_tokens > 0
