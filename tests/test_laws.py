"""Laws of named functions: each holds at random numbers, and so does what the search makes of terms by them."""

import itertools
import math
import random
import zlib
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from fuzzing.attacks.rules import place_of_own
from fuzzing.hostile import Values

from scanproof.proofs.interpret.evaluate import Evaluator, function_value
from scanproof.proofs.interpret.terms import (
    indicator,
    inverse,
    number,
    positions_in,
    substitute,
    taken,
    total,
)
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import Index, facts, position, size, variable
from scanproof.proofs.kernel.index import place as taken_at
from scanproof.proofs.kernel.laws import CONDITIONAL, EVEN, LAWS, ODD, TURNING, guards_of, law
from scanproof.proofs.kernel.recursion import Recursion, new_state
from scanproof.proofs.kernel.rules import Rewriting, is_taken
from scanproof.proofs.kernel.signs import is_above_0, seen_sign
from scanproof.proofs.kernel.term import (
    INVERSE_NUMBER,
    NUMBER,
    Factor,
    Monomial,
    Term,
    apply,
    as_term,
    body,
    entry,
    function_of,
)
from scanproof.proofs.search.normal import normalise, simplified
from scanproof.proofs.search.proving import proving
from scanproof.proofs.search.session import current

NAMES = ("relu", "step", "zero", "softplus", "exp", "log", "sqrt", "tanh", "sin", "cos")
NUMBERS = [Fraction(n, 2) for n in range(-4, 5)]
NEAR = 1e-9


def some(rng: random.Random, depth: int) -> Term:
    """A random term in three numbers, with these functions."""
    kind = rng.choice(("entry", "entry", "number", "add", "add", "times", "function", "function"))
    if depth == 0 or kind == "entry":
        return entry(rng.choice("XYZ"), 0) * rng.choice((1, 1, -1, 2))
    if kind == "number":
        return as_term(rng.choice((1, -1, 2, Fraction(1, 2))))
    if kind == "function":
        return of_a_function(rng.choice(NAMES), some(rng, depth - 1))
    one, other = some(rng, depth - 1), some(rng, depth - 1)
    return one + other if kind == "add" else one * other


def of_a_function(name: str, of: Term) -> Term:
    return taken(name, of, positions_in(of))


def worth(term: Term, numbers: dict[str, Any]) -> float | None:
    """The value; None where there is none, or it is too large to be compared."""
    evaluator = Evaluator(lambda name, _: numbers[name], current(), function_value)
    try:
        found = float(evaluator.value(term, {}))
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return found if abs(found) < 1e6 and math.isfinite(found) else None


def points(rng: random.Random, count: int = 12) -> list[dict[str, Any]]:
    return [{name: rng.choice(NUMBERS) for name in "XYZ"} for _ in range(count)]


def agree(one: Term, other: Term, rng: random.Random) -> bool:
    for numbers in points(rng):
        left, right = worth(one, numbers), worth(other, numbers)
        if left is not None and right is not None and abs(left - right) > NEAR * (1 + abs(left)):
            return False
    return True


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_every_law_holds_at_random_numbers(seed):
    rng, used = random.Random(seed), set()
    for _ in range(400):
        with proving():
            of = of_a_function(rng.choice((*NAMES, "1/")), some(rng, 2))
            ((m, _),) = of.parts.items()
            for which, place in itertools.product((*LAWS, *CONDITIONAL), range(3)):
                try:
                    theorem = law(m.factors[0], which, place)
                except (KernelError, LookupError, ValueError):
                    continue
                used.add(which)
                assert agree(of, theorem.right, rng), (which, place)
    assert used == {*LAWS, *CONDITIONAL} - {"guards", "places"}


def _drawn(name: str, spots: tuple[int, ...]) -> Fraction:
    return 1 + Fraction(zlib.crc32(f"{name}{spots}".encode()) % 9, 9)


@pytest.mark.parametrize("name", ["sqrt", "tanh", "exp", "log", "1/", "zero"])
def test_a_function_of_what_is_looked_up_is_that_of_each_entry_at_its_place(name):
    with proving():
        n, place = place_of_own()
        i, k, w, l = (position(letter, 0, n) for letter in "ikwl")
        hit = lambda at: apply("zero", number(at) - place(i), [i, at])  # noqa: E731
        looked_up = total(hit(k) * entry("X", k) * entry("X", k), k)
        beside = total(total(hit(w) * entry("V", w, l) * entry("W", l), w), l)
        of = apply(name, looked_up + 2 * beside + entry("Z", i) * 3, [i])
        ((m, _),) = of.parts.items()
        inside = sorted({f for one, _ in body(m.factors[0], 0) for f in one.factors})
        places = [number for number, f in enumerate(inside) if function_of(f) == "zero"]
        assert places
        for number_of in places:
            right = law(m.factors[0], "places", number_of).right
            ((only, _),) = right.parts.items()
            assert only.bound == 1
            assert len(only.factors) == 2
            for length, row in ((1, 0), (2, 0), (3, 1), (4, 3)):
                here = {n.terms[0][0]: length, i.terms[0][0]: row}
                values = Evaluator(_drawn, current(), function_value)
                one, other = (float(values.value(side, here)) for side in (of, right))
                assert one == pytest.approx(other)


@pytest.mark.parametrize("name", [*NAMES, "1/", "f"])
def test_a_function_of_what_a_guard_is_before_is_known_by_two_cases(name):
    with proving():
        n = size("N", 1)
        i, k, l = (position(letter, 0, n) for letter in "ikl")
        joined = indicator(k - i - 1) * entry("X", i) + indicator(i - k) * entry("X", k)
        summed = total(indicator(l - i, i - k) * entry("X", l), l)
        of = apply(name, joined + summed + entry("Z", k) * 3, [i, k])
        ((m, _),) = of.parts.items()
        every = guards_of(body(m.factors[0], 0))
        assert len(every) == 2
        for place, (row, column) in itertools.product(
            range(2), itertools.product(range(3), repeat=2)
        ):
            right = law(m.factors[0], "guards", place).right
            here = {n.terms[0][0]: 3, i.terms[0][0]: row, k.terms[0][0]: column}
            values = Evaluator(_drawn, current(), lambda f, of: _value_of(f, of))
            one, other = (float(values.value(side, here)) for side in (of, right))
            assert one == pytest.approx(other)


def _value_of(name: str, of: Any) -> Any:
    return math.sin(of) + of if name == "f" else function_value(name, of)


def test_a_sum_of_values_of_exp_is_above_0_where_it_has_a_term():
    with proving():
        n, empty = size("N", 1), size("M", 0)
        i, l = position("i", 0, n), position("l", 0, n)
        m = position("m", 0, empty)
        up, rows = apply("exp", entry("X", l), [l]), facts([*i.variables()])
        of_none = apply("exp", entry("X", m), [m])
        sums = {
            "over n ≥ 1": (total(up, l), True),
            "from i < n on": (total(up * indicator(l - i), l), True),
            "up to i": (total(up * indicator(i - l), l), True),
            "below i, of which there may be none": (total(up * indicator(i - l - 1), l), False),
            "over m ≥ 0": (total(of_none, m), False),
            "over m ≥ 0, and over n ≥ 1": (total(of_none, m) + total(up, l), True),
            "from which there is one taken": (total(up, l) - up * indicator(l), False),
            "of numbers": (total(entry("X", l), l), False),
            "of indices, the first of which is 0": (total(number(l), l), False),
            "of indices below 0": (total(number(l) - 5, l), False),
        }
        for name, (of, is_above) in sums.items():
            for function in ("1/", "sqrt"):
                free = {v for part in of.parts for v in part.variables() if v > 0}
                order = [one for one in (i, l) if one.variables() <= free]
                ((part, _),) = apply(function, of, order).parts.items()
                assert is_above_0(part.factors[0], rows) is is_above, name


def test_a_logarithm_of_a_share_is_a_difference_of_logarithms():
    with proving():
        n = size("N", 1)
        k, l = (position(letter, 0, n) for letter in "kl")
        share = apply("1/", total(apply("exp", entry("X", l), [l]), l), [])
        for name in ("log", "relu", "step", "zero"):
            of = apply(name, total(entry("Y", k), k) * share, [])
            ((m, _),) = of.parts.items()
            inside = sorted({f for one, _ in body(m.factors[0], 0) for f in one.factors})
            place = [function_of(f) for f in inside].index("1/")
            right = law(m.factors[0], "common", place).right
            values = Evaluator(_drawn, current(), function_value)
            one, other = (float(values.value(side, {n.terms[0][0]: 3})) for side in (of, right))
            assert one == pytest.approx(other)
            assert name in {function_of(f) for part in right.parts for f in part.factors}


def test_two_places_are_one_if_some_number_is_both():
    with proving():
        n, place = place_of_own()
        i, j = position("i", 0, n), position("j", 0, n)
        for rest, row, other in ((place(j), 2, 2), (place(j), 2, 1), (entry("X") + 1, 2, 0)):
            of = apply("zero", 2 * place(i) - 2 * rest, [i, j])
            ((m, _),) = of.parts.items()
            inside = sorted({f for one, _ in body(m.factors[0], 0) for f in one.factors})
            own = [f.name in current().recursions and f.at[1] == i for f in inside].index(True)
            right = law(m.factors[0], "places", own).right
            here = {n.terms[0][0]: 3, i.terms[0][0]: row, j.terms[0][0]: other}
            values = Evaluator(lambda *_: Fraction(1), current(), function_value)
            assert values.value(of, here) == values.value(right, here) == int(row == (other or 2))


def test_nothing_is_looked_up_where_there_may_be_no_place():
    with proving():
        n = size("N", 0)
        state, time, k = new_state("S", [], []), position("t", 0, n), position("k", 0, n)
        always, before = apply("step", number(time) + 1, [time]), state.entry(time, [])
        after = number(time) * always + before - always * before
        Recursion(time, [state], [as_term(0)], [after])
        hit = apply("zero", number(k) - state.entry(n, []), [k])
        ((m, _),) = apply("f", total(hit * entry("X", k), k), []).parts.items()
        with pytest.raises(KernelError):
            law(m.factors[0], "places", 1)


def test_an_inverse_of_a_product_with_an_inverse_is_a_quotient():
    """Where the product is not 0, what it is of is not 0, and no other number."""
    with proving():
        x, y = entry("X", 0), entry("Y", 0)
        of = apply("1/", 2 * x * apply("1/", y, []), [])
        ((m, _),) = of.parts.items()
        taken_at(m.factors[0].name, [])
        right = law(m.factors[0], "meaning").right
        numbers = {"X": Fraction(3), "Y": Fraction(5), "Z": Fraction(1)}
        assert worth(right, numbers) == pytest.approx(5 / 6)
        for inside, is_not_0 in ((x, True), (y + x, False)):
            ((other,),) = [one.factors for one in apply("1/", inside, []).parts]
            assert is_taken(other, frozenset()) == is_not_0


@pytest.mark.parametrize("name", [*ODD, *EVEN])
def test_functions_are_odd_or_even_as_the_kernel_says(name):
    if name == "zero":
        return
    value = getattr(math, name)
    for x in (0.25, 0.75):
        assert value(-x) == pytest.approx(-value(x) if name in ODD else value(x))


def test_terms_that_are_one_at_equal_positions_are_added():
    """log(exp(X[a] + X[b])) is 2 X[t] at a = b = t, and was X[t]: a false theorem."""
    with proving():
        a, b, t = (position(name, 0) for name in "abt")
        exp = apply("exp", entry("X", a) + entry("X", b), [a, b])
        of = apply("log", substitute(exp, {a: t, b: t}), [t])
        ((m, _),) = of.parts.items()
        right = law(m.factors[0], "common").right
        assert right == entry("X", t) * 2 + apply("log", as_term(1), [])


def _one(term: Term) -> Factor:
    ((m, _),) = term.parts.items()
    return m.factors[0]


def test_a_logarithm_in_an_exponent_is_not_of_a_number_above_0():
    """log(exp(log X) A) = log X + log A takes log A, and said so of log X: relu(X) = X followed for all X."""
    with proving():
        i = position("i", 0)
        log = apply("log", entry("X", i), [i])
        exp = apply("exp", log, [i])
        of = taken("log", exp * (1 + entry("Y", i) * entry("Y", i)), [i])
        right = law(_one(of), "common", 1).right
        logarithms = [f for m in right.parts for f in m.factors if function_of(f) == "log"]
        assert {f: is_taken(f, facts([i.terms[0][0]])) for f in logarithms} == {
            f: f != _one(log) for f in logarithms
        }
        assert len(logarithms) == 2


def test_what_is_divided_by_at_equal_positions_is_not_at_others():
    with proving():
        a, b, i = (position(name, 0) for name in "abi")
        inverse_of = _one(apply("1/", 1 + entry("X", a) - entry("X", b), [a, b]))
        taken_at(inverse_of.name, (i, i))
        known = facts([v for e in (a, b) for v in e.variables()])
        assert is_taken(Factor(inverse_of.name, (a, a)), known)
        assert not is_taken(inverse_of, known)


def sigmoids(rng: random.Random) -> Term:
    """A sum of products of sigmoids, softplus and exp of these, of X, Y and X + Y."""
    total = as_term(0)
    for _ in range(rng.randint(1, 3)):
        term = as_term(rng.choice((1, -1, 2)))
        for _ in range(rng.randint(1, 3)):
            z = rng.choice((entry("X", 0), entry("Y", 0), entry("X", 0) + entry("Y", 0)))
            z = z * rng.choice((1, -1, 2))
            kind = rng.choice(("1/", "exp", "softplus", "both"))
            if kind == "1/":
                term = term * of_a_function("1/", of_a_function("exp", z) + 1)
            elif kind == "both":
                of = of_a_function("softplus", z) * rng.choice((1, -1, -2)) + z * rng.choice((0, 1))
                term = term * of_a_function("exp", of)
            else:
                term = term * of_a_function(kind, z)
        total = total + term
    return total


def test_the_inverse_of_two_exponentials_is_one_exponential():
    rng = random.Random(0)
    with proving():
        one, other = (of_a_function("exp", entry(name, 0)) for name in "XY")
        of = of_a_function("1/", one + other)
        ((m, _),) = of.parts.items()
        right = law(m.factors[0], "meaning").right
        assert [function_of(f) for n in right.parts for f in n.factors] == ["exp"]
        assert agree(of, right, rng)
        for wrong in (one - other, one + other * 2, one + entry("Z", 0), one + other + 1):
            ((m, _),) = of_a_function("1/", wrong).parts.items()
            with pytest.raises(KernelError):
                law(m.factors[0], "meaning")


@pytest.mark.parametrize("name", TURNING)
def test_of_quarter_turns_the_sine_and_cosine_are_whole(name):
    with proving():
        eighth = of_a_function("atan", as_term(1))
        for turns in range(-9, 10):
            ((m, _),) = of_a_function(name, eighth * turns).parts.items()
            if turns % 2:
                with pytest.raises(KernelError):
                    law(m.factors[0], "value")
            elif turns:
                right = law(m.factors[0], "value").right
                assert right == as_term(round(getattr(math, name)(turns * math.pi / 4)))
        for other in (of_a_function("atan", as_term(2)) * 2, of_a_function("tanh", as_term(1)) * 2):
            ((m, _),) = of_a_function(name, other).parts.items()
            with pytest.raises(KernelError):
                law(m.factors[0], "value")


LOGARITHMS = {
    "1/5": lambda exp: as_term(Fraction(1, 5)),
    "2/3": lambda exp: as_term(Fraction(2, 3)),
    "1 − 1/(1 + exp(X))": lambda exp: as_term(1) - of_a_function("1/", exp + 1),
}
OTHERS = {
    "1 − 1/(1 + 2 exp(X))": lambda exp: as_term(1) - of_a_function("1/", exp * 2 + 1),
    "1 − 2/(1 + exp(X))": lambda exp: as_term(1) - of_a_function("1/", exp + 1) * 2,
    "1 − 1/(2 + exp(X))": lambda exp: as_term(1) - of_a_function("1/", exp + 2),
    "1 − 1/(1 + X)": lambda exp: as_term(1) - of_a_function("1/", entry("X", 0) + 1),
    "1 + 1/(1 + exp(X))": lambda exp: as_term(1) + of_a_function("1/", exp + 1),
    "2 − 1/(1 + exp(X))": lambda exp: as_term(2) - of_a_function("1/", exp + 1),
    "1 − exp(X)/(1 + exp(X))": lambda exp: as_term(1) - of_a_function("1/", exp + 1) * exp,
}


def logarithm(of: Any, which: str) -> tuple[Term, Any]:
    found = of_a_function("log", of(of_a_function("exp", entry("X", 0))))
    ((m, _),) = found.parts.items()
    return found, law(m.factors[0], which)


@pytest.mark.parametrize("name", LOGARITHMS)
def test_a_logarithm_is_worth_what_its_law_says(name):
    with proving():
        found, theorem = logarithm(LOGARITHMS[name], "meaning" if "X" in name else "value")
        assert theorem.right != found and agree(found, theorem.right, random.Random(0))


@pytest.mark.parametrize("name", OTHERS)
def test_of_a_logarithm_that_only_looks_so_nothing_is_said(name):
    with proving(), pytest.raises((KernelError, ValueError)):
        logarithm(OTHERS[name], "meaning")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_sigmoids_in_exponents_are_worth_what_they_were(seed):
    rng = random.Random(seed)
    for _ in range(25):
        with proving() as session:
            session.in_exponents = True
            term = sigmoids(rng)
            work = Rewriting(term)
            normalise(work)
            found = work.term()
            assert agree(term, found, rng)
            values = {function_of(f) for m in found.parts for f in m.factors}
            assert "1/" not in values


@pytest.mark.short("0-False-False", "1-True-False", "2-True-True")
@pytest.mark.parametrize("by_cases", [False, True])
@pytest.mark.parametrize("in_exponents", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_normal_form_is_worth_what_the_term_is(seed, by_cases, in_exponents):
    rng = random.Random(seed)
    for _ in range(25):
        with proving() as session:
            session.by_cases, session.in_exponents = by_cases, in_exponents
            term = some(rng, 3)
            work = Rewriting(term)
            try:
                normalise(work)
            except KernelError:
                continue
            assert agree(term, work.term(), rng)


def test_a_law_of_another_function_is_refused():
    with proving():
        ((m, _),) = of_a_function("exp", entry("X", 0)).parts.items()
        for which in ("mirror", "scale", "value", "no such law"):
            with pytest.raises(KernelError):
                law(m.factors[0], which)
        assert function_of(m.factors[0]) == "exp"
        with pytest.raises(KernelError):
            law(Factor("X", ()), "mirror")


def combination(rng: random.Random) -> Term:
    """A sum of numbers, their multiples and 1, with whole factors."""
    parts = [entry(name, 0) * rng.randint(-2, 2) for name in "XYZ"]
    return sum(parts, start=as_term(rng.randint(-2, 2)))


def test_a_sum_of_squares_is_seen_to_be_no_less_than_0():
    rng = random.Random(1)
    with proving():
        for _ in range(40):
            squares = [combination(rng) for _ in range(rng.randint(1, 4))]
            total = sum((one * one for one in squares), start=as_term(0))
            assert seen_sign(total.parts.items())
            assert seen_sign((total + 1).parts.items()) == 2
            assert not seen_sign((total * -1 - 1).parts.items())


def test_a_number_is_seen_to_be_no_less_than_0_where_its_range_says_so_and_its_inverse_if_it_is_not_0():
    with proving():
        n = size("N", 0)
        rows = facts({n.terms[0][0]})
        for e, times, over in ((n, 1, 0), (n + 1, 1, 1), (n - 1, 0, 0)):
            for name, seen in ((NUMBER, times), (INVERSE_NUMBER, over)):
                squares = entry("X", 0) * entry("X", 0) * entry(name, e)
                assert seen_sign(squares.parts.items(), rows=rows) == seen, (name, e)
                assert seen_sign(squares.parts.items()) == 0


def test_n_squares_are_seen_to_be_no_less_than_the_square_of_n_numbers_sum():
    with proving():
        n = size("N", 1)
        i, j, k = (position(name, 0, end) for name, end in (("i", n), ("j", n), ("k", n + 1)))
        x, y = (lambda e, name=name: entry(name, e) for name in "XY")
        squares, product = total(x(i) * x(i), i), total(total(x(i) * x(j), j), i)
        seen = {
            "number": squares * number(n) - product,
            "mean": (squares - product * inverse(number(n), ())) * inverse(number(n), ()),
            "more": squares * number(n) * 2 - product,
            "times": (squares * number(n) - product) * apply("exp", entry("Z", 0), ()),
        }
        later = total(total(x(i) * x(j) * indicator(i - 1, j - 1), j), i)
        seen["those after the first"] = (
            total(x(i) * x(i) * indicator(i - 1), i) * number(n - 1) - later
        )
        unseen = {
            "those after the first, and fewer": total(x(i) * x(i) * indicator(i - 1), i)
            * number(n - 2)
            - later,
            "fewer": squares * number(n - 1) - product,
            "no number": squares - product,
            "less": squares * number(n) - product * 2,
            "others": squares * number(n) - total(total(x(i) * y(j), j), i),
            "another's": total(y(i) * y(i), i) * number(n) - product,
            "one sign": squares * number(n) - total(total(x(i) * x(j) * indicator(i - j), j), i),
            "a further range": squares * number(n) - total(total(x(i) * x(k), k), i),
            "of any sign": (squares * number(n) - product) * entry("Z", 0),
            "below": (squares * number(n) - product) * -1,
        }
        for name, term in {**seen, **unseen}.items():
            assert seen_sign(simplified(term).parts.items()) == (name in seen), name


def test_squares_of_sums_are_seen_to_be_no_less_than_0():
    with proving():
        n, d = size("N", 1), size("D", 1)
        i, (j, k, l, h) = position("i", 0, n), (position(name, 0, d) for name in "jklh")
        longer = position("m", 0, d + 1)
        x, y, w, v = (lambda *e, name=name: entry(name, *e) for name in "XYWV")
        z, exp = entry("Z", 0), apply("exp", entry("Z", 0), ())

        def over(term: Term, *indices: Index) -> Term:
            for one in indices:
                term = total(term, one)
            return term

        norm = over(w(i, j) * x(j) * w(i, k) * x(k), j, k, i)
        seen = {
            "a sum's": over(x(j) * x(k), j, k),
            "a norm's": norm,
            "two norms'": norm * 2 + over(w(i, j) * y(j) * w(i, k) * y(k), j, k, i) * exp,
            "in a range": over(x(j) * x(k) * indicator(j - 1, k - 1), j, k),
            "of two": over(w(j, k) * w(l, h) * x(j) * x(l) * y(k) * y(h), j, k, l, h),
            "with signs": over(x(j) * x(k) * x(l) * x(l), j, k, l),
        }
        unseen = {
            "a form": over(w(j, k) * x(j) * x(k), j, k),
            "of others": over(w(i, j) * x(j) * v(i, k) * x(k), j, k, i),
            "one index": over(w(i, j) * x(j) * w(i, j) * y(j), j, i),
            "one side": over(x(j) * x(k) * indicator(j - k), j, k),
            "a longer range": over(x(j) * x(longer), j, longer),
            "of any sign": norm * z,
            "with any sign": over(x(j) * x(k) * x(l), j, k, l),
            "below": norm * -1,
            "exchanged": over(w(j, k) * w(k, j), j, k),
        }
        for name, term in {**seen, **unseen}.items():
            assert (seen_sign(simplified(term).parts.items()) > 0) == (name in seen), name


def test_what_a_sign_rests_on_is_asked_for():
    """Each of these would be seen by a kernel that leaves one condition out."""
    with proving():
        n = size("N", 0)
        i, j = variable(-1), variable(-2)
        place = position("p", 0, n)
        of_x, relu = (
            next(iter(apply(f, entry("X", place), [place]).parts)) for f in ("exp", "relu")
        )

        def at(name, *places):
            return Factor(name, places)

        def x(k):
            return at("X", k)

        def within(k):
            return [k, n - 1 - k]

        def term(bound, guards, *factors):
            return Monomial(bound, frozenset(guards), tuple(sorted(factors)))

        e, z, two = of_x.factors[0].name, at("Z"), [*within(i), *within(j)]
        unseen = {
            "ranges apart": (
                0,
                (term(2, [*two, (i + j) * -1 + 2], x(i), x(j)), -1),
                (term(1, within(i), x(i), x(i)), 3),
                (term(1, within(i), at(NUMBER, i), x(i), x(i)), -1),
            ),
            "what they are multiplied by": (
                0,
                (term(2, two, z, at(e, i), at(e, j)), -1),
                (term(1, within(i), z, at(NUMBER, n), at(e, i), at(e, i)), 1),
            ),
            "an index that is no position": (
                1,
                (term(2, two, x(i), x(j)), -1),
                (term(1, within(i), at(NUMBER, n), x(i), x(i)), 1),
            ),
            "one range": (
                0,
                (term(1, within(i), x(i)), 2),
                (term(1, within(i), x(i), x(i)), 1),
                (term(1, [i, -i]), 1),
            ),
        }
        for name, (outer, *pairs) in unseen.items():
            assert seen_sign([(m, Fraction(c)) for m, c in pairs], outer) == 0, name
        maybe_0 = [term(0, [n - 1]), term(0, [], at(relu.factors[0].name, Index(0)))]
        assert [seen_sign([(m, Fraction(1))]) for m in maybe_0] == [1, 1]


def test_what_is_seen_of_sums_of_products_holds_at_numbers():
    rng, signs = random.Random(3), Counter()
    with proving():
        n = size("N", 1)
        i, j = (position(name, 0, n) for name in "ij")
        factors = [as_term(1), number(n), inverse(number(n), ()), number(n) * number(n)]
        for turn in range(300):
            x = f"X{turn % 7}"
            whole = as_term(0)
            for _ in range(rng.randint(1, 3)):
                one = entry(x, i + rng.randint(0, 1)) + rng.choice((0, 0, 1))
                two = substitute(one, {i: j}) if rng.random() < 0.8 else entry(x, j)
                masks = rng.choice(((), (), (), (i - 1, j - 1), (i - j,), (n - 2 - i, n - 2 - j)))
                product = total(total(one * two * indicator(*masks), j), i)
                squares = total(one * one * indicator(*masks[:1] if len(masks) > 1 else ()), i)
                times = rng.choice(factors)
                whole = whole + squares * times * rng.choice((1, 2)) * rng.choice(factors)
                whole = whole - product * times * rng.choice((0, 1, 1, 2))
            signs[sign := seen_sign(simplified(whole).parts.items())] += 1
            at = n.terms[0][0]
            values = [Values().value(whole, {at: m}) for m in range(1, 5)]
            assert sign == 0 or min(values) >= 0
            assert sign < 2 or min(values) > 0
    assert min(signs[n] for n in range(2)) > 10, signs


@pytest.mark.long
def test_what_is_seen_of_a_sum_s_sign_holds_at_numbers():
    rng, signs = random.Random(2), Counter()
    with proving():
        for _ in range(400):
            one, other = combination(rng), combination(rng)
            total = one * one + other * combination(rng) * rng.randint(0, 1)
            total = total + of_a_function("exp", entry("X", 0)) * rng.randint(-1, 1)
            signs[sign := seen_sign(total.parts.items())] += 1
            values = [worth(total, numbers) or 0.0 for numbers in points(rng, 40)]
            assert sign == 0 or min(values) >= -NEAR
            assert sign < 2 or min(values) > 0
    assert min(signs[n] for n in range(3)) > 3, signs
