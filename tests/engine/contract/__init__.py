"""What the client of the engine in this process does, as every client of a server does it.

The engine is real. Faults are put between it and the client, on outputs that it really writes.
"""

import pytest

IN_PROCESS = [
    pytest.mark.engine,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(300),
    pytest.mark.parametrize("reporter", ["process"], indirect=True),
]
