"""What programs' statements say besides: what whole numbers need, parts of joined arrays, systems of several heads."""

import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular

from scanproof.proofs.doors.jaxpr.programs import equation
from scanproof.proofs.statement import making, nodes
from scanproof.proofs.statement.statement import every_node
from scanproof.proofs.statement.whole import Size, spelled, whole


def fits(function, shapes):
    written = equation(function, function, shapes)
    return [f"{spelled(one.number)} ≤ {one.most}" for one in written.statement.fits]


def test_a_whole_number_that_nothing_uses_needs_not_fit():
    """A place i of T may be counted from the end: i + T is made for it, and used below 0 alone."""
    assert fits(lambda x: x[jnp.arange(x.shape[0])], {"x": "T d"}) == []


def test_a_whole_number_that_is_used_fits_at_sizes_that_are_said_also_a_product_of_them():
    most = 2**31 - 1
    assert fits(lambda x: jnp.arange(2 * x.shape[0]) * 3.0, {"x": "T"}) == [f"2·T − 1 ≤ {most}"]
    places = lambda x: jnp.arange(x.shape[0])[:, None] * x.shape[1] * 1.0  # noqa: E731
    assert fits(places, {"x": "n C"}) == [f"C·n − C ≤ {most}"]


def test_entries_of_joined_arrays_that_lie_in_one_part_are_taken_from_it():
    n, r = (whole(Size(name, 1)) for name in "nr")
    first, second = nodes.Input("a", (n * r,)), nodes.Input("b", (r,))
    both = making.joined([first, second], 0)
    assert making.rows(both, 0, n * r) is first
    assert making.rows(both, n * r, r) is second
    assert isinstance(making.rows(both, 1, n * r).of, nodes.Join)


def test_a_system_has_no_axes_of_one_head():
    def solved(A, b):
        return solve_triangular(A[None], b[None], lower=True)[0]

    written = equation(solved, solved, {"A": "n n", "b": "n d"})
    every = every_node(written.statement.nodes)
    assert [len(one.shape) for one in every if isinstance(one, nodes.Solve)] == [2]
