"""False bounds that were once proved: loops without a turn, the wrong dimension, a tampered certificate."""

from fractions import Fraction

import pytest
from test_bound_engine import claim, proved

from scanproof import at_most, build, definition, each
from scanproof.constructs.arrays.norms import absolute, norm, operator_norm
from scanproof.proofs.decide.certificates import Certificates
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.inequalities.certificate import Piece, Use
from scanproof.proofs.kernel.index import position_number, variable
from scanproof.proofs.kernel.term import Monomial
from scanproof.proofs.search.bounds import goals


@definition
def same(x):
    return x


# A condition on every turn of a loop says nothing at sizes where the loop has none: C = −1 meets it at n = 0.


def rows_of_a_loop(x, C, n):
    return [at_most(norm(x[t]), C) for t in each(0, n - 1)]


def vanishing_terms(x, C, n):
    return [at_most(0 * x[t, 0], C) for t in each(0, n - 1)]


def a_right_side_with_the_row(x, C, n):
    return [at_most(0, C + 0 * x[t, 0]) for t in each(0, n - 1)]


@pytest.mark.long
@pytest.mark.parametrize("condition", [rows_of_a_loop, vanishing_terms, a_right_side_with_the_row])
@pytest.mark.parametrize("least", [0, 1])
def test_a_loop_that_may_have_no_turn_gives_no_sign(condition, least: int):
    fields = {"sizes": {"n": (least, 2), "d": (1, 2)}, "assuming": {"in each row": condition}}
    sign = lambda C: at_most(0, same(C))  # noqa: E731
    assert proved(sign, {"x": "n d", "C": ""}, **fields) == (least == 1)
    scaled = lambda y, C: at_most(absolute(C * same(y)), C * absolute(y))  # noqa: E731
    assert proved(scaled, {"x": "n d", "y": "n+1", "C": ""}, **fields) == (least == 1)


def test_a_loop_that_ends_at_a_number_may_have_no_turn():
    """At n = 4 there is no t with n ≤ t ≤ 3, so that C = −1 meets the condition."""
    bounded = {"C ≥ 0 at each t": lambda C, n: [at_most(0, C) for _ in each(n, 3)]}
    body = lambda x, C: at_most(0, same(C))  # noqa: E731
    assert not proved(body, {"x": "n", "C": ""}, assuming=bounded)


# Blocks of a larger array: place i + a of it is coordinate a of block i.


@pytest.mark.long
@pytest.mark.parametrize("dimension", ["n", "d"])
def test_the_dimension_of_a_trace_is_that_of_the_block(dimension: str):
    """With n = 1, d = 2 and the unit matrix for the block, trace 2 is more than n ‖T‖."""

    def blocks(T, n, d):
        return build(T.__array_namespace__(), n, lambda i: T[i, i : i + d, i : i + d])

    def traces(T, b, n, d, xp):
        times = n if dimension == "n" else d
        return at_most(absolute((blocks(same(T), n, d) * xp.eye(d)).sum()), b * n * times)

    given = {"T": "n n+d n+d", "b": ""}
    small = {"‖T_i‖ ≤ b": lambda T, b, n, d: at_most(operator_norm(blocks(T, n, d)), b)}
    assert proved(traces, given, assuming=small) == (dimension == "d")


# A proof file can only make a proof fail.


@pytest.mark.long
def test_a_certificate_cannot_capture_the_index_of_a_sum(tmp_path, monkeypatch):
    """That rows have sums ≥ 0 says nothing of the trace: of Σ_b y[a, b] ≥ 0 nothing follows with b for a."""

    def captured(rest, known, squares=False):
        (gap,) = known.gaps
        (a,), (n,) = gap.over, (v for v in rest.scope if v not in gap.over)
        b = variable(-1)
        assert position_number(variable(a))
        inside = Monomial(0, frozenset([b, variable(n) - b - 1]), ())
        return [Piece(Fraction(1), inside, (Use(gap.number, ((a, b),)),))]

    rows = {"Σ_b y_ab ≥ 0": lambda y: at_most(0, y.sum(axis=1))}
    body = lambda y, xp, n: at_most(0, (same(y) * xp.eye(n)).sum())  # noqa: E731
    one = claim(body, {"y": "n n"}, assuming=rows)
    monkeypatch.setattr(goals, "certificate", captured)
    result = decide(one, ENGINES["kernel"], Certificates(tmp_path, read=False, write=True))
    assert result.verdict == "unknown"
    assert "bound index" in (result.reason or "")


# Bounds of some rows, or of the other axis, and of arrays that may have no rows.


ROW = {"‖x_0‖ ≤ C": lambda x, C: at_most(norm(x[0]), C)}
ROWS = {"‖x_i‖ ≤ C": lambda x, C: at_most(norm(x), C)}


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "given", "assuming"),
    [
        (lambda x, C: at_most(norm(same(x)), C), {"x": "n+1 d", "C": ""}, ROW),
        (lambda x, C: at_most(norm(same(x).T), C), {"x": "n n", "C": ""}, ROWS),
        (lambda x, C: at_most(operator_norm(same(x)), C), {"x": "n n", "C": ""}, ROWS),
        (lambda x, C, n: at_most(norm(same(x) @ x[0]), C**2), {"x": "n+1 d", "C": ""}, ROWS),
    ],
)
def test_a_bound_is_not_used_for_more_than_it_says(body, given, assuming):
    assert not proved(body, given, assuming=assuming)
