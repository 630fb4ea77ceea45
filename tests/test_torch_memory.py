"""Functions for torch compute in nodes what torch computes, also where several names share memory, or are not read."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("einops")

import torch_aliases  # noqa: E402
import torch_functions  # noqa: E402
from torch_read import as_it_is_read, as_torch_runs_it  # noqa: E402

from scanproof.proofs.doors.refused import Refused  # noqa: E402

EPS = 2.0**-52
OF_DATA: dict[str, str] = {}
"""Functions that are not read, with what is said of them."""


def functions_of(module):
    every = inspect.getmembers(module, inspect.isfunction)
    return {name: one for name, one in every if one.__module__ == module.__name__}


def expect_same(found, wanted):
    assert [one.shape for one in found] == [one.shape for one in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        theirs = theirs.astype(float)
        seen = np.isfinite(theirs)
        size = 1 + np.abs(theirs[seen]).max(initial=0)
        assert np.abs(ours - theirs)[seen].max(initial=0) <= 2**10 * EPS * size


@pytest.mark.short(8)
@pytest.mark.parametrize("name", functions_of(torch_functions))
def test_nodes_of_a_function_are_what_torch_computes(name):
    function = getattr(torch_functions, name)
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(-2, 2, shape) for shape in ((4, 6), (4, 6), (4, 6, 6))]
    if name in OF_DATA:
        with pytest.raises(Refused, match=OF_DATA[name]):
            as_it_is_read(function, arrays)
        return
    torch.set_default_dtype(torch.float64)
    try:
        wanted = as_torch_runs_it(function, arrays)
    finally:
        torch.set_default_dtype(torch.float32)
    expect_same(as_it_is_read(function, arrays), wanted)


REFUSED: set[str] = set()
"""What is refused where a loop runs over a size."""


@pytest.mark.short(8)
@pytest.mark.parametrize("name", functions_of(torch_aliases))
def test_memory_that_is_shared_is_never_read_as_something_else(name):
    function = getattr(torch_aliases, name)
    arrays = [np.random.default_rng(k).uniform(-2, 2, (5, 4)) for k in (0, 1)]
    try:
        wanted = as_torch_runs_it(function, arrays)
    except RuntimeError:  # for matrices with 4 rows alone
        arrays = [one[:4] for one in arrays]
        wanted = as_torch_runs_it(function, arrays)
    expect_same(as_it_is_read(function, arrays), wanted)
    try:
        found = as_it_is_read(function, arrays, len(arrays[0]))
    except Refused:
        assert name in REFUSED
        return
    assert name not in REFUSED
    expect_same(found, wanted)
