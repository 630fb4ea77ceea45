"""Written proofs that the checker must refuse, and others that it must take, after the Lean Kernel Arena.

Each refused one is made from one that passes, by a function whose name says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import forged
from certificates import VARIED, Trace, copy, lines, real, steps, ways
from forged import at, mono

Change = Callable[[Trace], Any]
"""Changes a proof in place, or hands back another one."""

SCAN, CASES, SCALAR, SUMS = "ssd.eq3", "ch9.eq9.8+index", "gd-ssm.prop4+vanishing", "gril.eq10"
INVERSE, COUNTED = "gd-ssm.prop1-construction+sign", "gril.params-gated+elementwise"
"""A scan and a product; two inductions and cases; numbers; sums of sums; a division; counted indices."""


class Case(NamedTuple):
    original: Trace
    changed: Trace


_REFUSED: dict[str, tuple[Change, str]] = {}
_HARMLESS: dict[str, tuple[Change, str]] = {}
"""By name, a change and the claim whose proof it is a change of."""


def _noted(collection: dict[str, tuple[Change, str]], ids: tuple[str, ...]) -> Any:
    def note(change: Change) -> Change:
        for id in ids:
            collection[f"{change.__name__}-{id}"] = change, id
        return change

    return note


def bad(*ids: str) -> Callable[[Change], Change]:
    return _noted(_REFUSED, ids)


def harmless(*ids: str) -> Callable[[Change], Change]:
    return _noted(_HARMLESS, ids)


def _case(change: Change, id: str) -> Case:
    changed = real(id)
    result = change(changed)
    return Case(real(id), changed if result is None else result)


def refused_names() -> list[str]:
    return [*_REFUSED, *forged.FORGED]


def refused(name: str) -> Case:
    """A proof that must be refused, with the one that it is made from."""
    if name in _REFUSED:
        return _case(*_REFUSED[name])
    return Case(forged.FORGED[name](True), forged.FORGED[name](False))


def passing_names() -> list[str]:
    return [*VARIED, *OTHERS, *_HARMLESS, *[f"true-{name}" for name in forged.FORGED]]


def passing(name: str) -> Trace:
    """A proof that must pass."""
    if name in _HARMLESS:
        return _case(*_HARMLESS[name]).changed
    return forged.FORGED[name[5:]](True) if name.startswith("true-") else real(name)


def misjudged(checks: Callable[[Trace], Any]) -> list[str]:
    """Where a checker, which hands back whether it takes a proof, is wrong."""
    wrong = [name for name in refused_names() if checks(refused(name).changed)]
    return [*wrong, *[name for name in passing_names() if not checks(passing(name))]]


OTHERS = (
    "ch9.eq9.8+first-order",
    "ch9.gradient",
    "ch9.linear-attention",
    "gd-ssm.a1-input",
    "gd-ssm.a1-state+sign",
    "gd-ssm.a4-gradient+factor",
    "gd-ssm.eq9",
    "gd-ssm.forms+last-state",
    "gd-ssm.prop1",
    "gd-ssm.prop2",
    "gd-ssm.prop2-input+transpose",
    "gd-ssm.prop3-construction+transpose",
    "gd-ssm.reg",
    "gril.a1-construction+sign",
    "gril.a2-gradient",
    "gril.a5-gradient",
    "gril.a6-jacobian",
    "gril.a6-recursion",
    "gril.coupled+independent",
    "gril.eq11",
    "gril.eq16",
    "gril.eq5-6",
    "gril.online-gd",
    "gril.prop4.1",
    "gril.w1",
    "lanes.prefix",
    "linear-attention.layer",
    "mamba2.convolution",
    "open.ssd-adjoint",
    "open.window-two+own-coordinates",
    "ssd.lsa",
    "ssd.lsa-mask+transpose",
    "ssd.lsa-ssd",
    "ssd.remark4.1-lsa+one-feature",
    "ssd.thm4.1-eq4+recurrence",
    "ssd.thm4.1-stars+excess",
    "ssd.thm5.1+condition",
    "ssd.thm5.1+reverse-step",
    "ssd.thm5.1-split",
    "ssd.value-matrix",
)


# What is no such object.


@bad(SCAN, SUMS)
def a_name_that_prints_as_another_line(trace: Trace) -> None:
    trace["problem"]["sizes"][0][1] = "N ≥ 1:\n  ⊢ 1 = 2"


@bad(SCAN, SUMS)
def a_size_that_is_called_like_a_number(trace: Trace) -> None:
    trace["problem"]["sizes"][0][1] = "2"


@bad(SUMS)
def two_sizes_of_one_name(trace: Trace) -> None:
    first, second, *_ = trace["problem"]["sizes"]
    second[1] = first[1]


@bad(SCAN)
def half_of_a_surrogate_pair_in_a_name(trace: Trace) -> None:
    trace["problem"]["sizes"][0][1] = "\ud800"


@bad(SCAN)
def another_format(t: Trace) -> None:
    t["format"] = "scanproof.trace/2"


@bad(SCAN)
def no_object(t: Trace) -> Any:
    return [t]


@bad(SCAN)
def nothing(t: Trace) -> Any:
    return {}


@bad(SCAN)
def no_problem(t: Trace) -> None:
    del t["problem"]


@bad(SCAN)
def a_field_more(t: Trace) -> None:
    t["believed"] = True


@bad(SCAN)
def a_field_more_in_the_problem(t: Trace) -> None:
    t["problem"]["axioms"] = []


@bad(SCAN)
def a_field_less_in_the_problem(t: Trace) -> None:
    del t["problem"]["functions"]


@bad(SCAN)
def a_field_less_in_what_is_declared(t: Trace) -> None:
    del t["declared"]["states"]


@bad(SCAN)
def sizes_that_are_declared_besides(t: Trace) -> None:
    t["declared"]["sizes"] = []


@bad(SCAN)
def statements_that_are_an_object(t: Trace) -> None:
    t["problem"]["statements"] = {"0": t["problem"]["statements"][0]}


@bad(SCAN)
def theorems_that_are_null(t: Trace) -> None:
    t["theorems"] = None


@bad(SCAN)
def steps_that_are_text(t: Trace) -> None:
    lines(t, "equation")[0][1] = "rewrite"


@bad(SCAN)
def a_step_that_is_a_name(t: Trace) -> None:
    lines(t, "equation")[0][1][0] = "rewrite"


@bad(SCAN)
def a_name_that_is_a_list(t: Trace) -> None:
    t["problem"]["states"][0][0] = ["S'0"]


@bad(SCAN, SUMS)
def a_least_size_that_is_true(t: Trace) -> None:
    t["problem"]["sizes"][0][2] = True


@bad(SCAN, SUMS)
def a_least_size_below_0(t: Trace) -> None:
    t["problem"]["sizes"][0][2] = -1


@bad(SCAN)
def a_number_that_is_text(t: Trace) -> None:
    t["problem"]["sizes"][0][0] = "1"


@bad(SCAN)
def a_coefficient_that_is_a_whole_number(t: Trace) -> None:
    t["problem"]["statements"][0][0][1][0][0] = 1


@bad(SCAN)
def a_coefficient_that_is_a_float(t: Trace) -> None:
    t["problem"]["statements"][0][0][1][0][0] = 1.0


@bad(SCAN)
def a_coefficient_with_a_point(t: Trace) -> None:
    t["problem"]["statements"][0][0][1][0][0] = "1.0"


@bad(SCAN)
def a_coefficient_with_a_space(t: Trace) -> None:
    t["problem"]["statements"][0][0][1][0][0] = " 1"


@bad(SCAN)
def a_coefficient_not_in_lowest_terms(t: Trace) -> None:
    t["problem"]["statements"][0][0][1][0][0] = "2/2"


@bad(SCAN)
def a_coefficient_over_0(t: Trace) -> None:
    t["problem"]["statements"][0][0][1][0][0] = "1/0"


@bad(SCAN)
def a_coefficient_of_a_thousand_digits(t: Trace) -> None:
    t["problem"]["statements"][0][0][1][0][0] = "9" * 1000


@bad(SCAN)
def an_index_with_a_float(t: Trace) -> None:
    lines(t, "induction")[0][1][0] = 0.0


@bad(SCAN)
def an_index_with_a_coefficient_0(t: Trace) -> None:
    lines(t, "equation")[0][1][0][4][0][1] = [0, [[33, 0]]]


@bad(SCAN)
def an_index_out_of_order(t: Trace) -> None:
    lines(t, "equation")[0][1][0][4][0][1] = [0, [[33, 1], [1, 1], [2, 1]]]


@bad(SCAN)
def an_index_of_variable_0(t: Trace) -> None:
    lines(t, "equation")[0][1][0][4][0][1] = [0, [[0, 1]]]


@bad(SCAN)
def an_index_of_a_variable_that_was_passed_over(t: Trace) -> None:
    lines(t, "equation")[0][1][0][4][0][1] = at(30)


@bad(SCAN)
def an_index_of_a_variable_beyond_all(t: Trace) -> None:
    lines(t, "equation")[0][1][0][4][0][1] = at(999)


@bad(SCAN)
def a_huge_number_in_an_index(t: Trace) -> None:
    lines(t, "equation")[0][1][0][4][0][1][0] = 10**16


@bad(SCAN)
def a_variable_with_a_huge_number(t: Trace) -> None:
    t["declared"]["positions"].append([10**9, "i"])


@bad(SCAN)
def a_huge_number_of_a_monomial(t: Trace) -> None:
    lines(t, "equation")[0][1][0][1] = 10**9


@bad(SCAN)
def a_name_of_a_thousand_letters(t: Trace) -> None:
    t["declared"]["positions"].append([500, "i" * 1000])


@bad(SCAN)
def an_empty_name(t: Trace) -> None:
    t["declared"]["positions"].append([500, ""])


@bad(SCAN)
def a_scope_out_of_order(t: Trace) -> None:
    t["problem"]["statements"][0][0][0].reverse()


@bad(SCAN)
def a_scope_with_a_variable_twice(t: Trace) -> None:
    t["problem"]["statements"][0][0][0].insert(0, 1)


@bad(SCAN)
def factors_out_of_order(t: Trace) -> None:
    t["problem"]["statements"][0][1][1][0][3].reverse()


@bad(SCAN)
def a_monomial_twice(t: Trace) -> None:
    pairs = t["problem"]["statements"][0][1][1]
    pairs.append(pairs[0])


@bad(SCAN)
def lists_that_are_nested_deeply(t: Trace) -> None:
    """A split in a split, and so on: deeper than Python recurses."""
    way: list[Any] = []
    for _ in range(5000):
        way = [["split", at(1), way, []]]
    lines(t, "equation")[0][1] = way


@bad(SCAN)
def an_index_that_is_nested_deeply(t: Trace) -> None:
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    lines(t, "equation")[0][1][0][4] = deep


# What is declared.


@bad(SCAN, CASES)
def a_size_declared_as_a_position_too(t: Trace) -> None:
    t["declared"]["positions"].append([1, "i", at(), at(2)])


@bad(SCAN, CASES)
def a_position_of_the_problem_declared_with_another_range(t: Trace) -> None:
    number, name, *_ = t["problem"]["positions"][0]
    t["declared"]["positions"].append([number, name])


@bad(SCAN)
def a_position_whose_range_speaks_of_a_later_one(t: Trace) -> None:
    t["declared"]["positions"].append([500, "i", at(), at(501)])
    t["declared"]["positions"].append([501, "i", at(), at(1)])


@bad(SCAN)
def a_position_whose_range_speaks_of_itself(t: Trace) -> None:
    t["declared"]["positions"].append([500, "i", at(500, 1)])


@bad(SCAN, CASES)
def a_state_declared_again(t: Trace) -> None:
    t["declared"]["states"].append(t["problem"]["states"][0])


@bad(SCAN)
def a_state_with_an_arrays_name(t: Trace) -> None:
    t["declared"]["states"].append(["z", [], []])


@bad(SCAN)
def a_state_with_the_name_of_a_function(t: Trace) -> None:
    t["declared"]["functions"].append(["S'0", "S", 0, []])


@bad(SCAN, CASES)
def a_state_of_the_problem_defined_again(t: Trace) -> None:
    again = copy(t["problem"]["recursions"][0])
    again[2] = [[scope, []] for scope, _ in again[2]]
    t["declared"]["recursions"].append(again)


@bad(SCAN)
def a_recursion_for_a_state_that_is_not_declared(t: Trace) -> None:
    t["declared"]["recursions"].append([at(11), ["S'77"], [[[], []]], [[[], []]]])


@bad(SCAN)
def a_recursion_of_an_array(t: Trace) -> None:
    t["declared"]["recursions"].append([at(11), ["z"], [[[], []]], [[[], []]]])


@bad(SCAN, CASES)
def a_recursion_without_a_step(t: Trace) -> None:
    t["problem"]["recursions"][0][3].pop()


@bad(SCAN, CASES)
def a_recursion_that_starts_with_itself(t: Trace) -> None:
    _, (name, *_), (first, *_), _ = t["problem"]["recursions"][-1]
    state = next(s for s in t["problem"]["states"] if s[0] == name)
    first[1] = [mono("1", (name, at(), *state[1], *state[2]))]
    first[0] = sorted({*first[0], *(v for e in (*state[1], *state[2]) for v, _ in e[1])})


@bad(SCAN)
def a_recursion_that_speaks_of_itself_at_the_next_time(t: Trace) -> None:
    step = t["problem"]["recursions"][1][3][0]
    step[1][0][3][0][1][0] = at(50, 1)


@bad(SCAN)
def a_recursion_that_speaks_of_itself_at_the_next_time_by_a_name(t: Trace) -> None:
    """S[t + 1] = D[t], and D[t] = S[t + 1] + 1."""
    t["problem"]["functions"][0][3][0][3][0][1][0] = at(-1, 1)


def _position(part: Any, number: int) -> list[Any]:
    return next(p for p in part["positions"] if p[0] == number)


@bad(SCAN)
def a_recursion_whose_time_has_no_first(t: Trace) -> None:
    _position(t["problem"], 50)[2:] = []


@bad(SCAN)
def a_recursion_whose_time_begins_at_1(t: Trace) -> None:
    _position(t["problem"], 50)[2] = at(plus=1)


@bad(SCAN)
def a_recursion_whose_start_speaks_of_its_time(t: Trace) -> None:
    first = t["problem"]["recursions"][1][2][0]
    first[0], first[1][0][3] = [50], [["#", [at(50)]]]


@bad(SCAN)
def a_recursion_that_is_not_given_a_position(t: Trace) -> None:
    t["problem"]["states"][1][2] = []


@bad(SCAN, CASES, SUMS)
def a_function_declared_again(t: Trace) -> None:
    t["declared"]["functions"].append(t["problem"]["functions"][0])


@bad(SCAN, CASES, SUMS)
def a_function_of_the_problem_defined_otherwise(t: Trace) -> None:
    again = copy(t["problem"]["functions"][0])
    again[3] = []
    t["declared"]["functions"].append(again)


@bad(SUMS)
def a_function_with_an_arrays_name(t: Trace) -> None:
    t["declared"]["functions"].append(["C", "=", 2, []])


@bad(SUMS)
def a_function_that_speaks_of_itself(t: Trace) -> None:
    t["declared"]["functions"].append(["='50", "=", 0, [mono("1", ("='50",))]])


@bad(SUMS)
def a_function_that_speaks_of_a_later_one(t: Trace) -> None:
    t["declared"]["functions"].append(["='50", "=", 0, [mono("1", ("='51",))]])
    t["declared"]["functions"].append(["='51", "=", 0, []])


@bad(SUMS, SCAN)
def a_function_of_fewer_positions(t: Trace) -> None:
    t["problem"]["functions"][0][2] -= 1


@bad(SUMS, SCAN)
def a_function_of_more_positions_than_there_are(t: Trace) -> None:
    t["declared"]["functions"].append(["='50", "=", 9, []])


@bad(SUMS, SCAN)
def functions_of_no_positions(t: Trace) -> None:
    t["declared"]["formals"] = []


@bad(SUMS, SCAN)
def a_position_of_definitions_with_a_range(t: Trace) -> None:
    t["declared"]["formals"][0] = t["problem"]["positions"][0][0]


@bad(SUMS, SCAN)
def a_size_for_a_position_of_definitions(t: Trace) -> None:
    t["declared"]["formals"][0] = 1


@bad(SUMS, SCAN)
def a_position_of_definitions_twice(t: Trace) -> None:
    t["declared"]["formals"][1] = t["declared"]["formals"][0]


@bad(SUMS, SCALAR)
def a_sum_without_an_upper_end(t: Trace) -> None:
    body = t["problem"]["functions"][0][3]
    body[0][2] = [g for g in body[0][2] if g[1][0][1] > 0]


@bad(SUMS, SCALAR)
def a_sum_without_a_lower_end(t: Trace) -> None:
    body = t["problem"]["functions"][0][3]
    body[0][2] = [g for g in body[0][2] if g[1][0][1] < 0]


@bad(SUMS)
def a_sum_over_an_index_that_nothing_bounds(t: Trace) -> None:
    t["problem"]["functions"][0][3][0][1] += 1


@bad(SCAN)
def a_lemma_with_an_infinite_sum(t: Trace) -> None:
    lines(t, "induction")[0][3][0][1][1][0][2].pop()


@bad(SCAN)
def a_bound_index_of_no_sum(t: Trace) -> None:
    lines(t, "induction")[0][3][0][1][1][0][1] = 0


@bad(SCAN)
def a_bound_index_in_a_statement_without_a_sum(t: Trace) -> None:
    t["problem"]["statements"][0][1][1][0][3][0][1][0] = at(-1)


@bad(SCAN, CASES)
def a_scope_that_lacks_a_variable(t: Trace) -> None:
    t["problem"]["statements"][0][0][0].pop()


# The problem.


@bad(SCAN, CASES, SUMS, SCALAR)
def another_coefficient_on_the_left(t: Trace) -> None:
    t["problem"]["statements"][0][0][1][0][0] = "2"


@bad(SCAN, CASES, SUMS, SCALAR, INVERSE, COUNTED)
def nothing_on_the_right(t: Trace) -> None:
    t["problem"]["statements"][0][1][1] = []


@bad(SCAN, SUMS)
def the_two_positions_of_a_statement_exchanged(t: Trace) -> None:
    factor = t["problem"]["statements"][0][1][1][0][3][0]
    factor[1].reverse()


@bad(SCAN)
def the_right_sides_exchanged(t: Trace) -> None:
    (_, one), (_, other) = t["problem"]["statements"]
    one[:], other[:] = list(other), list(one)


@bad(SCAN)
def the_statements_exchanged(t: Trace) -> None:
    t["problem"]["statements"].reverse()


@bad(SCAN, SUMS)
def a_statement_more(t: Trace) -> None:
    t["problem"]["statements"].append(t["problem"]["statements"][0])


@bad(SCAN, SUMS)
def a_statement_less(t: Trace) -> None:
    t["problem"]["statements"].pop()


@bad(SUMS, SCALAR)
def another_definition_under_a_name(t: Trace) -> None:
    t["problem"]["functions"][0][3][0][0] = "2"


@bad(SUMS)
def a_definition_of_another_array(t: Trace) -> None:
    t["problem"]["functions"][0][3][0][3][0][0] = "B"


@bad(SCAN)
def another_start_of_a_recursion(t: Trace) -> None:
    first = t["problem"]["recursions"][1][2][0]
    first[1][0][0] = "2"


@bad(SCAN)
def another_step_of_a_recursion(t: Trace) -> None:
    t["problem"]["recursions"][0][3][0][1][0][0] = "-1"


@bad(SUMS)
def another_length_of_a_sum(t: Trace) -> None:
    t["problem"]["functions"][0][3][0][2][0] = at(-3, -1, coefficient=-1, more=[1, 1])


# Lines.


@bad(SCAN, CASES, SUMS)
def no_lines(t: Trace) -> None:
    t["theorems"] = []


@bad(SCAN, CASES, SUMS)
def the_last_line_dropped(t: Trace) -> None:
    t["theorems"].pop()


@bad(SCAN, CASES, SUMS, SCALAR, INVERSE, COUNTED)
def the_first_line_dropped(t: Trace) -> None:
    t["theorems"].pop(0)


@bad(SCAN, CASES, SUMS)
def the_first_line_twice(t: Trace) -> None:
    """So the numbers of all that follow are other ones."""
    t["theorems"].insert(0, copy(t["theorems"][0]))


@bad(SCAN, CASES, SUMS)
def the_equation_twice(t: Trace) -> None:
    t["theorems"].append(copy(t["theorems"][-1]))


@bad(SCAN, CASES, SUMS, SCALAR)
def the_lines_reversed(t: Trace) -> None:
    t["theorems"].reverse()


@bad(SCAN, CASES)
def the_first_two_lines_exchanged(t: Trace) -> None:
    a, b, *_ = t["theorems"]
    t["theorems"][:2] = [b, a]


@bad(SCAN, CASES, SUMS)
def a_theorem_used_before_it_is_made(t: Trace) -> None:
    t["theorems"].insert(-1, t["theorems"].pop(0))


@bad(SCAN, CASES, SUMS)
def the_first_half_of_the_lines(t: Trace) -> None:
    del t["theorems"][len(t["theorems"]) // 2 :]


@bad(SCAN, CASES, SUMS, SCALAR)
def an_equation_without_its_last_step(t: Trace) -> None:
    lines(t, "equation")[-1][1].pop()


@bad(SCAN, CASES, SUMS, SCALAR)
def an_equation_without_its_first_step(t: Trace) -> None:
    lines(t, "equation")[-1][1].pop(0)


@bad(SCAN, CASES)
def an_equation_with_the_steps_reversed(t: Trace) -> None:
    lines(t, "equation")[0][1].reverse()


@bad(SCAN)
def an_axiom(t: Trace) -> None:
    t["theorems"][-1][0] = "axiom"


@bad(SCAN)
def a_definition_for_a_line(t: Trace) -> None:
    t["theorems"].insert(0, ["definition", "S'0", 0])


@bad(SCAN)
def a_kind_that_is_a_list(t: Trace) -> None:
    t["theorems"][-1][0] = ["equation"]


@bad(SCAN)
def a_line_without_a_kind(t: Trace) -> None:
    t["theorems"].append([])


@bad(SCAN)
def an_equation_with_two_ways(t: Trace) -> None:
    t["theorems"][-1].append([])


# Steps.


@bad(SCAN, CASES, SUMS, SCALAR)
def a_rule_that_there_is_not(t: Trace) -> None:
    steps(t, "rewrite")[0][0] = "believe"


@bad(SCAN)
def a_method_that_is_no_rule(t: Trace) -> None:
    steps(t, "eliminate")[0][:] = ["_exchange", 0, [], []]


@bad(SCAN)
def an_attribute_that_is_no_rule(t: Trace) -> None:
    steps(t, "eliminate")[0][:] = ["closed"]


@bad(SCAN)
def a_step_that_is_empty(t: Trace) -> None:
    lines(t, "equation")[0][1].append([])


@bad(SCAN)
def a_step_with_an_argument_more(t: Trace) -> None:
    steps(t, "eliminate")[0].append(0)


@bad(SCAN, CASES, SCALAR)
def guards_with_one_more(t: Trace) -> None:
    next(s for s in steps(t, "regroup") if s[2])[2][0][0].append(at(1, -5))


@bad(SCAN, CASES, SCALAR)
def guards_dropped(t: Trace) -> None:
    next(s for s in steps(t, "regroup") if s[2] and s[2][0][0])[2][0][0].pop()


@bad(SCAN, CASES, SCALAR, INVERSE)
def a_region_counted_twice(t: Trace) -> None:
    next(s for s in steps(t, "regroup") if s[2])[2][0][1] = "2"


@bad(SCAN, CASES, SCALAR, INVERSE)
def a_region_left_out(t: Trace) -> None:
    next(s for s in steps(t, "regroup") if s[2])[2].pop()


@bad(SCAN, CASES, SUMS, SCALAR)
def what_is_left_over_dropped_as_if_no_case_had_it(t: Trace) -> None:
    lines(t, "equation")[-1][1][:] = [["regroup", k, []] for k in range(2)]


@bad(SCAN, CASES, SCALAR)
def another_index_for_one_that_is_put_away(t: Trace) -> None:
    step = steps(t, "eliminate")[0]
    step[3] = [step[3][0] + 1, step[3][1]]


@bad(SCAN, SUMS)
def an_index_put_away_that_may_be_anything(t: Trace) -> None:
    lines(t, "equation")[0][1].insert(0, ["eliminate", 0, 33 if _has(t, 33) else 10, at()])


def _has(t: Trace, number: int) -> bool:
    return any(p[0] == number for p in t["problem"]["positions"])


@bad(SCAN)
def an_index_put_away_for_itself(t: Trace) -> None:
    lines(t, "equation")[0][1].insert(0, ["eliminate", 0, 33, at(33)])


@bad(SCAN, SUMS)
def a_renaming_by_a_multiple(t: Trace) -> None:
    steps(t, "rename")[0][2][0][0][1] = [0, [[-1, 2]]]


@bad(SUMS)
def a_renaming_of_two_to_one(t: Trace) -> None:
    images = steps(t, "rename")[0][2][0]
    images[0][1] = images[1][1]


@bad(SUMS, SCAN)
def a_renaming_of_fewer(t: Trace) -> None:
    steps(t, "rename")[0][2][0].pop()


@bad(SUMS, SCAN)
def a_renaming_in_no_way(t: Trace) -> None:
    """Which would delete the monomial."""
    steps(t, "rename")[0][2] = []


@bad(SUMS, SCAN)
def a_renaming_to_an_index_of_no_sum(t: Trace) -> None:
    steps(t, "rename")[0][2][0][0][1] = [0, [[-7, 1]]]


@bad(SCALAR, INVERSE)
def the_number_of_what_is_no_number(t: Trace) -> None:
    step = steps(t, "number")[0]
    step[2] = 0 if step[2] else 1


@bad(SCALAR, INVERSE)
def the_number_of_a_factor_that_is_not_there(t: Trace) -> None:
    steps(t, "number")[0][2] = 50


@bad(COUNTED)
def an_index_counted_that_there_is_not(t: Trace) -> None:
    steps(t, "count")[0][2] = -7


@bad(COUNTED)
def a_free_index_counted(t: Trace) -> None:
    steps(t, "count")[0][2] = 1


@bad(SUMS)
def an_index_counted_that_a_factor_mentions(t: Trace) -> None:
    lines(t, "reduction")[0][2].append(["count", 1, -1])


@bad(SCALAR)
def a_factor_cancelled_that_is_no_inverse(t: Trace) -> None:
    steps(t, "cancel")[0][2:] = [0, 1]


@bad(SCALAR)
def an_inverse_cancelled_with_itself(t: Trace) -> None:
    steps(t, "cancel")[0][2:] = [1, 1]


@bad(SCALAR)
def an_inverse_cancelled_with_what_it_is_not_of(t: Trace) -> None:
    steps(t, "cancel")[0][2:] = [1, 2]


@bad(INVERSE)
def a_factor_cleared_that_is_no_inverse(t: Trace) -> None:
    steps(t, "clear")[0][2] += 1


@bad(SCAN)
def an_array_cleared(t: Trace) -> None:
    lines(t, "equation")[0][1].insert(0, ["clear", 0, 0])


@bad(SCAN, CASES, SUMS)
def a_factor_rewritten_that_is_not_there(t: Trace) -> None:
    steps(t, "rewrite")[0][2] = 9


@bad(SCAN, CASES, SUMS)
def a_monomial_rewritten_that_is_not_there(t: Trace) -> None:
    steps(t, "rewrite")[0][1] = 99


@bad(SCAN, CASES, SUMS)
def a_variable_of_a_theorem_without_an_image(t: Trace) -> None:
    next(s for s in steps(t, "rewrite") if type(s[3]) is int)[4].pop()


@bad(SCAN, CASES, SUMS)
def an_image_for_a_variable_that_a_theorem_has_not(t: Trace) -> None:
    step = next(s for s in steps(t, "rewrite") if type(s[3]) is int)
    step[4] = sorted([*step[4], [1, at(plus=2)]])


@bad(SCAN, CASES, SUMS)
def another_image_for_a_theorems_variable(t: Trace) -> None:
    step = next(s for s in steps(t, "rewrite") if type(s[3]) is int)
    step[4][0][1][0] += 1


@bad(SCAN, CASES)
def a_theorem_that_there_is_not(t: Trace) -> None:
    next(s for s in steps(t, "rewrite") if type(s[3]) is int)[3] = 99


@bad(SCAN, CASES)
def a_theorem_counted_from_behind(t: Trace) -> None:
    next(s for s in reversed(steps(t, "rewrite")) if type(s[3]) is int)[3] = -1


@bad(SCAN)
def a_theorem_whose_number_is_true(t: Trace) -> None:
    next(s for s in steps(t, "rewrite") if s[3] == 1)[3] = True


@bad(SCAN, CASES, SUMS)
def another_theorem(t: Trace) -> None:
    step = next(s for s in reversed(steps(t, "rewrite")) if type(s[3]) is int)
    step[3] = step[3] - 1 if step[3] else 1


@bad(SCAN)
def a_theorem_of_a_kind_that_there_is_not(t: Trace) -> None:
    steps(t, "rewrite")[0][3] = ["axiom", "='1"]


@bad(SCAN, CASES)
def an_unfolding_of_a_state(t: Trace) -> None:
    _named(t, "definition")[0][3] = ["unfolding", "S'0"]


@bad(SCAN)
def an_unfolding_of_an_array(t: Trace) -> None:
    steps(t, "rewrite")[0][3] = ["unfolding", "z"]


@bad(INVERSE)
def an_unfolding_of_an_inverse(t: Trace) -> None:
    name = _inverse(t)
    line = next(x for x in lines(t, "congruence") if x[1][0] == name)
    positions = [e[1][0][0] for e in line[1][1]]
    images = [[f, at(v)] for f, v in zip(t["declared"]["formals"], positions, strict=False)]
    line[0], line[2] = "reduction", [["rewrite", 0, 0, ["unfolding", name], images]]


def _inverse(t: Trace) -> str:
    every = [*t["problem"]["functions"], *t["declared"]["functions"]]
    return next(f[0] for f in every if f[1] == "1/")


@bad(SCAN)
def an_unfolding_of_another_name(t: Trace) -> None:
    steps(t, "rewrite")[0][3] = ["unfolding", "='4"]


@bad(SCAN)
def a_definition_of_a_function(t: Trace) -> None:
    _named(t, "definition")[0][3] = ["definition", "='1", 0]


@bad(SCAN)
def a_definition_that_is_neither_start_nor_step(t: Trace) -> None:
    _named(t, "definition")[0][3][2] = 2


@bad(SCAN)
def a_definition_counted_from_behind(t: Trace) -> None:
    _named(t, "definition")[0][3][2] = -1


@bad(SCAN, CASES)
def the_start_of_a_state_for_its_step(t: Trace) -> None:
    next(s for s in _named(t, "definition") if s[3][2] == 1)[3][2] = 0


@bad(SCAN, SUMS)
def a_step_of_a_goal_in_a_reduction(t: Trace) -> None:
    lines(t, "reduction")[0][2].insert(0, ["split", at(1), [], []])


@bad(SCAN, SUMS)
def a_clearing_in_a_reduction(t: Trace) -> None:
    lines(t, "reduction")[0][2].insert(0, ["clear", 0, 0])


# Cases.


@bad(CASES)
def a_split_with_one_case(t: Trace) -> None:
    steps(t, "split")[0].pop()


@bad(CASES)
def a_split_with_three_cases(t: Trace) -> None:
    steps(t, "split")[0].append([])


@bad(CASES)
def a_split_of_which_a_case_is_not_shown(t: Trace) -> None:
    steps(t, "split")[0][3] = []


@bad(CASES)
def a_split_of_which_the_first_case_is_not_shown(t: Trace) -> None:
    steps(t, "split")[0][2] = []


@bad(CASES)
def a_split_with_its_cases_exchanged(t: Trace) -> None:
    step = steps(t, "split")[0]
    step[2:] = step[:1:-1]


@bad(CASES)
def a_split_by_another_guard(t: Trace) -> None:
    steps(t, "split")[0][1][0] -= 1


@bad(CASES)
def a_split_by_a_bound_index(t: Trace) -> None:
    steps(t, "split")[0][1] = at(-1)


@bad(CASES)
def a_split_by_a_variable_that_the_goal_has_not(t: Trace) -> None:
    steps(t, "split")[0][1] = at(t["declared"]["positions"][0][0], -1)


# Induction.


@bad(SCAN, CASES)
def a_hypothesis_at_the_start(t: Trace) -> None:
    line = lines(t, "induction")[0]
    pair = line[4][0]
    used = ["rewrite", 0, 0, ["hypothesis", 0], [[v, at(v)] for v in _given(line)]]
    pair[0][:] = [used]


def _given(line: list[Any]) -> list[int]:
    """The variables of an induction's first claim, without its time."""
    (when,) = [v for v, _ in line[1][1]]
    return sorted({v for e in line[3][0][0][1] for v, _ in e[1]} - {when})


@bad(SCAN, CASES)
def a_hypothesis_for_its_own_lemma(t: Trace) -> None:
    """In the equation that uses the lemma."""
    for line in lines(t, "equation"):
        for step in line[1]:
            if step[0] == "rewrite" and type(step[3]) is int:
                step[3] = ["hypothesis", 0]
                return


@bad(SCAN, SUMS)
def a_hypothesis_in_a_reduction(t: Trace) -> None:
    steps(t, "rewrite")[0][3] = ["hypothesis", 0]


@bad(SCAN, CASES)
def a_hypothesis_of_a_claim_that_there_is_not(t: Trace) -> None:
    _named(t, "hypothesis")[0][3][1] = 1


@bad(SCAN, CASES)
def a_hypothesis_counted_from_behind(t: Trace) -> None:
    _named(t, "hypothesis")[0][3][1] = -1


def _named(t: Trace, kind: str) -> list[Any]:
    """The steps by a hypothesis, a definition or an unfolding."""
    return [s for s in steps(t, "rewrite") if type(s[3]) is list and s[3][0] == kind]


@bad(CASES)
def a_hypothesis_of_another_induction(t: Trace) -> None:
    """That of the last, in the one before it."""
    first, last = lines(t, "induction")
    step = _named(t, "hypothesis")[0]
    first[4][0][1].insert(0, step)
    assert step[4] and last


@bad(SCAN, CASES)
def a_lemma_for_its_own_step(t: Trace) -> None:
    number = _number_of(t, lines(t, "induction")[-1])
    _named(t, "hypothesis")[-1][3] = number


def _number_of(t: Trace, wanted: list[Any]) -> int:
    count = 0
    for line in t["theorems"]:
        if line is wanted:
            return count
        count += len(line[3]) if line[0] == "induction" else line[0] != "equation"
    raise LookupError("no such line")


@bad(SCAN, CASES)
def the_time_of_an_induction_for_that_of_its_hypotheses(t: Trace) -> None:
    line = lines(t, "induction")[0]
    line[2] = line[1]


@bad(SCAN, CASES)
def a_time_that_reaches_the_end(t: Trace) -> None:
    """So that the step would go beyond it."""
    number = lines(t, "induction")[0][2][1][0][0]
    _position(t["declared"], number)[3][0] += 1


@bad(SCAN, CASES)
def a_time_that_begins_at_1(t: Trace) -> None:
    number = lines(t, "induction")[0][2][1][0][0]
    _position(t["declared"], number)[2][0] = 1


@bad(SCAN, CASES)
def a_time_without_an_end(t: Trace) -> None:
    number = lines(t, "induction")[0][2][1][0][0]
    del _position(t["declared"], number)[3]


@bad(SCAN, CASES)
def a_time_that_a_claim_speaks_of(t: Trace) -> None:
    line = lines(t, "induction")[0]
    scope = line[3][0][1][0]
    scope[:] = sorted({*scope, line[2][1][0][0]})


@bad(SCAN, CASES)
def a_time_that_is_a_size(t: Trace) -> None:
    lines(t, "induction")[0][2] = at(1)


@bad(SCAN, CASES)
def a_time_that_is_an_expression(t: Trace) -> None:
    lines(t, "induction")[0][2][0] += 1


@bad(SCAN, CASES)
def an_induction_that_begins_at_1(t: Trace) -> None:
    number = lines(t, "induction")[0][1][1][0][0]
    _position(t["declared"], number)[2][0] = 1


@bad(SCAN, CASES)
def an_induction_without_an_end(t: Trace) -> None:
    number = lines(t, "induction")[0][1][1][0][0]
    del _position(t["declared"], number)[3]


@bad(SCAN, CASES)
def an_induction_over_a_time_that_ends_earlier(t: Trace) -> None:
    number = lines(t, "induction")[0][1][1][0][0]
    _position(t["declared"], number)[3][0] -= 1


@bad(SCAN, CASES)
def another_claim_of_an_induction(t: Trace) -> None:
    lines(t, "induction")[0][3][0][1][1][0][0] = "2"


@bad(SCAN, CASES)
def an_induction_of_which_the_step_is_not_shown(t: Trace) -> None:
    lines(t, "induction")[0][4][0][1] = []


@bad(SCAN, CASES)
def an_induction_of_which_the_start_is_not_shown(t: Trace) -> None:
    lines(t, "induction")[0][4][0][0] = []


@bad(SCAN, CASES)
def an_induction_without_a_step(t: Trace) -> None:
    lines(t, "induction")[0][4][0].pop()


@bad(SCAN, CASES)
def an_induction_without_ways(t: Trace) -> None:
    lines(t, "induction")[0][4] = []


@bad(SCAN, CASES)
def an_induction_without_a_start_and_a_step_for_a_claim(t: Trace) -> None:
    claims = lines(t, "induction")[0][3]
    claims.append(copy(claims[0]))


@bad(SCAN, CASES)
def an_induction_with_more_ways_than_claims(t: Trace) -> None:
    lines(t, "induction")[0][4].append([[], []])


@bad(SCAN)
def an_induction_without_claims(t: Trace) -> None:
    line = lines(t, "induction")[0]
    line[3], line[4] = [], []


# Reduction and congruence.


@bad(SCAN, SUMS, CASES)
def a_reduction_of_another_factor(t: Trace) -> None:
    line = lines(t, "reduction")[0]
    line[1][0] = next(f[0] for f in t["problem"]["functions"] if f[0] != line[1][0])


@bad(SCAN, SUMS)
def a_reduction_of_an_array_by_an_unfolding(t: Trace) -> None:
    lines(t, "reduction")[0][1][0] = "z"


@bad(SCAN, SUMS)
def a_reduction_at_a_sum_of_positions(t: Trace) -> None:
    lines(t, "reduction")[0][1][1][0][0] += 1


@bad(SCAN, SUMS)
def a_reduction_at_a_size(t: Trace) -> None:
    lines(t, "reduction")[0][1][1][0] = at(1)


@bad(SCAN, SUMS)
def a_reduction_at_a_number(t: Trace) -> None:
    lines(t, "reduction")[0][1][1][0] = at()


@bad(SCAN, SUMS)
def a_reduction_at_one_position_twice(t: Trace) -> None:
    positions = lines(t, "reduction")[0][1][1]
    positions[1] = copy(positions[0])


@bad(SUMS)
def a_reduction_where_a_range_speaks_of_another_position(t: Trace) -> None:
    """Of the sum's own index below a third position."""
    positions = t["declared"]["positions"]
    positions += [[500, "n", at(), at(1)], [501, "i", at(), at(500)]]
    line = lines(t, "reduction")[0]
    line[1][1][0] = at(501)
    line[2][0][4][0][1] = at(501)


@bad(SUMS)
def a_theorem_at_positions_of_another_range(t: Trace) -> None:
    """Shown for the first row only, and used for all."""
    positions = t["declared"]["positions"]
    positions.append([500, "i", at(), at(plus=1)])
    line = lines(t, "reduction")[0]
    line[1][1][0] = at(500)
    line[2][0][4][0][1] = at(500)
    for step in steps(t, "rewrite"):
        if step[3] == 0:
            step[4] = sorted([[500 if v == 7 else v, e] for v, e in step[4]])


@bad(SUMS)
def a_theorem_at_positions_that_there_are_not(t: Trace) -> None:
    """Of an empty range, where everything holds: it is of no use anywhere."""
    positions = t["declared"]["positions"]
    positions.append([500, "i", at(), at()])
    line = lines(t, "reduction")[0]
    line[1][1][0] = at(500)
    line[2][0][4][0][1] = at(500)
    line[2].append(["regroup", 1, []])
    for step in steps(t, "rewrite"):
        if step[3] == 0:
            step[4] = sorted([[500 if v == 7 else v, e] for v, e in step[4]])


@bad(INVERSE)
def a_congruence_of_an_array(t: Trace) -> None:
    lines(t, "congruence")[0][1][0] = "z"


@bad(INVERSE, "gril.a6-softmax+features")
def a_congruence_for_a_reduction(t: Trace) -> None:
    """f(T) = f(T'), and not T = T'."""
    lines(t, "congruence")[0][0] = "reduction"


@bad(SCAN)
def a_congruence_of_a_state(t: Trace) -> None:
    t["theorems"].insert(0, ["congruence", ["S'0", [at(11), at(12), at(13)]], []])


@bad(SUMS)
def a_reduction_for_a_congruence(t: Trace) -> None:
    lines(t, "reduction")[0][0] = "congruence"


# What changes nothing.


def _fresh(t: Trace) -> int:
    known = [*t["problem"]["sizes"], *t["problem"]["positions"], *t["declared"]["positions"]]
    return 1 + max(one[0] for one in known)


def _insert(t: Trace, line: list[Any]) -> None:
    """A theorem behind those that have numbers."""
    place = next(k for k, one in enumerate(t["theorems"]) if one[0] == "equation")
    t["theorems"].insert(place, line)


FEW = (SCAN, CASES, SCALAR, INVERSE)


@harmless(*FEW)
def an_unused_position(t: Trace) -> None:
    t["declared"]["positions"].append([_fresh(t), "unused", at(), at(1)])


@harmless(*FEW)
def unused_positions_with_gaps_between_their_numbers(t: Trace) -> None:
    n = _fresh(t)
    t["declared"]["positions"] += [[n + 30, "b", at(n + 7)], [n + 7, "a"]]


@harmless(*FEW)
def an_unused_position_of_definitions(t: Trace) -> None:
    n = _fresh(t)
    t["declared"]["positions"].append([n, "p"])
    t["declared"]["formals"].append(n)


@harmless(*FEW)
def an_unused_function(t: Trace) -> None:
    t["declared"]["functions"].append(["='900", "=", 1, [mono("1", ("any", at(-1)), bound=1)]])


@harmless(*FEW)
def an_unused_recursion(t: Trace) -> None:
    n = _fresh(t)
    t["declared"]["positions"].append([n, "t", at()])
    t["declared"]["states"].append(["Q'900", [], []])
    step = [[n], [mono("2", ("Q'900", at(n)))]]
    t["declared"]["recursions"].append([at(n), ["Q'900"], [[[], [mono("1")]]], [step]])


@harmless(*FEW)
def an_unused_lemma(t: Trace) -> None:
    """X[t] = X[t] by induction."""
    n = _fresh(t)
    t["declared"]["positions"] += [[n, "t", at(), at(1, 1)], [n + 1, "t", at(), at(1)]]
    claim = [["X", [at(n)]], [[1, n], [mono("1", ("X", at(n)))]]]
    _insert(t, ["induction", at(n), at(n + 1), [claim], [[[], []]]])


@harmless(*FEW)
def an_unused_reduction(t: Trace) -> None:
    n = _fresh(t)
    t["declared"]["positions"].append([n, "i", at(), at(1)])
    _insert(t, ["reduction", ["X", [at(n)]], []])


@harmless(SCAN, CASES, SCALAR, SUMS, INVERSE, COUNTED)
def a_needless_split(t: Trace) -> None:
    for line, sides in zip(lines(t, "equation"), t["problem"]["statements"], strict=True):
        for v in sorted({*sides[0][0], *sides[1][0]})[:1]:
            line[1] = [["split", at(v, -5), line[1], copy(line[1])]]


@harmless(SCAN, CASES)
def a_needless_split_in_an_induction(t: Trace) -> None:
    line = lines(t, "induction")[0]
    v = line[3][0][1][0][0]
    for pair in line[4]:
        pair[1] = [["split", at(v, -5), pair[1], copy(pair[1])]]


@harmless(SUMS, SCALAR)
def a_reflection_and_its_undoing(t: Trace) -> None:
    """Σ_s F(s) = Σ_s F(1 − s) = Σ_s F(s), where a reduction by one unfolding ends."""
    line = next(x for x in lines(t, "reduction") if len(x[2]) == 1 and _sums(t, x[1][0]) == 1)
    turned = [[-1, [1, [[-1, -1]]]]]
    line[2] += [["rename", 1, [turned]], ["rename", 2, [turned]]]


def _sums(t: Trace, name: str) -> int:
    """How many sums the only monomial of a definition has; −1 if there are more."""
    _, _, arity, body = next(f for f in t["problem"]["functions"] if f[0] == name)
    return body[0][1] - arity if len(body) == 1 else -1


@harmless(SUMS, SCAN)
def a_renaming_that_changes_nothing(t: Trace) -> None:
    for way in (way for line in t["theorems"] for way in ways(line)):
        for k, step in enumerate(way):
            if step[0] == "rename" and len(step[2][0]) == 1:
                way.insert(k, ["rename", step[1], [[[-1, at(-1)]]]])
                return
    way = lines(t, "reduction")[0][2]
    way.append(["rename", 1, [[[-1, at(-1)]]]])


@harmless(*FEW)
def other_names_of_sizes_and_positions(t: Trace) -> None:
    every = [*t["problem"]["sizes"], *t["problem"]["positions"], *t["declared"]["positions"]]
    for one in every:
        one[1] = f"v{one[0]}"


@harmless(*FEW)
def larger_least_sizes(t: Trace) -> None:
    for one in t["problem"]["sizes"]:
        one[2] += 3


@harmless(*FEW)
def declarations_in_another_order(t: Trace) -> None:
    t["declared"]["positions"].reverse()


@harmless(*FEW)
def a_theorem_twice_behind_the_others(t: Trace) -> None:
    _insert(t, copy(t["theorems"][0]))
