"""What `prove` takes torch's functions for is what torch computes."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scanproof.proofs.interpret.programs.torch.table import RULES
from scanproof.proofs.interpret.programs.torch.targets import as_jax
from scanproof.proofs.interpret.questions import Unreadable

torch = pytest.importorskip("torch", reason="the facade is compared with torch")
pytest.importorskip("einops", reason="the facade is compared with einops")

FILE = Path(__file__).with_name("torch_functions.py")
EPS = 2.0**-52


FOUND = runpy.run_path(str(FILE), run_name="torch_functions")


@pytest.fixture(autouse=True)
def in_float64():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


NAMES = [n for n, f in FOUND.items() if inspect.isfunction(f) and f.__module__ == "torch_functions"]


def flat(value):
    if isinstance(value, tuple | list):
        return [leaf for one in value for leaf in flat(one)]
    return [np.asarray(value)]


@pytest.mark.short(3)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_a_function_of_the_facade_computes_what_torch_computes(name: str, seed: int):
    rng = np.random.default_rng(seed)
    arrays = [rng.uniform(-2, 2, shape) for shape in ((4, 6), (4, 6), (4, 6, 6))]
    wanted = flat(FOUND[name](*map(torch.from_numpy, [a.copy() for a in arrays])))
    with jax.enable_x64(True):
        found = flat(as_jax(FILE, "torch_functions", name)(*map(jnp.asarray, arrays)))
    assert [a.shape for a in found] == [a.shape for a in wanted]
    assert [a.dtype.kind for a in found] == [a.dtype.kind for a in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        ours, theirs = ours.astype(float), theirs.astype(float)
        size = 1 + np.abs(theirs).max(initial=0)
        assert np.abs(ours - theirs).max(initial=0) <= 2**10 * EPS * size


@pytest.mark.long
def test_every_function_that_the_facade_knows_is_compared():
    text = FILE.read_text()
    names = [n.removeprefix("linalg_") for n in RULES]
    assert [n for n in names if not re.search(rf"\b{re.escape(n)}_?\b", text)] == []


TOTAL = """

def total(found):
    if isinstance(found, tuple | list):
        return sum((k + 1) * total(one) for k, one in enumerate(found))
    if not isinstance(found, torch.Tensor) or not found.is_floating_point():
        return 0
    return (found * (torch.arange(found.numel()).reshape(found.shape) % 7 + 1)).sum()
"""
SLOPES = """

def slopes_of_{name}(x, y, z):
    def loss(x, y, z):
        return total({name}(x, y, z)) + 0 * x.sum()

    return torch.func.grad(loss, argnums=(0, 1, 2))(x, y, z)
"""
NOT_DIFFERENTIATED = {
    "extremes": "the derivative of min along an axis",
    "moments_of_no_axes": "the derivative of var or std with no axes",
    "stopped": ".data in a derivative of a derivative",
}


@pytest.fixture(scope="module")
def slopes(tmp_path_factory):
    """A module with the gradient of every function of the file."""
    file = tmp_path_factory.mktemp("slopes") / "torch_slopes.py"
    text = FILE.read_text() + TOTAL + "".join(SLOPES.format(name=name) for name in NAMES)
    file.write_text(text)
    return file, runpy.run_path(str(file), run_name="torch_slopes")


@pytest.mark.short("formats")
@pytest.mark.parametrize("name", NAMES)
def test_a_slope_is_torchs_also_at_zeros_ties_and_bounds(name: str, slopes):
    file, functions = slopes
    rng = np.random.default_rng(len(name))
    x, y, z = (rng.integers(-2, 3, shape) / 2.0 for shape in ((4, 6), (4, 6), (4, 6, 6)))
    x[1], x[2], x[3], y[0] = 0, 0.5, x[2], x[0]
    facade = as_jax(file, "torch_slopes", f"slopes_of_{name}")
    with jax.enable_x64(True):
        if name in NOT_DIFFERENTIATED:
            with pytest.raises(Unreadable, match=NOT_DIFFERENTIATED[name]):
                facade(*map(jnp.asarray, (x, y, z)))
            return
        found = facade(*map(jnp.asarray, (x, y, z)))
    wanted = functions[f"slopes_of_{name}"](*(torch.tensor(one) for one in (x, y, z)))
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-9, atol=1e-9)


ALIASES = Path(__file__).with_name("torch_aliases.py")
REFUSED = {
    "view_written", "base_written", "transposed", "reshaped", "cast_same", "part_of_part", "methods",
    "swapped_views", "row_view_before_the_loop",
}  # fmt: skip
"""What is refused where sizes are numbers, and loops Python's own."""
SYMBOLIC = {
    "written_then_anew", "listed_state",
    "dictionary", "list_changed", "exchanged_then_written",
    "exchanged_in_an_outer_loop", "state_under_another_name", "slices_past_the_end", "counted_by_a_helper",
    "names_exchanged", "one_name_for_two",
    "counted_by_an_object", "counted_by_a_dictionary", "counted_by_an_iterator", "first_of_the_list_written",
}  # fmt: skip
"""What is refused besides where a loop runs over a size."""


def alias_functions():
    found = runpy.run_path(str(ALIASES))
    return {n: f for n, f in found.items() if inspect.isfunction(f)}


def computed_as_torch_does(name: str, over_sizes: bool) -> bool:
    """False if the facade refuses the function; an error if it computes something else."""
    arrays = [np.random.default_rng(k).uniform(-2, 2, (4, 4)) for k in (0, 1)]
    wanted = flat(alias_functions()[name](*map(torch.from_numpy, [a.copy() for a in arrays])))
    program = as_jax(ALIASES, "torch_aliases", name)
    with jax.enable_x64(True):
        given = list(map(jnp.asarray, arrays))
        try:
            if over_sizes:
                shapes = jax.export.symbolic_args_specs(given, "n, 4", constraints=["n >= 2"])
                program = jax.export.export(jax.jit(program))(*shapes).call
            found = flat(program(*given))
        except Unreadable:
            return False
    assert [a.shape for a in found] == [a.shape for a in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        assert np.abs(ours - theirs).max() <= 2**10 * EPS * (1 + np.abs(theirs).max())
    return True


@pytest.mark.short("item_of_a_list_augmented", "counted_by_an_iterator", "backwards")
@pytest.mark.parametrize("name", alias_functions())
def test_memory_that_is_shared_is_never_read_as_something_else(name: str):
    assert computed_as_torch_does(name, over_sizes=False) == (name not in REFUSED)


@pytest.mark.short(5)
@pytest.mark.parametrize("name", alias_functions())
def test_nor_in_loops_over_sizes(name: str):
    assert computed_as_torch_does(name, over_sizes=True) == (name not in REFUSED | SYMBOLIC)
