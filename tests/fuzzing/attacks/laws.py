"""Attacks on the laws of named functions, and on the rules for what is 0 or 1."""

from typing import cast

from scanproof.proofs.interpret.terms import indicator, number, total
from scanproof.proofs.kernel.index import Index, position, size
from scanproof.proofs.kernel.laws import law, value
from scanproof.proofs.kernel.reduction import equality
from scanproof.proofs.kernel.rules import Goal
from scanproof.proofs.kernel.term import Factor, Term, apply, as_term, body, entry, function_of

from ..recipes import entries
from .making import Sides, at, once, shown, stopped_by, valued
from .rules import place_of_own

X, Y, Z = entry("X", 0), entry("Y", 0), entry("Z")


def _one(term: Term) -> Factor:
    ((m, _),) = term.parts.items()
    return m.factors[0]


def told(of: Term, which: str, place: int = 0, **names: int) -> Sides:
    """What a law says of a function's value, in numbers."""
    theorem = law(_one(of), which, place)
    return valued(of, theorem.right, {})


@stopped_by("_mirror: name not in (RELU, SOFTPLUS)")
def any_function_for_one_that_is_mirrored() -> Sides:
    return told(value("f", Z), "mirror")


@stopped_by("_scale: name not in (RELU, STEP, ZERO, ROOT)")
def any_function_for_a_homogeneous_one() -> Sides:
    return told(value("f", Z * 2), "scale")


@stopped_by("_common: not is_above_0(e, facts(of.scope))")
def any_factor_for_one_above_0() -> Sides:
    return told(value("relu", value("f", X) * Y), "common", 1)


@stopped_by("_common: name not in (RELU, STEP, ZERO)")
def any_function_of_a_product_with_exp() -> Sides:
    return told(value("f", value("exp", X * 0 + 1) * Y), "common", 1)


@stopped_by("_exp_of_log: m != _plain(f)")
def exp_of_a_sum_of_logarithms() -> Sides:
    n = size("N", 1)
    of = total(value("log", Z), position("j", 0, n))
    theorem = law(_one(value("exp", of)), "meaning")
    return valued(value("exp", of), theorem.right, at((n, 2)))


@stopped_by("_exp_of_log: function_of(f) not in (LOG, SOFTPLUS)")
def exp_of_any_function() -> Sides:
    return told(value("exp", value("f", Z)), "meaning")


@stopped_by("_meaning: name not in (LOG, INVERSE)")
def any_function_for_a_logarithm() -> Sides:
    return told(value("f", value("exp", X * 0 + 1) + value("exp", X * 0 + 2)), "meaning")


@stopped_by("_meaning: [*of.parts.values()] != [1, 1]")
def a_logarithm_of_other_multiples() -> Sides:
    return told(value("log", value("exp", X * 0 + 1) * 2 + value("exp", X * 0 + 2)), "meaning")


@stopped_by("_sum_of_exponents: any((function_of(f) != EXP for f in m.factors))")
def a_logarithm_of_other_functions() -> Sides:
    return told(value("log", value("f", Z) + value("g", Z)), "meaning")


@stopped_by("_sum_of_exponents: m != _plain(*m.factors)")
def a_logarithm_of_what_counts_at_times() -> Sides:
    n = size("N", 1)
    one, other = value("exp", X * 0 + 1), value("exp", X * 0 + 2)
    of = value("log", one + indicator(n - 2) * other)
    return valued(of, law(_one(of), "meaning").right, at((n, 1)))


@stopped_by("_beside_relu: function_of(f) != RELU")
def softplus_beside_any_function() -> Sides:
    return told(value("softplus", Z - value("f", Z) * 2), "meaning", 1)


@stopped_by("_beside_relu: (of - z + _alone(f) * 2).parts")
def softplus_beside_another_multiple() -> Sides:
    return told(value("softplus", Z - value("relu", Z) * 3), "meaning", 1)


@stopped_by("_sum: name not in TURNING")
def any_function_of_a_sum() -> Sides:
    return told(value("exp", X + Y * 2), "sum")


@stopped_by("_product: name not in (RELU, STEP)")
def any_function_of_a_product() -> Sides:
    return told(value("f", X * Y), "product", 0)


@stopped_by("_cases: function_of(p) not in (STEP, ZERO)")
def cases_of_any_number() -> Sides:
    return told(value("f", X + Y * Z), "cases", 0)


@stopped_by(
    "Rewriting.rewrite: not all((is_taken(one.substitute(images), rows) for one in theorem.logarithms))"
)
def a_logarithm_of_the_proofs_own() -> Sides:
    """exp(log Z) = Z where the problem takes no logarithm of Z, so that Z may be −1."""
    left = value("exp", value("log", Z))
    theorem = law(_one(left), "meaning")
    return shown(left, Z, {}, lambda goal: goal.rewrite(0, 0, theorem, {}))


def compared(left: Term, right: Term | int, place: int, *others: tuple[int, int]) -> Sides:
    def step(goal: Goal) -> None:
        k = next(k for k, (m, _) in goal.parts.items() if len(m.factors) == len(_first(left)))
        goal.compare(k, place, others)

    return shown(left, right, {}, step)


def _first(term: Term) -> tuple[Factor, ...]:
    ((m, _),) = term.parts.items()
    return m.factors


@stopped_by("Rewriting.compare: not {*map(function_of, (f, *every))} <= kinds")
def any_square_for_that_of_0_or_1() -> Sides:
    return compared(value("f", Z) * value("f", Z), value("f", Z), 0, (1, 1))


@stopped_by("Rewriting.compare: place in dict(others)")
def what_is_0_or_1_by_itself() -> Sides:
    return compared(value("step", Z), 1, 0, (0, 1))


@stopped_by("Rewriting.compare: len(above) > 1")
def a_difference_of_two_numbers_above_0() -> Sides:
    left = value("step", X - Y) * value("step", X) * value("step", Y)
    places = {_argument_of(f): n for n, f in enumerate(_first(left))}
    return compared(left, 0, places["XY"], (places["X"], 1), (places["Y"], -1))


def _argument_of(f: Factor) -> str:
    from scanproof.proofs.kernel.term import body

    return "".join(sorted(g.name for m, _ in body(f, 0) for g in m.factors))


@stopped_by("Rewriting.compare: rest * up < 0")
def a_number_above_1_by_one_above_0() -> Sides:
    left = value("step", X) * value("step", X - 1)
    return compared(left, value("step", X), 1, (0, 1))


@stopped_by("Rewriting.compare: (up, abs(rest)) == (0, 1)")
def above_0_for_not_below() -> Sides:
    return compared(value("step", value("relu", X)), 1, 0)


def covered(left: Term, right: Term) -> Sides:
    def step(goal: Goal) -> None:
        k = next(k for k, (m, _) in goal.parts.items() if len(m.factors) == len(_first(left)))
        goal.cover(k, 0, 1)

    return shown(left, right, {}, step)


@stopped_by("Rewriting.cover: {function_of(f), function_of(g)} != {STEP}")
def two_numbers_of_which_one_is_1() -> Sides:
    low, high = value("relu", X), value("relu", as_term(1) - X)
    return covered(low * high, low + high - 1)


@stopped_by(
    "Rewriting.cover: self._sign(made([*body(f, m.bound), *body(g, m.bound)], self.scope).parts, m) != 2"
)
def two_numbers_that_may_both_be_below_0() -> Sides:
    low, high = value("step", X), value("step", Y)
    return covered(low * high, low + high - 1)


def vanished(of: Term, kind: str, factor: Term, right: Term, place: dict[int, int]) -> Sides:
    def step(goal: Goal) -> None:
        k = next(iter(goal.parts))
        names = [f.name for f in goal.parts[k][0].factors]
        spot = next(n for n, name in enumerate(names) if name.startswith(kind))
        goal.vanish(k, spot, 0)

    return shown(value(kind, of) * factor, right, place, step)


@stopped_by("Rewriting.vanish: function_of(f) != ZERO")
def any_function_for_what_is_0_elsewhere() -> Sides:
    return vanished(Z, "f", Z, cast(Term, Z * 0), {})


@stopped_by("Rewriting.vanish: t != Monomial(m.bound, frozenset(), t.factors)")
def a_term_that_counts_at_times() -> Sides:
    n = size("N", 1)
    guarded = indicator(n - 2) * Z
    return vanished(guarded, "zero", Z, cast(Term, Z * 0), at((n, 1)))


def annulled(
    of: Term, factor: Term, square: Term, images: dict[int, Index], place: dict[int, int]
) -> Sides:
    """That zero(of) times a factor is 0, since `of` has this square."""

    def step(goal: Goal) -> None:
        ((m, _),) = goal.parts.values()
        kinds = [function_of(f) for f in m.factors]
        spot = next(n for n, kind in enumerate(kinds) if kind in ("zero", "f"))
        (squares,) = square.parts
        which = [n for n, _ in body(m.factors[spot], m.bound)].index(squares)
        goal.annul(next(iter(goal.parts)), spot, 1 - spot, which, images)

    return shown(of * factor, 0, place, step)


@stopped_by("Rewriting.annul: function_of(f) != ZERO")
def any_function_for_what_is_0_at_squares_alone() -> Sides:
    return annulled(value("f", Z * Z), Z, Z * Z, {}, {})


@stopped_by("Rewriting.annul: squares.factors != 2 * squares.factors[:1]")
def a_product_for_a_square() -> Sides:
    of = Z * value("step", Z * -1)
    return annulled(value("zero", of), Z, of, {}, {})


@stopped_by("Rewriting.annul: c <= 0")
def a_square_that_is_taken_away() -> Sides:
    of = as_term(entries("Z", ()) ** 2) - Z * Z
    return annulled(value("zero", of), Z, Z * Z, {}, {})


@stopped_by("Rewriting.annul: not seen_sign(rest, m.bound, rows)")
def a_square_beside_what_is_taken_away() -> Sides:
    of = Z * Z - entries("Z", ()) ** 2
    return annulled(value("zero", of), Z, Z * Z, {}, {})


@stopped_by("Rewriting.annul: images.keys() != {-n for n in range(m.bound + 1, squares.bound + 1)}")
def a_position_that_nothing_is_summed_over() -> Sides:
    t = position("t", 0, 9)
    square = indicator(t - 5) * entry("X", t) * entry("X", t)
    images = {t.terms[0][0]: Index(5)}
    return annulled(value("zero", square), entry("X", 5), square, images, at((t, 1)))


@stopped_by("Rewriting.annul: squares.factors[0].substitute(images) != g")
def a_factor_whose_square_is_not_there() -> Sides:
    of = value("step", Z * -1)
    return annulled(value("zero", of * of), Y, of * of, {}, {})


@stopped_by("Rewriting.annul: not all((implied(to[guard], rows) for guard in squares.guards))")
def a_factor_outside_of_the_sum_of_squares() -> Sides:
    n = size("N", 0)
    j = position("j", 0, n)
    squares = total(entry("X", j) * entry("X", j), j)
    return annulled(value("zero", squares), X, squares, {-1: Index(0)}, at((n, 0)))


@once
def a_place_of_each_row() -> Sides:
    """√ of Σ_w Σ_v zero(v − S[n, w]) Y[v]² is not that of one row."""
    n, S = place_of_own(ranged=False)
    w, v = position("w", 0, n), position("v", 0, n)
    each = apply("zero", number(v) - S(w), [w, v]) * entry("Y", v) * entry("Y", v)
    of = value("sqrt", total(total(each, v), w))
    theorem = law(_one(of), "places", 1)
    return valued(of, theorem.right, at((n, 3)))


@stopped_by("_of_product: m != _plain(*m.factors)")
def an_inverse_of_what_is_nought_before_five() -> Sides:
    t = position("t", 0, 9)
    theorem = law(_one(value("1/", indicator(t - 5) * entry("X", t))), "meaning")
    return valued(as_term(0), theorem.right, at((t, 1)))  # 1/0 is 0 if anything


@stopped_by("_met: name != ZERO")
def any_function_of_two_places() -> Sides:
    n, S = place_of_own()
    i, j = position("i", 0, n), position("j", 0, n)
    of = apply("relu", S(i) - S(j), [i, j])
    place = sorted({f for m, _ in body(_one(of), 0) for f in m.factors}).index(_one(S(i)))
    return valued(of, law(_one(of), "places", place).right, at((n, 3), (i, 2), (j, 0)))


@stopped_by("equality: function_of(left) != function_of(right)")
def two_functions_of_the_same() -> Sides:
    one, other = value("relu", Z * -1), value("step", Z * -1)
    equality(_one(one), _one(other), lambda goal, rules: None)
    return valued(one, other, {})


@stopped_by("_double: name not in TURNING")
def any_function_for_a_sine_of_twice_an_angle() -> Sides:
    return told(value("relu", Z), "double")
