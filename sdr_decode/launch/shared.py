"""Ask for all candidates in one request."""

from __future__ import annotations

from clients.spec import Spec, allow_options, no_value
from sdr_decode.launch.parallel import Parallel


class Shared(Parallel):
    """One request with n=K: the prompt and its images are sent, and billed, once.

    Nobody can stop a single candidate of such a request. One that is pruned cannot win any more,
    but its tokens still come; the request is closed as soon as no candidate runs that can win.
    """

    shared = True


def from_spec(spec: Spec) -> Shared:
    no_value(spec)
    allow_options(spec)
    return Shared()
