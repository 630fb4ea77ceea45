"""Axes of a few places apart: the same numbers entry by entry, and what is proved only so."""

from dataclasses import replace
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from claims import claim
from entry_by_entry import by_entries
from gallery.pair import planted
from jax import lax
from test_delta_programs import same

from scanproof.proofs.check import certificate_file
from scanproof.proofs.check.all_sizes import Proof, check
from scanproof.proofs.check.certificate import Argument
from scanproof.proofs.search.all_sizes import find
from scanproof.proofs.search.proving import proving
from scanproof.proofs.statement import binding, making, nodes
from scanproof.proofs.statement.entries import MOST, entries
from scanproof.proofs.statement.errors import IllFormed
from scanproof.proofs.statement.nodes import Input
from scanproof.proofs.statement.statement import Statement, every_node, relation
from scanproof.proofs.statement.whole import Axis, Size, whole

N = whole(Size("n", 1))
X, Y, W = Input("x", (N, 3)), Input("y", (3, N, 4)), Input("w", (4, 3))
A, B = whole(Axis(0)), whole(Axis(1))


def built():
    s = binding.fresh(0, 3)
    return binding.build(s, making.take(X, (A, whole(s)), (N,)))


def looped():
    time = binding.fresh(0, N)
    (state,) = binding.placeholders([(3,)])
    step = making.entrywise("add", state, making.take(X, (whole(time), A), (3,)))
    start = making.full(making.number(0), (3,))
    made = binding.recursion(time, (state,), (start,), (making.entrywise("multiply", step, step),))
    return nodes.Loop(made, 0)


ROUND = [
    making.entrywise("floor", making.entrywise("divide", nodes.Positions(3), making.number(2))),
    making.entrywise("subtract", nodes.Positions(3), making.number(1)),
]
NODES = {
    "a function, one operand repeated": making.entrywise(
        "multiply", making.take(X, (A, 0), (N, 1)), X
    ),
    "an axis of one place": making.take(X, (A, 0), (N, 1)),
    "a column": making.take(X, (A, 2), (N,)),
    "a row of the last": making.take(X, (N - 1, A), (3,)),
    "a triangle": making.take(W, (A, B), (3, 3), [A - B]),
    "moved, 0 in front": making.take(X, (A, B - 1), (N, 3), [B - 1]),
    "a product": making.product(X, making.permuted(W, (1, 0))),
    "a product over many places": making.total(X, 0),
    "a trace": making.total(making.diagonal(making.take(W, (A, B), (3, 3)))),
    "a sum of all": making.total(Y),
    "an outer product": nodes.Contract((X, W), ((0, 1), (2, 1)), (1, 0, 2)),
    "joined": making.joined([making.take(X, (A, 1), (N, 1)), X], 1),
    "joined along the other axis": making.joined([X, X], 0),
    "stacked": making.stacked([making.row(making.permuted(X, (1, 0)), k) for k in (2, 0)]),
    "another shape": making.reshaped(W, (2, 6)),
    "another shape beside sizes": making.reshaped(Y, (3 * N, 2, 2)),
    "an entry of another shape": making.take(making.reshaped(W, (3, 2, 2)), (1, A, 0), (2,)),
    "looked up at numbers": making.lookup(W, ROUND[0]),
    "looked up at no place": making.lookup(W, ROUND[1]),
    "looked up at data": making.lookup(X, Input("i", (2,))),
    "a norm": nodes.Norm("euclidean", X),
    "a product of entries": nodes.Fold("product", making.permuted(X, (1, 0))),
    "the greatest": nodes.Fold("maximum", making.permuted(X, (1, 0))),
    "built": built(),
    "a loop": looped(),
    "the last state of a loop": making.row(looped(), N),
    "a system": making.solved(
        making.take(W, (A, B), (3, 3)), making.permuted(X, (1, 0)), unit=True
    ),
    "no places": making.total(making.take(X, (A, B), (N, 0)), 1),
}


KEPT = {"a column", "a norm", "the greatest"}
"""Nodes of which nothing is taken apart."""


def of_node(node):
    inputs = [one for one in (X, Y, W, Input("i", (2,))) if one in nodes_in(node)]
    return Statement("mine", (Size("n", 1),), tuple(inputs), (relation("equal", node, node),))


def nodes_in(node):
    return set(nodes.operands_first(node, lambda _: True)) | {X}


@pytest.mark.parametrize("name", NODES)
def test_entry_by_entry_the_numbers_are_the_same(name: str):
    rng = np.random.default_rng(0)
    for n in (1, 4):
        given = {"x": (n, 3), "y": (3, n, 4), "w": (4, 3)}
        inputs = {k: rng.normal(size=shape) for k, shape in given.items()}
        taken_apart = by_entries(NODES[name], {"n": n}, {**inputs, "i": np.array([2.0, 0.0])})
        assert taken_apart == (name not in KEPT)


def test_what_says_more_than_equations_or_has_no_such_axis_is_refused():
    one = Input("v", (N,))
    for node in (one, making.entrywise("exp", one)):
        with pytest.raises(IllFormed, match="no axis of a few places"):
            entries(of_node(node))
    bound = relation("at_most", X, X)
    with pytest.raises(IllFormed, match="more than equations"):
        entries(Statement("mine", (Size("n", 1),), (X,), (bound,)))


def test_an_array_of_more_entries_is_one_equation():
    wide, few = Input("x", (9, 3)), Input("x", (5, 3))
    assert 5 * 5 < MOST < 9 * 9
    for one, count in ((wide, 1), (few, 25)):
        said = entries(of_node(making.product(one, making.permuted(one, (1, 0)))))
        assert len(said.relations) == count
        summed = any(isinstance(n, nodes.Contract) for n in every_node(said.nodes))
        assert summed == (count == 1)


def normalised(R):
    """The axis of rotations: of the skew part, entry by entry."""
    w = jnp.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1)
    return w / jnp.sqrt(1 + jnp.sum(w * w, 1, keepdims=True))


def normalised_by_cross(R):
    """The same, by the Levi-Civita symbol."""
    i, j, k = jnp.arange(3)[:, None, None], jnp.arange(3)[:, None], jnp.arange(3)
    sign = (i - j) * (j - k) * (k - i) / 2.0
    w = jnp.einsum("kij,nji->nk", sign, R)
    return w * lax.rsqrt(1 + jnp.einsum("nk,nk->n", w, w))[:, None]


def test_what_has_no_entries_or_too_many_is_no_error():
    number, empty = Input("a", ()), Input("a", (0, 3))
    assert by_entries(making.take(nodes.Reshape(number, (1,)), (0,), ()), {}, {"a": np.array(3.0)})
    none = making.take(nodes.Reshape(empty, (3, 0)), (1, 0), (0, N))
    assert not by_entries(none, {"n": 2}, {"a": np.zeros((0, 3))})
    of = making.entrywise("exp", Input("a", (16,) * 5))
    for _ in range(5):
        of = making.total(of, -1)
    with pytest.raises(IllFormed, match="more than 20000 entries"):
        entries(Statement("mine", (), (), (relation("equal", of, of),)))


def rows(x):
    return jnp.stack([jnp.tanh(x / t) for t in (1.0, 3.0, 10.0)])


def rows_by_exp(x):
    scaled = x[None] / jnp.array([1.0, 3.0, 10.0])[:, None]
    return 1 - 2 / (jnp.exp(2 * scaled) + 1)


PAIRS = {
    "an axis of rotations": (normalised, normalised_by_cross, "R: n 3 3", "(k - i)", "(i - k)"),
    "rows of constants": (rows, rows_by_exp, "x: n", "10.0]", "9.0]"),
}


@pytest.mark.short("rows of constants")
@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_is_proved_entry_by_entry_by_a_certificate_that_says_so(name: str, tmp_path: Path):
    one, other, given, right, wrong = PAIRS[name]
    row = claim(*same(one, other, given), sizes={"n": (1, 2)})
    certificate = find(row).certificate
    assert certificate.apart
    file = tmp_path / "certificate.json"
    file.write_text(certificate_file.written(Argument(row.id, (certificate,))))
    assert certificate_file.read(file, row.id) == Argument(row.id, (certificate,))
    assert isinstance(check(row, certificate, proving), Proof)
    assert not isinstance(check(row, replace(certificate, apart=False), proving), Proof)
    wrong_one = claim(*same(one, planted(other, right, wrong), given), sizes={"n": (1, 2)})
    assert isinstance(find(wrong_one), str)
