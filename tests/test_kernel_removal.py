"""Each check of the kernel is needed, or it is said why not; each rule is needed; what it is made of is needed too."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from fuzzing import attacks
from fuzzing.attacks import once, rules
from fuzzing.counting import RULES
from fuzzing.hostile import putting, steps, values
from fuzzing.recursions import recursions
from fuzzing.removal import altered, checks, disabled, without
from fuzzing.terms import FalseAccept, equations

from scanproof.proofs.interpret.terms import (
    equal_indices,
    indicator,
    inverse,
    number,
    substitute,
    total,
)
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import position, size
from scanproof.proofs.kernel.laws import value
from scanproof.proofs.kernel.recursion import Recursion, new_state
from scanproof.proofs.kernel.term import apply, as_term, entry
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.normal import simplified
from scanproof.proofs.search.proving import proving
from scanproof.proofs.search.session import current

CHECKS = {check.name: check for check in checks()}
"""Every `if …: raise` and `require` of the kernel's source; a new one needs an attack, or a reason why it has none."""


def test_every_check_has_an_attack_that_it_stops_or_a_reason_to_be_harmless():
    assert set(CHECKS) == set(attacks.ATTACKS) | set(attacks.HARMLESS)
    assert not set(attacks.ATTACKS) & set(attacks.HARMLESS)


@pytest.mark.short(
    "induction: declared(position_number(time)) != (time, length - 1 - time)",
    "induction: position_number(time) in spoken",
    "induction: declared(t) != (when, length - when)",
    "Recursion.__init__: any((f.at[:1] != (time,) for f in own))",
)
@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_without_the_check_the_attack_gets_a_false_theorem(name):
    attack = attacks.ATTACKS[name]
    assert not attacks.succeeds(attack)
    with without(CHECKS[name]):
        assert attacks.succeeds(attack)


@pytest.mark.short("congruence: name is None")
@pytest.mark.parametrize("name", attacks.HARMLESS)
def test_without_a_harmless_check_no_attack_succeeds(name):
    with without(CHECKS[name]):
        assert not [a.__name__ for a in set(attacks.ATTACKS.values()) if _tried(a)]


@pytest.mark.parametrize("attack", attacks.ONCE)
def test_what_once_got_through_is_refused(attack):
    assert not attacks.succeeds(attack)


def _tried(attack: attacks.Attack) -> bool:
    try:
        return attacks.succeeds(attack)
    except (IndexError, KeyError, TypeError, AttributeError):
        return False


# What is no check, but must be there.

START = "start, begun = shown(gap.substitute({t: Index(0)}), tactic, theorems)"
CLAIMED = "[(Factor(f.name, tuple(f.at)), right) for f, right in claims]"
COPIED = "dict(self._parts)"
SNAPSHOT = "_sum(new, parts)"

FUZZERS: dict[str, Callable[[random.Random], Any]] = {
    "equations": lambda rng: equations(rng, 600),
    "steps": lambda rng: steps(rng, 200),
    "putting": lambda rng: putting(rng, 400),
    "values": lambda rng: values(rng, 300),
    "recursions": lambda rng: recursions(rng, 200),
}


def found(which: str, seeds: int = 4) -> bool:
    """Whether the fuzzer finds that something false was accepted."""
    for seed in range(seeds):
        try:
            FUZZERS[which](random.Random(seed))
        except FalseAccept:
            return True
    return False


@pytest.mark.short(
    "steps-inequalities-_implied-<= e.const-<= e.const + 1",
    "values-term-Monomial.after--k - count--k",
    "steps-inequalities-negation-- 1-- 2",
    "steps-inequalities-_eliminated-low * p)-low * p - 1)",
)
@pytest.mark.long_cases("{t: time + 1}", "recursions-induction")
@pytest.mark.parametrize(
    ("which", "module", "function", "old", "new"),
    [
        ("steps", "inequalities", "negation", "- 1", "- 2"),
        ("steps", "inequalities", "_eliminated", "low * p)", "low * p - 1)"),
        ("steps", "inequalities", "_implied", "<= e.const", "<= e.const + 1"),
        ("values", "term", "Monomial.after", "-k - count", "-k"),
        ("putting", "..interpret.terms", "substitute", "* indicator(*where)", ""),
        (
            "equations",
            "..interpret.terms",
            "total",
            "m.guards | set(declared(of))",
            "m.guards | {over}",
        ),
        ("steps", "rules", "Rewriting.rename", "Fraction(1, len(ways))", "Fraction(1)"),
        ("steps", "rules", "Rewriting.count", "| {length}", ""),
        (
            "steps",
            "rules",
            "Rewriting.one_point",
            "m.substitute(",
            "m._replace(guards=frozenset()).substitute(",
        ),
        ("steps", "rules", "Rewriting.one_point", "| unknown", "| frozenset()"),
        ("steps", "rules", "Rewriting.divide", "(by - 1)", "by"),
        ("steps", "rules", "Rewriting.divide", "gap, -gap, r", "gap, -gap, r - 1"),
        ("steps", "rules", "Goal.split", "(guard, negation(guard))", "(guard, guard)"),
        ("steps", "rules", "Goal.clear", "c * d", "c"),
        ("recursions", "induction", "induction", START, "start, begun = frozenset(), ([], [])"),
        ("recursions", "induction", "induction", "{t: time + 1}", "{t: time}"),
    ],
)
def test_with_something_else_in_its_place_the_fuzzer_finds_a_false_accept(
    which, module, function, old, new
):
    with altered(module, function, old, new):
        assert found(which)


@pytest.mark.parametrize(
    ("module", "function", "old", "new", "attack"),
    [
        ("index", "size", "Index(least)", "least", once.a_size_that_is_larger_than_an_index),
        (
            *("term", "_finite", "for lower in (True, False)", "for lower in (True,)"),
            rules.one_told_apart_into_two_sums_without_end,
        ),
        ("term", "_finite", "not 0 < bound <", "not bound <", once.less_than_no_bound_index),
        (
            *("rules", "Rewriting._exchange", COPIED, "self._parts"),
            once.a_step_that_breaks_off,
        ),
        (
            *(
                "rules",
                "Rewriting._exchange",
                SNAPSHOT,
                "_sum(new, {n: p for n, p in self._parts.items() if n != k})",
            ),
            once.a_step_within_a_step,
        ),
        (
            *("rules", "Goal.closed", "and self._registry is index.current", ""),
            once.what_is_known_of_another_index_by_the_same_number,
        ),
        (
            "recursion",
            "_substituted",
            "else ANY",
            "else e.substitute(images)",
            once.two_offsets_that_cancel,
        ),
        (
            *("recursion", "Recursion.__init__", "_substituted(f, dict.fromkeys(lost, ANY))", "f"),
            once.a_position_that_moves,
        ),
        ("induction", "induction", CLAIMED, "claims", once.claims_exchanged_for_others),
        (
            *("reduction", "congruence", "reach(frozenset().union(*fixed))"),
            *("frozenset().union(*fixed)", once.a_function_at_another_place_than_the_hypothesis),
        ),
        (
            *("reduction", "congruence", "not assumed and ", ""),
            once.an_inverse_that_a_false_hypothesis_takes,
        ),
    ],
)
def test_with_something_else_in_its_place_an_attack_gets_a_false_theorem(
    module, function, old, new, attack
):
    with altered(module, function, old, new):
        assert attacks.succeeds(attack)


# Rules.


def _goals() -> dict[str, Callable[[], tuple[Any, Any]]]:
    """For each rule an equation that is not proved without it."""

    def ranged(low: int = 0, more: int = 0) -> Any:
        return position("j", low, size("N", 1) + more)

    def needless() -> tuple[Any, Any]:
        t = ranged()
        return indicator(t) * entry("X", t), entry("X", t)

    def chosen() -> tuple[Any, Any]:
        n = size("N", 1)
        t, j = position("t", 0, n), position("j", 0, n)
        return total(equal_indices(j, t) * entry("X", j), j), entry("X", t)

    def shifted() -> tuple[Any, Any]:
        n = size("N", 1)
        j, k = position("j", 0, n), position("k", 1, n + 1)
        return total(entry("X", j), j), total(entry("X", k - 1), k)

    def in_pairs() -> tuple[Any, Any]:
        n = size("N", 1)
        t, j, r = position("t", 0, n * 2), position("j", 0, n), position("r", 0, 2)
        return total(entry("X", t), t), total(total(entry("X", j * 2 + r), r), j)

    def numbered() -> tuple[Any, Any]:
        n = size("N", 1)
        t, j = position("t", 0, n), position("j", 0, n + 1)
        return total(equal_indices(j, t + 1) * number(j), j), number(t) + 1

    def counted() -> tuple[Any, Any]:
        n = size("N", 1)
        return total(as_term(1), position("j", 0, n)), number(n)

    def defined() -> tuple[Any, Any]:
        n = size("N", 1)
        state, time = new_state("S", [], []), position("t", 0, n)
        step = state.entry(time, []) + entry("X", time)
        current().add(Recursion(time, [state], [as_term(5)], [step]))
        return state.entry(1, []), entry("X", 0) + 5

    def cancelled() -> tuple[Any, Any]:
        n = size("N", 1)
        j, k = position("j", 0, n), position("k", 0, n)
        one = entry("X", j) * inverse(entry("X", j), [j]) * entry("Y", j)
        return total(one, j), total(entry("Y", k), k)

    def multiplied() -> tuple[Any, Any]:
        x = entry("X")
        return apply("exp", x, ()) * apply("exp", x * -1 + 1, ()), apply("exp", as_term(1), ())

    def under_two_names() -> tuple[Any, Any]:
        n = size("N", 1)
        t, k = position("t", 0, n), position("k", 1, n + 1)
        later = apply("tanh", entry("X", t + 1), [t])
        return later, substitute(apply("tanh", entry("X", k), [k]), {k: t + 1})

    def on_a_circle() -> tuple[Any, Any]:
        sine, cosine = (value(name, entry("X")) for name in ("sin", "cos"))
        return cosine * cosine, as_term(1) - sine * sine

    def told_apart() -> tuple[Any, Any]:
        t = ranged()
        return equal_indices(t, 0) * entry("X", t), equal_indices(t, 0) * entry("X", 0)

    def idempotent() -> tuple[Any, Any]:
        step = value("step", entry("beta"))
        return step * step, step

    def nought() -> tuple[Any, Any]:
        beta = entry("beta")
        return beta * value("zero", beta), as_term(0)

    def nought_in_a_square() -> tuple[Any, Any]:
        n = size("N", 1)
        t, j = position("t", 0, n), position("j", 0, n)
        squares = total(entry("X", j) * entry("X", j), j)
        return entry("X", t) * value("zero", squares), as_term(0)

    def rooted() -> tuple[Any, Any]:
        root = value("sqrt", entry("X") * entry("X"))
        return root * root, entry("X") * entry("X")

    def beside_zero() -> tuple[Any, Any]:
        n = size("N", 1)
        j, k = position("j", 0, n), position("k", 0, n)
        first, second = (value("zero", number(e) - entry("X")) for e in (j, k))
        return total(total(first * second * entry("Y", k), k), j), total(first * entry("Y", j), j)

    def placed() -> tuple[Any, Any]:
        n = size("N", 1)
        state, time = new_state("S", [], []), position("t", 0, n)
        above, before = apply("step", entry("X", time), [time]), state.entry(time, [])
        step = number(time) * above + before - above * before
        current().add(Recursion(time, [state], [as_term(0)], [step]))
        k = position("k", 0, n)
        return total(apply("zero", number(k) - state.entry(n, []), [k]), k), as_term(1)

    def cleared() -> tuple[Any, Any]:
        beta = entry("beta")
        return beta * inverse(1 + beta, ()), as_term(1) - inverse(1 + beta, ())

    def covered() -> tuple[Any, Any]:
        current().by_cases = True
        low, high = (apply("step", one, ()) for one in (entry("x"), as_term(1) - entry("x")))
        return low * high, low + high - 1

    return {
        "regroup": needless,
        "one_point": chosen,
        "divide": in_pairs,
        "rename": shifted,
        "number": numbered,
        "count": counted,
        "rewrite": defined,
        "cancel": cancelled,
        "compare": idempotent,
        "cover": covered,
        "vanish": nought,
        "exponents": multiplied,
        "alike": under_two_names,
        "beside": beside_zero,
        "circle": on_a_circle,
        "annul": nought_in_a_square,
        "root": rooted,
        "one_place": placed,
        "split": told_apart,
        "clear": cleared,
    }


GOALS = _goals()


def proved(goal: Callable[[], tuple[Any, Any]]) -> bool:
    with proving():
        try:
            left, right = goal()
            show(simplified(left), simplified(right))
        except KernelError:
            return False
        return True


def test_every_rule_has_an_equation():
    assert set(GOALS) == set(RULES)


@pytest.mark.parametrize("rule", GOALS)
def test_without_the_rule_an_equation_is_not_proved(rule):
    assert proved(GOALS[rule])
    with disabled(getattr(RULES[rule], rule)):
        assert not proved(GOALS[rule])
