"""Each schema of inequalities is refused where its side condition does not hold, on terms made by hand."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from scanproof.proofs.inequalities.absolute import absolute
from scanproof.proofs.inequalities.certificate import (
    Certificate,
    Combined,
    Concluded,
    Given,
    Induction,
    Itself,
    Majorised,
    Piece,
    Placed,
    Plan,
    Read,
    Rewritten,
    Scaled,
    Side,
    Sign,
    Squared,
    Timed,
    Use,
)
from scanproof.proofs.inequalities.check import Rules, Shown, check
from scanproof.proofs.inequalities.statements import Inequality, Problem, Refused
from scanproof.proofs.interpret.terms import indicator, total
from scanproof.proofs.kernel import index
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import Index, position, size, variable
from scanproof.proofs.kernel.term import Factor, Monomial, Term, apply, as_term, entry
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.proving import proving

ONE = Monomial(0, frozenset(), ())
ZERO = as_term(0)


def v(e: Index) -> int:
    return e.terms[0][0]


class World:
    """Some arrays: rows x_i of norms ≤ C, a matrix B, numbers y_i ≥ 0, and vectors inside of z."""

    def __init__(self) -> None:
        self.n, self.d = size("n", 1), size("d", 1)
        n, d = self.n, self.d
        self.i, self.a, self.b = position("i", 0, n), position("a", 0, d), position("b", 0, d)
        self.k, self.l = position("k", 0, d), position("l", 0, d)
        self.j, self.r = position("j", 0, self.i + 1), position("r")
        self.e, self.f = (position("e", 0, self.i - 3) for _ in range(2))
        i, a, b = self.i, self.a, self.b
        self.C, self.t = entry("C"), position("t", 0)
        self.hypotheses = (
            Inequality("norm", (v(a),), entry("x", i, a), self.C),
            Inequality("operator", (v(a), v(b)), entry("B", a, b), entry("b")),
            Inequality("", (), ZERO, entry("y", i)),
            Inequality("norm", (v(a),), entry("z", i + a), self.C),
            Inequality("absolute", (), entry("y", i), entry("D")),
            Inequality("", (), ZERO, entry("s")),
            Inequality("absolute", (), entry("u"), total(entry("c", self.r, a), a)),
            Inequality("absolute", (), entry("w", i, self.j), self.C),
            Inequality("operator", (v(self.e), v(self.f)), entry("M", i, self.e, self.f), self.C),
            Inequality("absolute", (), entry("h") * Fraction(1, 2), self.C),
        )
        self.problem = Problem(self.hypotheses, ("",) * len(self.hypotheses), ())

    def rules(self) -> Rules:
        rules = Rules(self.problem, show)
        for number in range(len(self.hypotheses)):
            rules.take(Given(number))
        return rules

    def rows(self, of: Index | int, along: Index | int) -> Use:
        """‖x_i‖ ≤ C with indices for i and a."""
        return Use(0, ((v(self.i), Index(0) + of), (v(self.a), Index(0) + along)))

    def matrix(self, one: Index, other: Index) -> Use:
        return Use(1, ((v(self.a), one), (v(self.b), other)))

    def bounded(self, left: Term, *ends: Index, plan: Plan, measure: str = "") -> Majorised:
        measure = measure or ("absolute", "norm", "operator")[len(ends)]
        return Majorised(measure, tuple(map(v, ends)), left, (plan,))


B1, B2 = variable(-1), variable(-2)
Step = Callable[[World], Any]
HOLDS: dict[str, Step] = {
    "a row": lambda w: w.bounded(
        entry("x", 0, w.k), w.k, plan=Plan(False, (-1,), (w.rows(0, B1),), ())
    ),
    "a product": lambda w: w.bounded(
        total(entry("B", w.k, w.l) * entry("x", 0, w.l), w.l),
        w.k,
        plan=Plan(False, (-1, -2), (w.matrix(B2, B1), w.rows(0, B1)), ()),
    ),
    "an inner product": lambda w: w.bounded(
        total(entry("x", 0, w.l) * entry("x", 0, w.l), w.l),
        plan=Plan(False, (-1,), (w.rows(0, B1), w.rows(0, B1)), ()),
    ),
    "a diagonal": lambda w: w.bounded(
        entry("B", w.k, w.l) * indicator(w.k - w.l, w.l - w.k),
        w.k,
        w.l,
        plan=Plan(True, (), (w.matrix(B2, B2),), ()),
    ),
    "a sign": lambda w: Combined(
        (Piece(Fraction(2), Monomial(0, frozenset(), (Factor("y", (Index(0),)),))),),
        (),
        (Sign(Factor("y", (Index(0),)), Use(2, ((v(w.i), Index(0)),))),),
    ),
    "a known sum": lambda w: Combined(
        (Piece(Fraction(1), ONE, (Use(2, ((v(w.i), Index(0)),)),)),), ()
    ),
    "a placed row": lambda w: Placed(0, ((v(w.i), Index(0)),)),
    "itself": lambda w: Itself(absolute(Factor("y", (Index(0),)))),
    "a multiple": lambda w: Scaled(0, Fraction(-2)),
}
REFUSED: dict[str, tuple[str, Step]] = {
    "a row that is not there": (
        "outside the range",
        lambda w: w.bounded(
            entry("x", w.n, w.k), w.k, plan=Plan(False, (-1,), (w.rows(w.n, B1),), ())
        ),
    ),
    "a row that may not be there in the region": (
        "outside the range",
        lambda w: w.bounded(
            total(entry("x", w.i - 1, w.k) * indicator(w.i - 1), w.i),
            w.k,
            plan=Plan(False, (-2,), (w.rows(B1 - 1, B2),), (B1, w.n - 1 - B1)),
        ),
    ),
    "a column for a row": (
        "not an end of the norm",
        lambda w: w.bounded(
            total(entry("x", w.i, 0) * entry("x", w.i, 0), w.i),
            plan=Plan(False, (-1,), (w.rows(B1, 0), w.rows(B1, 0)), ()),
        ),
    ),
    "a coordinate through which block it is": (
        "not an end of the norm",
        lambda w: w.bounded(
            total(entry("z", w.i) * entry("z", w.i), w.i),
            plan=Plan(False, (-1,), (Use(3, ((v(w.i), B1), (v(w.a), Index(0)))),) * 2, ()),
        ),
    ),
    "a matrix cut along its diagonal": (
        "of two coordinates",
        lambda w: w.bounded(
            total(entry("B", w.k, w.l) * entry("x", 0, w.l) * indicator(w.k - w.l), w.l),
            w.k,
            plan=Plan(False, (-1, -2), (w.matrix(B2, B1), w.rows(0, B1)), ()),
        ),
    ),
    "a matrix cut and called a diagonal": (
        "diagonal is none",
        lambda w: w.bounded(
            entry("B", w.k, w.l) * indicator(w.k - w.l),
            w.k,
            w.l,
            plan=Plan(True, (), (w.matrix(B2, B2),), ()),
        ),
    ),
    "a diagonal with what is not a norm along it": (
        "along an axis",
        lambda w: w.bounded(
            entry("B", w.k, w.l) * entry("w", w.k) * indicator(w.k - w.l, w.l - w.k),
            w.k,
            w.l,
            plan=Plan(True, (), (w.matrix(B2, B2), None), ()),
        ),
    ),
    "a coordinate in three places": (
        "does not join two",
        lambda w: w.bounded(
            total(entry("x", 0, w.l) * entry("x", 0, w.l) * entry("x", 0, w.l), w.l),
            plan=Plan(False, (-1,), (w.rows(0, B1),) * 3, ()),
        ),
    ),
    "a coordinate in one place": (
        "does not join two",
        lambda w: w.bounded(
            total(entry("x", 0, w.l), w.l), plan=Plan(False, (-1,), (w.rows(0, B1),), ())
        ),
    ),
    "every second entry": (
        "in steps",
        lambda w: w.bounded(
            total(entry("x", 0, w.l * 2) * indicator(w.d - 1 - w.l * 2), w.l),
            plan=Plan(False, (-1,), (w.rows(0, B1 * 2),), ()),
        ),
    ),
    "a factor that nothing is known of": (
        "along an axis",
        lambda w: w.bounded(
            total(entry("w", w.l) * entry("x", 0, w.l), w.l),
            plan=Plan(False, (-1,), (None, w.rows(0, B1)), ()),
        ),
    ),
    "an absolute value along an axis": (
        "along an axis",
        lambda w: w.bounded(
            total(
                Term({Monomial(0, frozenset(), (absolute(Factor("x", (Index(0), w.l))),)): Fraction(1)}, [v(w.l)])
                * entry("x", 0, w.l),
                w.l,
            ),
            plan=Plan(False, (-1,), (w.rows(0, B1), w.rows(0, B1)), ()),
        ),
    ),
    "a bound of another factor": (
        "none of w",
        lambda w: w.bounded(
            entry("w", 0, w.k), w.k, plan=Plan(False, (-1,), (w.rows(0, B1),), ())
        ),
    ),
    "a bound of half of it": (
        "not an entry",
        lambda w: w.bounded(entry("h"), plan=Plan(False, (), (Use(9),), ())),
    ),
    "a bound of a factor of what the absolute value is taken of": (
        "not an entry",
        lambda w: w.bounded(
            apply("abs", entry("u") * entry("w"), []), plan=Plan(False, (), (Use(6),), ())
        ),
    ),
    "a bound with an index that is bound nowhere": (
        "not there",
        lambda w: w.bounded(
            total(entry("u") * entry("g", w.l), w.l),
            plan=Plan(False, (), (None, Use(6, ((v(w.r), B2),))), (B1, w.d - 1 - B1)),
        ),
    ),
    "an end with two coordinates": (
        "two coordinates",
        lambda w: w.bounded(
            total(total(entry("x", 0, w.k - w.l) * indicator(w.k - w.l), w.l), w.k),
            plan=Plan(False, (-1, -2), (w.rows(0, B2 - B1),), ()),
        ),
    ),
    "a range that hangs on an index that is put": (
        "stays speaks of one that goes",
        lambda w: w.bounded(
            entry("w", 0, w.j), plan=Plan(False, (), (Use(7, ((v(w.i), Index(0)),)),), ())
        ),
    ),
    "such a range where an index is placed": (
        "stays speaks of one that goes",
        lambda w: Placed(7, ((v(w.i), Index(0)),)),
    ),
    "fewer summands": (
        "leaves something out",
        lambda w: w.bounded(
            total(entry("g", w.l), w.l), plan=Plan(False, (), (None,), (B1 - 1, w.d - 1 - B1))
        ),
    ),
    "a region that depends on a coordinate": (
        "depends on a coordinate",
        lambda w: w.bounded(
            total(entry("x", 0, w.l) * entry("x", 0, w.l), w.l),
            plan=Plan(False, (-1,), (w.rows(0, B1), w.rows(0, B1)), (B1,)),
        ),
    ),
    "a dimension below 0": (
        "dimension is not known",
        lambda w: w.bounded(
            total(entry("M", 0, w.l, w.l) * indicator(w.l * -1 - 4), w.l),
            plan=Plan(
                *(False, (-1,)),
                (Use(8, ((v(w.i), Index(0)), (v(w.e), B1), (v(w.f), B1))),),
                *((), ((0, v(w.e)),)),
            ),
        ),
    ),
    "a monomial for its absolute value": (
        "not measured",
        lambda w: Majorised("absolute", (), entry("g", 0), (None,)),
    ),
    "a sign for a norm": (
        "without a norm",
        lambda w: w.bounded(
            entry("y", 0), plan=Plan(False, (), (Use(2, ((v(w.i), Index(0)),)),), ())
        ),
    ),
    "a trace as large as a norm": (
        "a dimension for each trace",
        lambda w: w.bounded(
            total(entry("B", w.l, w.l), w.l), plan=Plan(False, (-1,), (w.matrix(B1, B1),), ())
        ),
    ),
    "a sign of what is not there": (
        "may be negative",
        lambda w: Combined(
            (Piece(Fraction(1), Monomial(0, frozenset(), (Factor("y", (w.n,)),))),),
            (v(w.n),),
            (Sign(Factor("y", (w.n,)), Use(2, ((v(w.i), w.n),))),),
        ),
    ),
    "a sign of another": (
        "may be negative",
        lambda w: Combined(
            (Piece(Fraction(1), Monomial(0, frozenset(), (Factor("u", ()),))),),
            (),
            (Sign(Factor("u", ()), Use(5)),),
        ),
    ),
    "a known sum of what is not there": (
        "outside the range",
        lambda w: Combined(
            (Piece(Fraction(1), ONE, (Use(2, ((v(w.i), w.n),)),)),), (v(w.n),)
        ),
    ),
    "a known sum with an index that is bound nowhere": (
        "bound index that is not there",
        lambda w: Combined((Piece(Fraction(1), ONE, (Use(2, ((v(w.i), B1),)),)),), ()),
    ),
    "a norm for a known sum": (
        "of the form",
        lambda w: Combined((Piece(Fraction(1), ONE, (Use(4),)),), (v(w.i),)),
    ),
    "a row placed where there is none": (
        "outside the range",
        lambda w: Placed(0, ((v(w.i), w.n),)),
    ),
    "an index that speaks of an end": ("speaks of an end", lambda w: Placed(0, ((v(w.i), w.a),))),
    "an index twice": (
        "not a variable",
        lambda w: Placed(0, ((v(w.i), Index(0)), (v(w.i), Index(1)))),
    ),
    "a negative multiple of a sum": ("keep the order", lambda w: Scaled(2, Fraction(-1))),
    "squares of a matrix": ("does not allow", lambda w: Read(1, "square")),
    "no squared norm for the whole": (
        "what is not a vector",
        lambda w: Squared(2, 2, 1, ZERO),
    ),
    "another square": ("left over", lambda w: Squared(5, 5, 0, entry("x", w.i, w.a))),
    "another rest": (
        "left over",
        lambda w: Concluded(0, 5, w.C),
    ),
    "another side": ("left over", lambda w: Rewritten(0, None, Side(w.C * 2))),
    "no absolute value": ("no absolute value", lambda w: Itself(Factor("y", (w.i,)))),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLDS)
def test_a_schema_is_taken_where_its_conditions_hold(name: str):
    with proving():
        world = World()
        rules = world.rules()
        rules.take(HOLDS[name](world))
        assert len(rules.facts) == len(world.hypotheses) + 1


@pytest.mark.parametrize("name", REFUSED)
def test_a_schema_is_refused_where_a_condition_does_not(name: str):
    why, step = REFUSED[name]
    with proving():
        world = World()
        rules = world.rules()
        with pytest.raises(KernelError, match=why):
            rules.take(step(world))


# Statements that make no sense.


def end_in_a_range(w: World) -> Any:
    """The norm along i of what speaks of j ≤ i."""
    return Inequality("norm", (v(w.i),), entry("x", w.i, w.j), w.C)


def end_on_the_right(w: World) -> Any:
    return Inequality("norm", (v(w.a),), entry("x", w.i, w.a), entry("c", w.a))


def ends_that_hang_together(w: World) -> Any:
    return Inequality("operator", (v(w.i), v(w.j)), entry("B", w.i, w.j), w.C)


def end_without_an_end(w: World) -> Any:
    return Inequality("norm", (v(w.t),), entry("x", 0, w.t), w.C)


def matrix_with_one_end(w: World) -> Any:
    return Inequality("operator", (v(w.a),), entry("B", w.a, w.b), w.C)


def sum_with_an_end(w: World) -> Any:
    return Inequality("", (v(w.a),), entry("x", w.i, w.a), w.C)


@pytest.mark.parametrize(
    "statement",
    [
        *(end_in_a_range, end_on_the_right, ends_that_hang_together, end_without_an_end),
        *(matrix_with_one_end, sum_with_an_end),
    ],
)
def test_an_inequality_that_makes_no_sense_is_none(statement: Callable[[World], Any]):
    with proving(), pytest.raises(Refused):
        statement(World())


# Values of which there may be none.


@pytest.mark.parametrize("least", [0, 1])
def test_what_holds_for_each_of_no_rows_says_nothing(least: int):
    """Of ‖x_i‖ ≤ C for all i < n follows 0 ≤ C where there is a row."""
    with proving():
        n, d = size("n", least), size("d", 1)
        i, a = position("i", 0, n), position("a", 0, d)
        given = Inequality("norm", (v(a),), entry("x", i, a), entry("C"))
        goal = Inequality("", (), ZERO, entry("C"))
        problem = Problem((given,), ("",), (goal,))
        steps = Given(0), Read(0, "right"), Placed(1, ((v(i), Index(0)),))
        with pytest.raises(Refused, match="other variables"):
            check(problem, Certificate(problem, steps[:2], (1,)), show)
        if least:
            assert isinstance(check(problem, Certificate(problem, steps, (2,)), show), Shown)
        else:
            with pytest.raises(Refused, match="outside the range"):
                check(problem, Certificate(problem, steps, (2,)), show)


def test_a_range_that_only_an_end_speaks_of_counts():
    """‖(F_a)_{a ≤ i}‖ ≤ C for all i < n: with no i there is no such inequality."""
    with proving():
        n = size("n", 0)
        i = position("i", 0, n)
        a = position("a", 0, i + 1)
        one = Inequality("norm", (v(a),), entry("F", a), entry("C"))
        assert one.variables == {v(i)}


# Inductions.


def induction(w: World, statement: Callable[[Index], Any], when: Index, time: Index, *steps: Any):
    """An induction whose start and step are what steps show, the last two."""
    rules = w.rules()
    one = Timed(v(when), statement(when))
    start = Combined((), tuple(sorted(one.statement.variables - {one.when})))
    rules.take(start)
    known = len(rules.facts)
    rules.take(Induction(v(time), (one,), (known - 1,), steps, (known + len(steps),)))
    return rules


@pytest.mark.parametrize(
    ("ends", "why"),
    [
        (((0, 3), (0, 3)), "another last one"),
        (((0, 3), (0, 4)), "another last one"),
        (((1, 4), (1, 3)), "start at 0"),
        (((0, None), (0, 3)), "another last one"),
        (((0, 4), (0, None)), "another last one"),
    ],
)
def test_an_induction_runs_from_0_to_the_length_of_its_claims(ends: Any, why: str):
    """Of what holds at the times before one length nothing follows for a longer one."""
    with proving():
        world = World()
        when, time = (position("t", low, high) for low, high in ends)
        with pytest.raises(Refused, match=why):
            induction(world, lambda t: Inequality("", (), ZERO, entry("S", t)), when, time)


def test_a_norm_along_its_time_is_no_claim_of_an_induction():
    with proving():
        world = World()
        when, time = position("t", 0, world.d + 1), position("t", 0, world.d)
        one = Inequality("norm", (v(when),), entry("S", when), world.C)
        with pytest.raises(Refused, match="at no time"):
            induction(world, lambda t: one, when, time)


def test_an_induction_speaks_of_a_time_of_its_own():
    with proving():
        world = World()
        when, time = position("t", 0), position("t", 0)
        both = lambda t: Inequality("", (), ZERO, entry("S", t, time))  # noqa: E731
        with pytest.raises(Refused, match="something else"):
            induction(world, both, when, time)


def test_a_range_must_not_speak_of_an_induction_s_time():
    with proving():
        world = World()
        when, time = position("t", 0), position("t", 0)
        below = position("r", 0, when + 1)
        one = lambda t: Inequality("", (), ZERO, entry("S", t, below))  # noqa: E731
        with pytest.raises(Refused, match="speaks of the time"):
            induction(world, one, when, time)


def test_an_induction_s_hypothesis_gives_no_sign_along_a_norm():
    """Of 0 ≤ S_τ at the one time τ nothing follows for the entries S_τ of a vector."""
    with proving():
        d = size("d", 1)
        when, time = position("t", 0, d + 1), position("t", 0, d)
        given = Inequality("", (), ZERO, entry("S", 0))
        rules = Rules(Problem((given,), ("",), ()), show)
        rules.take(Given(0))
        one, left = Factor("S", (time,)), entry("S", time)
        size_of = Term({Monomial(0, frozenset(), (absolute(one),)): Fraction(1)}, left.scope)
        ends = (B1, d - 1 - B1)
        inner = (
            Majorised("norm", (v(time),), size_of, (Plan(False, (), (None,), ends),)),
            Rewritten(2, Side(left, 1, 0), None, (Sign(one, Use(1)),)),
        )
        claim = Timed(v(when), Inequality("", (), ZERO, entry("S", when)))
        with pytest.raises(Refused, match="speaks of an end"):
            rules.take(Induction(v(time), (claim,), (0,), inner, (3,)))


def test_an_induction_s_hypothesis_bounds_no_other_time():
    with proving():
        d = size("d", 1)
        when, time = position("t", 0, d + 1), position("t", 0, d)
        given = Inequality("absolute", (), entry("S", 0), entry("C"))
        rules = Rules(Problem((given,), ("",), ()), show)
        rules.take(Given(0))
        use = Use(1, ((v(time), Index(0)),))
        inner = Majorised("absolute", (), entry("S", 0), (Plan(False, (), (use,), ()),))
        claim = Timed(v(when), Inequality("absolute", (), entry("S", when), entry("C")))
        with pytest.raises(Refused, match="an index too many"):
            rules.take(Induction(v(time), (claim,), (0,), (inner,), (2,)))


def test_no_theorem_about_inequalities_is_made_by_hand():
    with proving():
        problem = World().problem
        with pytest.raises(Refused, match="by `check` only"):
            Shown(problem, Certificate(problem, (), ()), (), (), {}, {})


def test_a_certificate_is_of_what_is_declared_now():
    """In another registry the same numbers are other variables: equations of it are none here."""
    with proving():
        world = World()
        term = entry("x", world.i, world.a)
        old = show(term, term)
        index.start_afresh()
        again = World()
        rules = Rules(again.problem, lambda left, right: old)
        rules.take(Given(0))
        with pytest.raises(Refused, match="no theorem"):
            rules.take(Rewritten(0, Side(term * 2), None))
