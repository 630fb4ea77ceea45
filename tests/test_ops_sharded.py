"""The sharded op on nine devices, which are one processor, and in two processes that talk over the loopback."""

import json
import math
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from sharded_on_devices import CHECKS, draw

from scanproof.constructs.errors import UsageError
from scanproof.numeric.ops.chunked import chunked
from scanproof.numeric.ops.sharded import sharded

HERE = Path(__file__).parent
PATIENCE = 300
"""Seconds for a process that needs ten on a quiet machine."""


def started(script: str, *arguments: object) -> subprocess.Popen[str]:
    """A script of this folder in a process of its own, with as many devices as it asks for."""
    command = [sys.executable, HERE / script, *map(str, arguments)]
    environment = {k: v for k, v in os.environ.items() if k not in ("XLA_FLAGS", "JAX_ENABLE_X64")}
    environment["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"  # to compile took most of the time
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment)


def printed(processes: list[subprocess.Popen[str]]) -> list[dict]:
    """The JSON objects that the processes print last; none of them outlives this."""
    try:
        ends = [process.communicate(timeout=PATIENCE) for process in processes]
    finally:
        for process in processes:
            process.kill()
    for process, (_, errors) in zip(processes, ends, strict=True):
        assert process.returncode == 0, errors
    return [json.loads(output.splitlines()[-1]) for output, _ in ends]


@pytest.fixture(scope="module")
def verdicts(request: pytest.FixtureRequest) -> dict[str, str]:
    """What those checks on nine devices say that are asked for, in one process."""
    asked = [item for item in request.session.items if isinstance(item, pytest.Function)]
    names = [i.callspec.params["name"] for i in asked if i.originalname == "test_on_nine_devices"]
    return printed([started("sharded_on_devices.py", 9, *names)])[0]


@pytest.mark.short("one_decay_for_all_tokens")
@pytest.mark.parametrize("name", CHECKS)
def test_on_nine_devices(verdicts: dict[str, str], name: str):
    assert verdicts[name] == ""


@pytest.mark.parametrize("decay", [math.nan, math.inf, [0.0, -1.0, math.nan]])
def test_a_decay_that_is_no_number_is_refused(decay):
    v, k = np.ones((3, 2)), np.ones((3, 1))
    with pytest.raises(UsageError, match=r"sharded\(log_decay=...\) expects logarithms of decays"):
        sharded(v, k, k, log_decay=np.array(decay, dtype=np.float32))


@pytest.mark.long
def test_in_two_processes():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    both = printed([started("sharded_in_processes.py", address, 2, place) for place in (0, 1)])
    for found in both:
        assert (found["devices"], found["local"]) == (4, 2)
        assert max(found["shares"]) <= 1
        assert found["total"] and found["state"]


@pytest.mark.long
def test_the_page_s_script_shares_a_sequence_between_two_processes():
    """And the page shows what it does and prints."""
    docs = HERE.parent / "docs"
    page = (docs / "machines.md").read_text(encoding="utf-8")
    script = docs / "examples" / "sharded.py"
    block = re.findall(r"```python\n(.*?)```", page, re.S)
    assert block and all(code in script.read_text(encoding="utf-8") for code in block)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    both = [started(str(script), address, 2, place) for place in (0, 1)]
    try:
        ends = [process.communicate(timeout=PATIENCE) for process in both]
    finally:
        for process in both:
            process.kill()
    lines = [output.splitlines()[-1] for output, _ in ends]
    assert [process.returncode for process in both] == [0, 0], ends
    assert lines[0] in page
    assert lines[1] == lines[0].replace("machine 0", "machine 1")


def test_on_one_device_it_is_the_chunked_op():
    tokens = draw(7)
    mesh = jax.sharding.Mesh(np.asarray(jax.devices()[:1]), ("any name",))
    found, wanted = sharded(**tokens, mesh=mesh, chunk=4), chunked(**tokens, chunk=4)
    assert np.array_equal(found.outputs, wanted.outputs)
    assert np.array_equal(found.final_state, wanted.final_state)
