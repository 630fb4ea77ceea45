"""What refutes programs that are not read: the smallest sizes, plain inputs, ties, and literals of the text."""

import json

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from refutation_cases import EQUAL, LATE, OTHER, window

from scanproof.proofs.decide.as_it_runs.comparing import SHORT, Comparison
from scanproof.proofs.decide.as_it_runs.rounding import apart
from scanproof.proofs.decide.as_it_runs.sides import Side
from scanproof.proofs.language.sizes import names, shapes_in


def comparison(shapes, *functions):
    dims = list(shapes_in(shapes).values())
    sides = [Side(function, is_for_torch=True) for function in functions]
    return Comparison(sides, dims, dict.fromkeys(names(dims), (1,)))


@pytest.mark.parametrize("name", EQUAL)
def test_equal_programs_are_not_told_apart(name):
    runs = comparison("x: n", *EQUAL[name]).run(SHORT)
    assert runs.different is None and runs.held


def test_a_number_that_is_0_in_the_narrower_of_two_formats_is_no_difference():
    """Of weights in float32 beside ones in float64 those of 10⁻⁵⁰ are 0."""
    in_its_own, in_single = (
        lambda x, sigma: window(x, sigma, x.dtype),
        lambda x, sigma: window(x, sigma, torch.float32),
    )
    runs = comparison("x: n, sigma:", in_its_own, in_single).run()
    assert runs.different is None and runs.held


@pytest.mark.parametrize("name", OTHER)
def test_other_programs_are_told_apart_by_the_plainest_inputs_of_the_smallest_sizes(name):
    shapes, one, other, inputs = OTHER[name]
    found = comparison(shapes, one, other).run().different
    assert found is not None
    assert [array.tolist() for array in found.inputs] == inputs


@pytest.mark.parametrize("name", LATE)
def test_programs_that_differ_from_a_size_in_their_text_on_are_told_apart_there(name):
    one, other, size = LATE[name]
    both = comparison("x: n", one, other)
    found = both.run_at_literals().different
    assert found is not None and found.sizes == {"n": size}
    assert np.count_nonzero(found.actual != found.claimed) > 0


def by_transforms(x, kernel):
    n = 2 * len(kernel)
    both = torch.fft.rfft(x, n=n) * torch.fft.rfft(kernel, n=n)
    return torch.fft.irfft(both, n=n)[..., : len(kernel)]


def shifted(x, kernel):
    """The same for the kernel 0, 0, 0, 1, 0."""
    return torch.cat([torch.zeros_like(x[:, :3]), x[:, :2]], dim=1)


@pytest.mark.parametrize("factor, told", [(1.0, False), (1.0 + 1e-5, True)])
def test_what_fourier_transforms_lose_where_they_are_0_is_rounding(factor, told):
    sides = [Side(one, is_for_torch=True) for one in (by_transforms, shifted)]
    arrays = [np.array([[1.0, 1, 1, 6, 5], [-1, -2, 3, 2, 4]]), np.array([0.0, 0, 0, 1, 0])]
    own, known = (side.run(arrays, "float64") for side in sides)
    found = apart(sides, arrays, "float64", False, [[one * factor for one in own], known])
    assert (found is not None) == told


def test_what_overflows_inside_an_operation_is_no_difference():
    """Squares of 2⁶⁴ are none of float32's numbers: PyTorch's norm gives 0 then, and no infinity."""

    def norm(x):
        assert x.dtype == torch.float32
        return torch.nn.functional.layer_norm(x, x.shape)

    sides = [
        Side(norm, is_for_torch=True),
        Side(lambda x: (x - x.mean()) / 2.0**64, is_for_torch=True),
    ]
    arrays = [2.0**64 * np.array([1.0, -1.0, 1.0, -1.0])]
    results = [side.run(arrays, "float32") for side in sides]
    assert not np.allclose(*(found for (found,) in results))
    assert apart(sides, arrays, "float32", False, results) is None


@pytest.mark.long
def test_programs_that_are_not_read_and_differ_are_refuted_with_exit_code_1(
    run, tmp_path, monkeypatch
):
    (tmp_path / "in_order_or_not.py").write_text(
        "import torch\n\n\ndef in_order(x):\n    return torch.sort(x).values\n\n\n"
        "def same(x):\n    return x\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    call = (
        "prove",
        "in_order_or_not:in_order",
        "--equals",
        "in_order_or_not:same",
        "--shapes",
        "x: n",
    )
    answer = run(*call, "--format", "json")
    assert answer.code == 1
    told = json.loads(answer.out)
    assert (told["verdict"], told["evidence"][0]["engine"]) == ("refuted", "float32")
    assert told["counterexample"]["inputs"] == {"x": ["2", "1"]}
