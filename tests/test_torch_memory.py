"""Functions for torch compute in nodes what torch computes, also where several names share memory, or are not read."""

import inspect

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("einops")

import torch_aliases  # noqa: E402
import torch_functions  # noqa: E402
from torch_read import as_it_is_read, as_torch_runs_it  # noqa: E402

from scanproof.proofs.doors.aten.writing import Writes  # noqa: E402
from scanproof.proofs.doors.refused import Refused  # noqa: E402
from scanproof.proofs.statement import making  # noqa: E402
from scanproof.proofs.statement.nodes import Input  # noqa: E402

EPS = 2.0**-52


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


@pytest.mark.short(8, without=("[prefixes]",))  # dear
@pytest.mark.parametrize("name", functions_of(torch_functions))
def test_nodes_of_a_function_are_what_torch_computes(name):
    function = getattr(torch_functions, name)
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(-2, 2, shape) for shape in ((4, 6), (4, 6), (4, 6, 6))]
    expect_same(as_it_is_read(function, arrays), as_torch_runs_it(function, arrays))


REFUSED = {
    "exchanged_in_an_outer_loop",
    "exchanged_then_written",
    "kept_state_in_place",
    "list_changed",
    "listed_state",
    "negative_place",
    "part_augmented",
    "part_of_part",
    "place_before_the_first",
    "reshaped",
    "row_view_before_the_loop",
    "slices_past_the_end",
    "state_under_another_name",
    "swapped_views",
    "written_then_anew",
}
"""What is refused where a size is a symbol: loops, and places that lie in an array at some sizes only."""


@pytest.mark.short(32)
@pytest.mark.parametrize("name", functions_of(torch_aliases))
def test_memory_that_is_shared_is_never_read_as_something_else(name):
    function = getattr(torch_aliases, name)
    arrays = [np.random.default_rng(k).uniform(-2, 2, (4, 4)) for k in (0, 1)]
    wanted = as_torch_runs_it(function, arrays)
    expect_same(as_it_is_read(function, arrays), wanted)
    try:
        found = as_it_is_read(function, arrays, over_sizes=True)
    except Refused:
        assert name in REFUSED
        return
    assert name not in REFUSED
    expect_same(found, wanted)


def test_a_part_that_is_written_where_it_was_leaves_the_array_as_it_is():
    writes, first, rest = Writes(), Input("x", (1,)), Input("y", (3,))
    array = making.joined([first, rest], 0)
    assert writes.written(array, {0: (0, 1)}, first) is array
    assert writes.written(array, {0: (0, 1)}, Input("z", (1,))) is not array
