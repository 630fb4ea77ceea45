"""Loops for PyTorch whose turns reach tensors by closures, objects and partial functions."""

import functools
import math
import types

import pytest

pytest.importorskip("torch")

import torch

from scanproof.proofs.decide.proving import prove
from scanproof.proofs.doors.aten.program import inputs, read
from scanproof.proofs.doors.aten.validity import VALID
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.statement.whole import Size, whole

SHAPES = "x: T d, W: d d"
T, d = whole(Size("T", 1)), whole(Size("d", 1))


class Cell:
    def __init__(self, W):
        self.W = W

    def step(self, h, row):
        return h @ self.W + row


def states(step, x):
    h, out = torch.zeros(x.shape[1]), []
    for t in range(x.shape[0]):
        h = step(h, x[t])
        out.append(h)
    return torch.stack(out)


def of_closure(x, W):
    return states(lambda h, row: h @ W + row, x)


def of_method(x, W):
    return states(Cell(W).step, x)


def of_partial(x, W):
    return states(functools.partial(lambda W, h, row: h @ W + row, W.clone()), x)


def of_namespace(x, W):
    layer = types.SimpleNamespace(project=lambda h: torch.nn.functional.linear(h, W.T))
    return states(lambda h, row: layer.project(h) + row, x)


def of_slope(x, W):
    return torch.func.grad(lambda W: of_method(x, W).sum())(W)


def in_batches(x, W):
    """Each of a batch by `vmap`, with one row of one token."""
    return torch.func.vmap(lambda row: of_closure(row[None], W)[0])(x)


def plainly(x, W):
    h, out = torch.zeros(x.shape[1]), []
    for row in x:
        h = h @ W + row
        out.append(h)
    return torch.stack(out)


def slope(x, W):
    return torch.func.grad(lambda W: plainly(x, W).sum())(W)


def rows(x, W):
    return x


EQUAL = [
    *((one, plainly) for one in (of_closure, of_method, of_partial, of_namespace)),
    (of_slope, slope),
    (in_batches, rows),
]


@pytest.mark.short("of_closure")
@pytest.mark.parametrize(("one", "other"), EQUAL, ids=lambda one: one.__name__)
def test_a_loop_that_reaches_tensors_by_objects_is_proved(one, other):
    found = prove(one, shapes=SHAPES, equals=other, framework="torch").result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


def kept_by_object(x, W):
    """Reads and writes the state by an attribute."""
    held = types.SimpleNamespace(h=torch.zeros(x.shape[1]))
    return states(lambda h, row: held.h.mul_(0.5).add_(row).clone(), x)


def seen_by_object(x, W):
    """The object's array shares memory with the state, of which PyTorch keeps no account."""
    h = torch.zeros(x.shape[1])
    held, out = types.SimpleNamespace(h=h.data), []
    for t in range(x.shape[0]):
        h.add_(x[t])
        out.append(held.h * 1)
    return torch.stack(out)


def written_at_first(x, W):
    """The first turn alone writes into a row of the matrix that the closure has."""
    held = types.SimpleNamespace(W=W.clone())
    h, out = held.W[0], []
    for t in range(x.shape[0]):
        h.mul_(2)
        h = h + x[t] @ held.W
        out.append(h)
    return torch.stack(out)


@pytest.mark.short("[written_at_first]")
@pytest.mark.parametrize("name", [kept_by_object, seen_by_object, written_at_first])
def test_what_turns_write_into_objects_is_not_followed(name):
    with pytest.raises(Refused, match="not followed"):
        read(name, inputs({"x": (T, d), "W": (d, d)}))


def divergence(x, y):
    normal = torch.distributions.Normal
    return torch.distributions.kl_divergence(normal(x, 1.0), normal(y, 1.0))


def half_a_square(x, y):
    return (x - y) ** 2 / 2


def checked(x, y):
    torch.distributions.Normal(x, 1.0, validate_args=True)
    return half_a_square(x, y)


@pytest.mark.long
def test_a_distribution_has_its_density_where_its_arguments_are_valid():
    def likelihood(x, mean, deviation):
        return torch.distributions.Normal(mean, deviation).log_prob(x)

    def density(x, mean, deviation):
        square = (x - mean) ** 2 / (2 * deviation**2)
        return -square - torch.log(deviation) - math.log(2 * math.pi) / 2

    shapes = "x: N, mean: N, deviation: N"
    found = prove(likelihood, shapes=shapes, equals=density).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason
    wrong = prove(
        likelihood, shapes=shapes, equals=lambda x, m, s: density(x, m, s) - math.log(2) / 2
    ).result
    assert wrong.verdict == "refuted"


@pytest.mark.long
def test_a_program_that_catches_what_a_distribution_raises_runs_as_it_is():
    def twice_if_invalid(x, deviation):
        try:
            return torch.distributions.Normal(x, deviation).mean
        except ValueError:
            return 2 * x

    def never_valid(x):
        return twice_if_invalid(x, -torch.ones_like(x))

    always = prove(never_valid, shapes="x: N", equals=lambda x: 2 * x).result
    assert always.verdict != "refuted", always.reason
    shapes = "x: N, deviation: N"
    sometimes = prove(twice_if_invalid, shapes=shapes, equals=lambda x, deviation: x).result
    assert sometimes.verdict == "refuted"


@pytest.mark.long
def test_arguments_of_distributions_are_taken_as_valid_and_the_answer_says_so():
    found = prove(divergence, shapes="x: N, y: N", equals=half_a_square).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes")
    assert VALID in [text for entry in found.evidence for text in entry.get("assumes", ())]
    own = torch.distributions.Distribution
    assert own._validate_args and own.__init__.__name__ == "__init__"


def test_a_check_that_a_program_asks_for_is_not_taken_to_pass():
    found = prove(checked, shapes="x: N, y: N", equals=half_a_square).result
    assert found.verdict == "unknown" and "a number of an array is asked" in found.reason
