"""False theorems with proofs that nearly look right, made by hand, each beside a true one of the same look."""

import json
from collections.abc import Callable, Sequence
from typing import Any

Trace = dict[str, Any]
Forgery = Callable[[bool], Trace]
"""The true one, or the false one."""

FORGED: dict[str, Forgery] = {}


def forged(made: Forgery) -> Forgery:
    FORGED[made.__name__] = made
    return made


def at(
    v: int = 0, plus: int = 0, coefficient: int = 1, more: Sequence[int] | None = None
) -> list[Any]:
    """coefficient · v + plus, and another variable with its coefficient."""
    terms = [[v, coefficient]] if v else []
    return [plus, [*terms, *([list(more)] if more else [])]]


def mono(c: str, *factors: Sequence[Any], bound: int = 0, guards: Sequence[Any] = ()) -> list[Any]:
    return [c, bound, list(guards), [[name, list(places)] for name, *places in factors]]


def trace(
    statements: Sequence[Any], positions: Sequence[Any], theorems: Sequence[Any], **more: Any
) -> Trace:
    """A proof about a size N ≥ 1, which is variable 1; what is declared besides begins with an underscore."""
    kinds = ("positions", "states", "functions", "recursions")
    problem = {kind: list(more.get(kind, ())) for kind in kinds}
    declared = {kind: list(more.get(f"_{kind}", ())) for kind in kinds}
    made = {
        "format": "scanproof.trace/1",
        "problem": {
            "sizes": [[1, "N", 1]],
            **{**problem, "positions": list(positions)},
            "places": list(more.get("places", ())),
            "statements": list(statements),
        },
        "declared": {**declared, "formals": list(more.get("formals", ()))},
        "theorems": list(theorems),
    }
    return json.loads(json.dumps(made))


I, J = [2, "i", at(), at(1)], [3, "j", at(), at(1)]
P, Q = [4, "p"], [7, "q"]
T, TIME = [5, "t", at(), at(1)], [6, "t", at(), at(1, -1)]
"""A time from 0 to N − 1, and that of hypotheses."""


def says(left: Any, right: Any, *scope: int) -> list[Any]:
    return [[sorted({1, *scope}), [left]], [sorted({1, *scope}), [right]]]


@forged
def a_position_of_definitions_that_stands_twice(true: bool) -> Trace:
    """D[i, j] = X[i, j], read as D[p, p] = X[p, p]: so D[i, j] = X[j, j]."""
    x = at(-1)
    return trace(
        [
            says(
                mono("1", ("='0", at(2), at(3))),
                mono("1", ("X", at(2 if true else 3), at(3))),
                2,
                3,
            )
        ],
        [I, J],
        [
            ["congruence", ["='0", [at(2), at(3)]], []],
            [
                "equation",
                [["rewrite", 0, 0, ["unfolding", "='0"], [[4, at(2)], [7, at(3)]]]]
                if true
                else [
                    ["rewrite", 0, 0, 0, [[2, at(2)], [3, at(3)]]],
                    ["rewrite", 2, 0, ["unfolding", "='1"], [[4, at(3)]]],
                ],
            ],
        ],
        functions=[["='0", "=", 2, [mono("1", ("X", at(-1), at(-2)), bound=2)]]],
        _functions=[["='1", "=", 1, [mono("1", ("X", x, x), bound=1)]]],
        _positions=[P, Q],
        formals=[4, 7] if true else [4, 4],
    )


@forged
def a_name_that_the_kernel_gives_again(true: bool) -> Trace:
    """The third function is named ='2 by itself. One that the file calls ='2 must stay what it is."""
    broken = mono("1", bound=1, guards=[at(plus=-1)])
    return trace(
        [says(mono("1", ("='2", at(2))), mono("1", ("A" if true else "B", at(2))), 2)],
        [I],
        [
            *([] if true else [["congruence", ["='9", [at(2)]], [["regroup", 1, []]]]]),
            ["equation", [["rewrite", 0, 0, ["unfolding", "='2"], [[4, at(2)]]]]],
        ],
        functions=[["='2", "=", 1, [mono("1", ("A", at(-1)), bound=1)]]],
        _functions=[["='9", "=", 1, [mono("1", ("B", at(-1)), bound=1), broken]]],
        _positions=[P],
        formals=[4],
    )


def _nothing_added(name: str, *added: Any) -> list[Any]:
    """name[t] = name[t] + 0 · a product of what is added, by induction."""
    more = mono("1", *added, guards=[at(plus=-1)])
    gone = [["regroup", 0, []]]
    claim = [[name, [at(5)]], [[1, 5], [mono("1", (name, at(5))), more]]]
    return ["induction", at(5), at(6), [claim], [[gone, gone]]]


@forged
def a_denominator_of_the_proofs_own_that_is_0(true: bool) -> Trace:
    """A = A + 0 · 1/0. All times 0, which is said not to be 0, is 0."""
    way = [["rewrite", 0, 0, 0, [[5, at(2)]]]]
    own = [["clear", 2, 0], ["regroup", 3, []]]
    return trace(
        [says(mono("1", ("A", at(2))), mono("1", ("A" if true else "B", at(2))), 2)],
        [I],
        [_nothing_added("A", ("1/'0",)), ["equation", [] if true else [*way, *own]]],
        _functions=[["1/'0", "1/", 0, []]],
        _positions=[T, TIME],
    )


@forged
def a_denominator_where_there_is_none(true: bool) -> Trace:
    """x[p] is 0 outside of its shape, at −1, say. That it is not 0 was said of its entries."""
    inside = [at(-1), at(-1, -1, -1, [1, 1])]
    left = mono("1", ("1/'0", at(2)), ("A", at(2)))
    right = mono("1", ("1/'0", at(2)), ("A" if true else "B", at(2)))
    way = [["rewrite", 0, 1, 0, [[5, at(2)]]], ["clear", 2, 0]]
    return trace(
        [says(left, right, 2)],
        [I],
        [
            _nothing_added("A", ("1/'0", at(plus=-1))),
            ["equation", [] if true else [*way, *[["regroup", k, []] for k in (3, 4, 5)]]],
        ],
        functions=[["1/'0", "1/", 1, [mono("1", ("x", at(-1)), bound=1, guards=inside)]]],
        _positions=[T, TIME, Q],
        formals=[7],
    )


@forged
def a_definition_for_a_state_that_the_problem_leaves_open(true: bool) -> Trace:
    """S[0] = S[0] for any S; and S[0] = 0 for the one that the proof chooses."""
    right = mono("1", ("S'0", at())) if true else mono("0")
    statement = says(mono("1", ("S'0", at())), right)
    if not true:
        statement[1][1] = []
    recursion = [at(8), ["S'0"], [[[], []]], [[[], []]]]
    return trace(
        [statement],
        [],
        [["equation", [] if true else [["rewrite", 0, 0, ["definition", "S'0", 0], []]]]],
        states=[["S'0", [], []]],
        _positions=[[8, "t", at()]],
        _recursions=[] if true else [recursion],
    )


@forged
def the_next_entry_for_this_one(true: bool) -> Trace:
    """S[0] = 0, S[t + 1] = S[t] + x[t]: not S[t + 1] = S[t]."""
    step = [[1, 8], [mono("1", ("S'0", at(8))), mono("1", ("x", at(8)))]]
    added = [[1, 8], [mono("1", ("S'0", at(8))), *([mono("1", ("x", at(8)))] if true else [])]]
    return trace(
        [[[[1, 8], [mono("1", ("S'0", at(8, 1)))]], added]],
        [[8, "t", at(), at(1)]],
        [["equation", [["rewrite", 0, 0, ["definition", "S'0", 1], [[8, at(8)]]]]]],
        states=[["S'0", [], []]],
        recursions=[[at(8), ["S'0"], [[[], []]], [step]]],
    )


@forged
def a_sum_that_captures_an_index(true: bool) -> Trace:
    """D[i] = Σ_s X[s, i]: at i = s, inside another sum, its own s is another one."""
    ends = [at(-2, -1, -1, [1, 1]), at(-2)]
    body = [mono("1", ("X", at(-2), at(-1)), bound=2, guards=_ordered(ends))]
    outer = [at(-1), [-1, [[-1, -1], [1, 1]]]]
    left = mono("1", ("='0", at(-1)), bound=1, guards=_ordered(outer))
    two = [*outer, at(-2), [-1, [[-2, -1], [1, 1]]]]
    right = mono("1", ("X", at(-2), at(-1)), bound=2, guards=_ordered(two))
    captured = mono("1", ("X", at(-1), at(-1)), bound=1, guards=_ordered(outer))
    return trace(
        [says(left, right if true else captured)],
        [],
        [["equation", [["rewrite", 0, 0, ["unfolding", "='0"], [[4, at(-1)]]]]]],
        functions=[["='0", "=", 1, body]],
        _positions=[P],
        formals=[4],
    )


def _ordered(guards: Sequence[Any]) -> list[Any]:
    return sorted(([c, sorted(terms)] for c, terms in guards), key=lambda g: (g[1], g[0]))


@forged
def an_inverse_for_its_inverse(true: bool) -> Trace:
    """#[N] · 1/#[N] = 1, and not N · N = 1."""
    other = ("1/#", at(1)) if true else ("#", at(1))
    factors = sorted([("#", at(1)), other], key=lambda f: f[0])
    return trace([says(mono("1", *factors), mono("1"))], [], [["equation", [["cancel", 0, 1, 0]]]])


@forged
def an_inverse_of_a_number_that_may_be_0(true: bool) -> Trace:
    """i / i = 1 for i ≥ 1."""
    i = [2, "i", at(plus=1 if true else 0), at(1, 1)]
    return trace(
        [says(mono("1", ("#", at(2)), ("1/#", at(2))), mono("1"), 2)],
        [i],
        [["equation", [["cancel", 0, 1, 0]]]],
    )


@forged
def an_index_counted_one_too_few(true: bool) -> Trace:
    """Σ_{0 ≤ s < N} 1 = N."""
    ends = _ordered([at(-1), [-1, [[-1, -1], [1, 1]]]])
    right = mono("1", ("#", at(1)))
    statement = says(mono("1", bound=1, guards=ends), right)
    if not true:
        statement[1][1].append(mono("-1"))
    return trace([statement], [], [["equation", [["count", 0, -1], ["regroup", 2, [[[], "1"]]]]]])


@forged
def a_theorem_about_one_entry_for_all(true: bool) -> Trace:
    """S[0] = 0, S[t + 1] = S[t] + [t is 0 at the first of N entries]: S[t, 0] is not S[t, i]."""
    only = [at(9), at(9, coefficient=-1)]
    step = [[1, 8, 9], [mono("1", ("S'0", at(8), at(9))), mono("1", guards=_ordered(only))]]
    entry = at() if true else at(2)
    return trace(
        [
            [
                [[1, 2, 8], [mono("1", ("S'0", at(8, 1), entry))]],
                [[1, 2, 8], [mono("1", ("S'0", at(8), entry)), mono("1")]],
            ]
        ],
        [I, [8, "t", at(), at(1)], [9, "i", at(), at(1)]],
        [
            [
                "equation",
                [
                    ["rewrite", 0, 0, ["definition", "S'0", 1], [[8, at(8)], [9, entry]]],
                    *([["regroup", 3, [[[], "1"]]]]),
                ],
            ]
        ],
        states=[["S'0", [at(9)], []]],
        recursions=[[at(8), ["S'0"], [[[9], []]], [step]]],
    )


def _some_or_none(true: bool) -> list[Any]:
    """j from 0, or N, to N − 1: of the latter there is none."""
    return [3, "j", at() if true else at(1), at(1)]


@forged
def a_denominator_at_a_position_that_has_no_value(true: bool) -> Trace:
    """1/(G + 0 · H[j]) is 1/G, which is taken if there is a j: so (1/G) G = 1."""
    none = mono("1", ("H", at(-1)), bound=1, guards=[at(plus=-1)])
    return trace(
        [says(mono("1", ("1/'0",), ("G",)), mono("1"))],
        [_some_or_none(true)],
        [
            ["congruence", ["1/'1", [at(3)]], [["regroup", 1, []]]],
            ["equation", [["cancel", 0, 0, 1]]],
        ],
        functions=[
            ["1/'0", "1/", 0, [mono("1", ("G",))]],
            ["1/'1", "1/", 1, [mono("1", ("G",), bound=1), none]],
        ],
        _positions=[P],
        formals=[4],
        places=[["1/'1", [at(3)]]],
    )


@forged
def a_sum_inside_that_is_ranged_like_the_one_around(true: bool) -> Trace:
    """Σ_j F X[j]² ≥ 0 for F = 1/Σ_k exp(C), not for 1/Σ_k k, where it is j that is ≥ 1, and k from −5 to −3."""

    def between(low: int, high: Any) -> list[Any]:
        return [[high[0], [[-1, -1], *high[1]]], at(-1, -low)]

    inside = ("exp'2",) if true else ("#", at(-1))
    of = mono("1", inside, bound=1, guards=between(-5, at(plus=-3)))
    factors = ("1/'0",), ("X", at(-1)), ("X", at(-1))
    whole = mono("1", *factors, bound=1, guards=between(1, at(1)))
    return trace(
        [says(mono("1", ("relu'0",)), whole)],
        [],
        [["law", ["relu'0", []], "value", 0], ["equation", [["rewrite", 0, 0, 0, []]]]],
        functions=[
            ["exp'2", "exp", 0, [mono("1", ("C",))]],
            ["1/'0", "1/", 0, [of]],
            ["relu'0", "relu", 0, [whole]],
        ],
    )


@forged
def a_denominator_that_is_taken_for_each_position_of_none(true: bool) -> Trace:
    """1/G is taken for each j, as in an array of equal rows: if there is no row, G may be 0."""
    return trace(
        [says(mono("1", ("1/'0",), ("G",)), mono("1"))],
        [_some_or_none(true)],
        [["equation", [["cancel", 0, 0, 1]]]],
        functions=[["1/'0", "1/", 0, [mono("1", ("G",))]]],
        places=[["1/'0", [], [at(3)]]],
    )


@forged
def a_logarithm_at_a_position_that_has_no_value(true: bool) -> Trace:
    """log(X exp(C[j])) is C[j] + log(X), which is taken if there is a j: so X = exp(log(X)), and relu(X) = X."""
    exponential = ["exp'7", "exp", 1, [mono("1", ("C", at(-1)), bound=1)]]
    product = mono("1", ("X",), ("exp'7", at(-1)), bound=1)
    same = [["rewrite", 1, 0, 1, []]]
    claim = [["X", []], [[1, 5], [mono("1", ("exp'0",))]]]
    return trace(
        [says(mono("1", ("relu'0",)), mono("1", ("X",)))],
        [_some_or_none(true)],
        [
            ["law", ["log'0", [at(3)]], "common", 1],
            ["law", ["exp'0", []], "meaning", 0],
            ["induction", at(5), at(6), [claim], [[same, same]]],
            ["congruence", ["relu'0", []], [["rewrite", 0, 0, 2, [[5, at()]]]]],
            ["law", ["relu'1", []], "value", 0],
            [
                "equation",
                [["rewrite", 0, 0, 3, []], ["rewrite", 2, 0, 4, []], ["rewrite", 3, 0, 1, []]],
            ],
        ],
        functions=[
            exponential,
            ["log'0", "log", 1, [product]],
            ["relu'0", "relu", 0, [mono("1", ("X",))]],
        ],
        _functions=[
            ["log'1", "log", 0, [mono("1", ("X",))]],
            ["exp'0", "exp", 0, [mono("1", ("log'1",))]],
            ["relu'1", "relu", 0, [mono("1", ("exp'0",))]],
        ],
        _positions=[P, T, TIME],
        formals=[4],
        places=[["log'0", [at(3)]]],
    )


@forged
def a_denominator_at_no_position(true: bool) -> Trace:
    """That G[2 i] is not 0 says nothing of G[i]."""
    return trace(
        [says(mono("1", ("1/'0", at(2)), ("G", at(2))), mono("1"), 2)],
        [I],
        [["equation", [["cancel", 0, 0, 1]]]],
        functions=[["1/'0", "1/", 1, [mono("1", ("G", at(-1)), bound=1)]]],
        _positions=[P],
        formals=[4],
        places=[["1/'0", [at(2) if true else at(2, 0, 2)]]],
    )


@forged
def a_name_that_reads_as_a_theorem(true: bool) -> Trace:
    """A state's name may say nothing but that it is a state's."""
    name = "S'0" if true else "0 = 1, since ''0"
    return trace(
        [says(mono("1", (name, at(2))), mono("1", (name, at(2))), 2)],
        [I],
        [["equation", []]],
        states=[[name, [at(2)], []]],
    )


@forged
def values_of_what_is_not_shown_to_be_equal(true: bool) -> Trace:
    """√X[i] = √(X[i] + 0 · Y[i]), and not √Y[i]."""
    none = mono("1", ("Y", at(-1)), bound=1, guards=[at(plus=-1)])
    roots = [
        ["sqrt'0", "sqrt", 1, [mono("1", ("X", at(-1)), bound=1)]],
        ["sqrt'1", "sqrt", 1, [mono("1", ("X" if true else "Y", at(-1)), bound=1), none]],
    ]
    way = [["regroup", 0, []]]
    return trace(
        [says(mono("1", ("sqrt'0", at(2))), mono("1", ("sqrt'1", at(2))), 2)],
        [I],
        [
            ["equality", ["sqrt'0", [at(2)]], ["sqrt'1", [at(2)]], way],
            ["equation", [["rewrite", 0, 0, 0, [[2, at(2)]]]]],
        ],
        functions=roots,
        _positions=[P],
        formals=[4],
    )
