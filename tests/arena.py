"""Written proofs that the checker must refuse, and others that it must take, after the Lean Kernel Arena.

Each refused one is made from one that passes, by a function whose name says what is wrong with it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import forged
from certificates import VARIED, Trace, copy, lines, real, steps
from edits import ALL, Change, Key, add, append, drop, every, extend, insert, put, reverse, same
from forged import at, mono

SCAN, CASES, SCALAR, SUMS = "ssd.eq3", "ch9.eq9.8+index", "gd-ssm.prop4+vanishing", "gril.eq10"
REGIONS = "gril.a1-state+input-sign"
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


def refuse(*ids: str, **changes: Change) -> None:
    """Each change of the proofs of these claims, by its name, must be refused."""
    for name, change in changes.items():
        change.__name__ = name
        bad(*ids)(change)


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


# Places of a proof.


def line(kind: str, n: int = 0) -> Key:
    return lambda t: lines(t, kind)[n]


def step(rule: str, n: int = 0) -> Key:
    return lambda t: steps(t, rule)[n]


def by(kind: str, n: int = 0) -> Key:
    """A step by a hypothesis, a definition or an unfolding."""
    return lambda t: _named(t, kind)[n]


def position(number: int) -> Key:
    return lambda part: next(p for p in part["positions"] if p[0] == number)


def BY_THEOREM(t: Trace) -> Any:
    """The first step by a theorem that has a number."""
    return next(s for s in steps(t, "rewrite") if type(s[3]) is int)


def REGROUPED(t: Trace) -> Any:
    return next(s for s in steps(t, "regroup") if s[2])


def WHEN(t: Trace) -> Any:
    """The position that the first induction goes over."""
    return _declared(t, lines(t, "induction")[0][1])


def TIME(t: Trace) -> Any:
    """The position of the first induction's hypotheses."""
    return _declared(t, lines(t, "induction")[0][2])


def _declared(t: Trace, index: Any) -> Any:
    number = index[1][0][0]
    return next(p for p in t["declared"]["positions"] if p[0] == number)


# What is no such object.

refuse(
    SCAN,
    SUMS,
    a_name_that_prints_as_another_line=put("problem", "sizes", 0, 1, "N ≥ 1:\n  ⊢ 1 = 2"),
    a_size_that_is_called_like_a_number=put("problem", "sizes", 0, 1, "2"),
    a_least_size_that_is_true=put("problem", "sizes", 0, 2, True),
    a_least_size_below_0=put("problem", "sizes", 0, 2, -1),
)

refuse(
    SUMS,
    two_sizes_of_one_name=put("problem", "sizes", 1, 1, same("problem", "sizes", 0, 1)),
)

refuse(
    SCAN,
    half_of_a_surrogate_pair_in_a_name=put("problem", "sizes", 0, 1, "\ud800"),
    another_format=put("format", "scanproof.trace/2"),
    no_problem=drop("problem"),
    a_field_more=put("believed", True),
    a_field_more_in_the_problem=put("problem", "axioms", []),
    a_field_less_in_the_problem=drop("problem", "functions"),
    a_field_less_in_what_is_declared=drop("declared", "states"),
    sizes_that_are_declared_besides=put("declared", "sizes", []),
    theorems_that_are_null=put("theorems", None),
    steps_that_are_text=put(line("equation"), 1, "rewrite"),
    a_step_that_is_a_name=put(line("equation"), 1, 0, "rewrite"),
    a_name_that_is_a_list=put("problem", "states", 0, 0, ["S'0"]),
    a_number_that_is_text=put("problem", "sizes", 0, 0, "1"),
    a_coefficient_that_is_a_whole_number=put("problem", "statements", 0, 0, 1, 0, 0, 1),
    a_coefficient_that_is_a_float=put("problem", "statements", 0, 0, 1, 0, 0, 1.0),
    a_coefficient_with_a_point=put("problem", "statements", 0, 0, 1, 0, 0, "1.0"),
    a_coefficient_with_a_space=put("problem", "statements", 0, 0, 1, 0, 0, " 1"),
    a_coefficient_not_in_lowest_terms=put("problem", "statements", 0, 0, 1, 0, 0, "2/2"),
    a_coefficient_over_0=put("problem", "statements", 0, 0, 1, 0, 0, "1/0"),
    a_coefficient_of_a_thousand_digits=put("problem", "statements", 0, 0, 1, 0, 0, "9" * 1000),
    an_index_with_a_float=put(line("induction"), 1, 0, 0.0),
    an_index_with_a_coefficient_0=put(line("equation"), 1, 0, 4, 0, 1, [0, [[4, 0]]]),
    an_index_out_of_order=put(line("equation"), 1, 0, 4, 0, 1, [0, [[4, 1], [1, 1], [2, 1]]]),
    an_index_of_variable_0=put(line("equation"), 1, 0, 4, 0, 1, [0, [[0, 1]]]),
    an_index_of_a_variable_that_was_passed_over=put(line("equation"), 1, 0, 4, 0, 1, at(30)),
    an_index_of_a_variable_beyond_all=put(line("equation"), 1, 0, 4, 0, 1, at(999)),
    a_huge_number_in_an_index=put(line("equation"), 1, 0, 4, 0, 1, 0, 10**16),
    a_variable_with_a_huge_number=append("declared", "positions", [10**9, "i"]),
    a_huge_number_of_a_monomial=put(line("equation"), 1, 0, 1, 10**9),
    a_name_of_a_thousand_letters=append("declared", "positions", [500, "i" * 1000]),
    an_empty_name=append("declared", "positions", [500, ""]),
    a_scope_out_of_order=reverse("problem", "statements", 0, 0, 0),
    a_scope_with_a_variable_twice=insert("problem", "statements", 0, 0, 0, 0, 1),
    factors_out_of_order=reverse("problem", "statements", 0, 1, 1, 0, 3),
    a_monomial_twice=append(
        "problem", "statements", 0, 1, 1, same("problem", "statements", 0, 1, 1, 0)
    ),
)


@bad(SCAN)
def no_object(t: Trace) -> Any:
    return [t]


@bad(SCAN)
def nothing(t: Trace) -> Any:
    return {}


@bad(SCAN)
def statements_that_are_an_object(t: Trace) -> None:
    t["problem"]["statements"] = {"0": t["problem"]["statements"][0]}


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

refuse(
    SCAN,
    CASES,
    a_size_declared_as_a_position_too=append("declared", "positions", [1, "i", at(), at(2)]),
    a_state_declared_again=append("declared", "states", same("problem", "states", 0)),
    a_recursion_without_a_step=drop("problem", "recursions", 0, 3, -1),
    a_scope_that_lacks_a_variable=drop("problem", "statements", 0, 0, 0, -1),
)

refuse(
    SCAN,
    a_position_whose_range_speaks_of_a_later_one=extend(
        "declared", "positions", [[500, "i", at(), at(501)], [501, "i", at(), at(1)]]
    ),
    a_position_whose_range_speaks_of_itself=append("declared", "positions", [500, "i", at(500, 1)]),
    a_state_with_an_arrays_name=append("declared", "states", ["z", [], []]),
    a_state_with_the_name_of_a_function=append("declared", "functions", ["S'0", "S", 0, []]),
    a_recursion_for_a_state_that_is_not_declared=append(
        "declared", "recursions", [at(6), ["S'77"], [[[], []]], [[[], []]]]
    ),
    a_recursion_of_an_array=append(
        "declared", "recursions", [at(6), ["z"], [[[], []]], [[[], []]]]
    ),
    a_recursion_that_speaks_of_itself_at_the_next_time=put(
        "problem", "recursions", 1, 3, 0, 1, 0, 3, 0, 1, 0, at(23, 1)
    ),
    # S[t + 1] = D[t], and D[t] = S[t + 1] + 1.
    a_recursion_that_speaks_of_itself_at_the_next_time_by_a_name=put(
        "problem", "functions", 0, 3, 0, 3, 0, 1, 0, at(-1, 1)
    ),
    a_recursion_whose_time_has_no_first=put("problem", position(23), slice(2, None), []),
    a_recursion_whose_time_begins_at_1=put("problem", position(23), 2, at(plus=1)),
    a_recursion_whose_start_speaks_of_its_time=every(
        put("problem", "recursions", 1, 2, 0, 0, [23]),
        put("problem", "recursions", 1, 2, 0, 1, 0, 3, [["#", [at(23)]]]),
    ),
    a_recursion_that_is_not_given_a_position=put("problem", "states", 1, 2, []),
    a_lemma_with_an_infinite_sum=drop(line("induction"), 3, 0, 1, 1, 0, 2, -1),
    a_bound_index_of_no_sum=put(line("induction"), 3, 0, 1, 1, 0, 1, 0),
    a_bound_index_in_a_statement_without_a_sum=put(
        "problem", "statements", 0, 1, 1, 0, 3, 0, 1, 0, at(-1)
    ),
)

refuse(
    SCAN,
    CASES,
    SUMS,
    a_function_declared_again=append("declared", "functions", same("problem", "functions", 0)),
)

refuse(
    SUMS,
    a_function_with_an_arrays_name=append("declared", "functions", ["C", "=", 2, []]),
    a_function_that_speaks_of_itself=append(
        "declared", "functions", ["='50", "=", 0, [mono("1", ("='50",))]]
    ),
    a_function_that_speaks_of_a_later_one=extend(
        "declared", "functions", [["='50", "=", 0, [mono("1", ("='51",))]], ["='51", "=", 0, []]]
    ),
    a_sum_over_an_index_that_nothing_bounds=add("problem", "functions", 0, 3, 0, 1, 1),
)

refuse(
    SUMS,
    SCAN,
    a_function_of_fewer_positions=add("problem", "functions", 0, 2, -1),
    a_function_of_more_positions_than_there_are=append(
        "declared", "functions", ["='50", "=", 9, []]
    ),
    functions_of_no_positions=put("declared", "formals", []),
    a_position_of_definitions_with_a_range=put(
        "declared", "formals", 0, same("problem", "positions", 0, 0)
    ),
    a_size_for_a_position_of_definitions=put("declared", "formals", 0, 1),
    a_position_of_definitions_twice=put("declared", "formals", 1, same("declared", "formals", 0)),
)


@bad(SCAN, CASES)
def a_position_of_the_problem_declared_with_another_range(t: Trace) -> None:
    number, name, *_ = t["problem"]["positions"][0]
    t["declared"]["positions"].append([number, name])


@bad(SCAN, CASES)
def a_state_of_the_problem_defined_again(t: Trace) -> None:
    again = copy(t["problem"]["recursions"][0])
    again[2] = [[scope, []] for scope, _ in again[2]]
    t["declared"]["recursions"].append(again)


@bad(SUMS, SCALAR)
def a_sum_without_an_upper_end(t: Trace) -> None:
    body = t["problem"]["functions"][0][3]
    body[0][2] = [g for g in body[0][2] if g[1][0][1] > 0]


# The problem.

refuse(
    SCAN,
    CASES,
    SUMS,
    SCALAR,
    another_coefficient_on_the_left=put("problem", "statements", 0, 0, 1, 0, 0, "2"),
)

refuse(
    SCAN,
    CASES,
    SUMS,
    SCALAR,
    INVERSE,
    COUNTED,
    nothing_on_the_right=put("problem", "statements", 0, 1, 1, []),
)

refuse(
    SCAN,
    SUMS,
    the_two_positions_of_a_statement_exchanged=reverse(
        "problem", "statements", 0, 1, 1, 0, 3, 0, 1
    ),
    a_statement_more=append("problem", "statements", same("problem", "statements", 0)),
    a_statement_less=drop("problem", "statements", -1),
)

refuse(
    SCAN,
    the_statements_exchanged=reverse("problem", "statements"),
    another_start_of_a_recursion=put("problem", "recursions", 1, 2, 0, 1, 0, 0, "2"),
    another_step_of_a_recursion=put("problem", "recursions", 0, 3, 0, 1, 0, 0, "-1"),
)

refuse(
    SUMS,
    SCALAR,
    another_definition_under_a_name=put("problem", "functions", 0, 3, 0, 0, "2"),
)

refuse(
    SUMS,
    a_definition_of_another_array=put("problem", "functions", 0, 3, 0, 3, 0, 0, "B"),
    another_length_of_a_sum=put(
        "problem", "functions", 0, 3, 0, 2, 0, at(-3, -1, coefficient=-1, more=[1, 1])
    ),
)


# Lines.

refuse(
    SCAN,
    CASES,
    SUMS,
    no_lines=put("theorems", []),
    the_last_line_dropped=drop("theorems", -1),
    # So the numbers of all that follow are other ones.
    the_first_line_twice=insert("theorems", 0, same("theorems", 0)),
    the_equation_twice=append("theorems", same("theorems", -1)),
    a_theorem_used_before_it_is_made=every(
        insert("theorems", -1, same("theorems", 0)), drop("theorems", 0)
    ),
)


refuse(
    SCAN,
    CASES,
    SUMS,
    SCALAR,
    INVERSE,
    COUNTED,
    the_first_line_dropped=drop("theorems", 0),
)

refuse(
    SCAN,
    CASES,
    SUMS,
    SCALAR,
    the_lines_reversed=reverse("theorems"),
    an_equation_without_its_last_step=drop(line("equation", -1), 1, -1),
    an_equation_without_its_first_step=drop(line("equation", -1), 1, 0),
)

refuse(
    SCAN,
    CASES,
    an_equation_with_the_steps_reversed=reverse(line("equation"), 1),
)

refuse(
    SCAN,
    an_axiom=put("theorems", -1, 0, "axiom"),
    a_definition_for_a_line=insert("theorems", 0, ["definition", "S'0", 0]),
    a_kind_that_is_a_list=put("theorems", -1, 0, ["equation"]),
    a_line_without_a_kind=append("theorems", []),
    an_equation_with_two_ways=append("theorems", -1, []),
)


# Steps.

refuse(
    SCAN,
    CASES,
    SUMS,
    SCALAR,
    a_rule_that_there_is_not=put(step("rewrite"), 0, "believe"),
    what_is_left_over_dropped_as_if_no_case_had_it=put(
        line("equation", -1), 1, ALL, [["regroup", k, []] for k in range(2)]
    ),
)

refuse(
    SCAN,
    a_method_that_is_no_rule=put(step("eliminate"), ALL, ["_exchange", 0, [], []]),
    an_attribute_that_is_no_rule=put(step("eliminate"), ALL, ["closed"]),
    a_step_that_is_empty=append(line("equation"), 1, []),
    a_step_with_an_argument_more=append(step("eliminate"), 0),
    an_index_put_away_for_itself=insert(line("equation"), 1, 0, ["eliminate", 0, 4, at(4)]),
    an_array_cleared=insert(line("equation"), 1, 0, ["clear", 0, 0]),
    an_index_divided_by_nothing=insert(line("equation"), 1, 0, ["divide", 0, at(), 0]),
    an_index_divided_by_less_than_nothing=insert(line("equation"), 1, 0, ["divide", 0, at(), -2]),
    an_index_divided_by_an_index=insert(line("equation"), 1, 0, ["divide", 0, at(), at(2)]),
    an_index_divided_that_there_is_not=insert(line("equation"), 1, 0, ["divide", 0, at(-7), 2]),
    a_theorem_of_a_kind_that_there_is_not=put(step("rewrite"), 3, ["axiom", "='1"]),
    an_unfolding_of_an_array=put(step("rewrite"), 3, ["unfolding", "z"]),
    an_unfolding_of_another_name=put(step("rewrite"), 3, ["unfolding", "='4"]),
    a_definition_of_a_function=put(by("definition"), 3, ["definition", "='1", 0]),
    a_definition_that_is_neither_start_nor_step=put(by("definition"), 3, 2, 2),
    a_definition_counted_from_behind=put(by("definition"), 3, 2, -1),
)

refuse(
    SCAN,
    CASES,
    REGIONS,
    guards_with_one_more=append(REGROUPED, 2, 0, 0, at(1, -5)),
    another_index_for_one_that_is_put_away=add(step("eliminate"), 3, 0, 1),
)

refuse(
    SCAN,
    CASES,
    REGIONS,
    INVERSE,
    a_region_counted_twice=put(REGROUPED, 2, 0, 1, "2"),
    a_region_left_out=drop(REGROUPED, 2, -1),
)

refuse(
    SUMS,
    a_renaming_by_a_multiple=put(step("rename"), 2, 0, 0, 1, [0, [[-1, 2]]]),
)

refuse(
    SCAN,
    SUMS,
    a_step_of_a_goal_in_a_reduction=insert(line("reduction"), 2, 0, ["split", at(1), [], []]),
    a_clearing_in_a_reduction=insert(line("reduction"), 2, 0, ["clear", 0, 0]),
)

refuse(
    SUMS,
    a_renaming_of_two_to_one=put(step("rename"), 2, 0, 0, 1, same(step("rename"), 2, 0, 1, 1)),
    an_index_counted_that_a_factor_mentions=append(line("reduction"), 2, ["count", 1, -1]),
)

refuse(
    SUMS,
    a_renaming_of_fewer=drop(step("rename"), 2, 0, -1),
    # Which would delete the monomial.
    a_renaming_in_no_way=put(step("rename"), 2, []),
    a_renaming_to_an_index_of_no_sum=put(step("rename"), 2, 0, 0, 1, [0, [[-7, 1]]]),
)

refuse(
    SCALAR,
    INVERSE,
    the_number_of_a_factor_that_is_not_there=put(step("number"), 2, 50),
)

refuse(
    COUNTED,
    an_index_counted_that_there_is_not=put(step("count"), 2, -7),
    a_free_index_counted=put(step("count"), 2, 1),
)

refuse(
    SCALAR,
    a_factor_cancelled_that_is_no_inverse=put(step("cancel"), slice(2, None), [0, 1]),
    an_inverse_cancelled_with_itself=put(step("cancel"), slice(2, None), [1, 1]),
    an_inverse_cancelled_with_what_it_is_not_of=put(step("cancel"), slice(2, None), [1, 2]),
)

refuse(
    INVERSE,
    a_factor_cleared_that_is_no_inverse=add(step("clear"), 2, 1),
)

refuse(
    SCAN,
    CASES,
    SUMS,
    a_factor_rewritten_that_is_not_there=put(step("rewrite"), 2, 9),
    a_monomial_rewritten_that_is_not_there=put(step("rewrite"), 1, 99),
    a_variable_of_a_theorem_without_an_image=drop(BY_THEOREM, 4, -1),
    another_image_for_a_theorems_variable=add(BY_THEOREM, 4, 0, 1, 0, 1),
)

refuse(
    SCAN,
    CASES,
    a_theorem_that_there_is_not=put(BY_THEOREM, 3, 99),
    an_unfolding_of_a_state=put(by("definition"), 3, ["unfolding", "S'0"]),
)


@bad(SCAN, SUMS)
def an_index_put_away_that_may_be_anything(t: Trace) -> None:
    lines(t, "equation")[0][1].insert(0, ["eliminate", 0, 4 if _has(t, 4) else 6, at()])


def _has(t: Trace, number: int) -> bool:
    return any(p[0] == number for p in t["problem"]["positions"])


@bad(SCALAR, INVERSE)
def the_number_of_what_is_no_number(t: Trace) -> None:
    step = steps(t, "number")[0]
    step[2] = 0 if step[2] else 1


@bad(SCAN, CASES)
def a_theorem_counted_from_behind(t: Trace) -> None:
    next(s for s in reversed(steps(t, "rewrite")) if type(s[3]) is int)[3] = -1


@bad(SCAN)
def a_theorem_whose_number_is_true(t: Trace) -> None:
    next(s for s in steps(t, "rewrite") if s[3] == 1)[3] = True


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


@bad(SCAN, CASES)
def the_start_of_a_state_for_its_step(t: Trace) -> None:
    next(s for s in _named(t, "definition") if s[3][2] == 1)[3][2] = 0


# Cases.

refuse(
    CASES,
    a_split_with_one_case=drop(step("split"), -1),
    a_split_with_three_cases=append(step("split"), []),
    a_split_of_which_a_case_is_not_shown=put(step("split"), 3, []),
    a_split_of_which_the_first_case_is_not_shown=put(step("split"), 2, []),
    a_split_by_another_guard=add(step("split"), 1, 0, -1),
    a_split_by_a_bound_index=put(step("split"), 1, at(-1)),
)


@bad(CASES)
def a_split_by_a_variable_that_the_goal_has_not(t: Trace) -> None:
    steps(t, "split")[0][1] = at(t["declared"]["positions"][0][0], -1)


# Induction.

refuse(
    SCAN,
    SUMS,
    a_hypothesis_in_a_reduction=put(step("rewrite"), 3, ["hypothesis", 0]),
)

refuse(
    SCAN,
    CASES,
    a_hypothesis_of_a_claim_that_there_is_not=put(by("hypothesis"), 3, 1, 1),
    a_hypothesis_counted_from_behind=put(by("hypothesis"), 3, 1, -1),
    the_time_of_an_induction_for_that_of_its_hypotheses=put(
        line("induction"), 2, same(line("induction"), 1)
    ),
    # So that the step would go beyond it.
    a_time_that_reaches_the_end=add(TIME, 3, 0, 1),
    a_time_that_begins_at_1=put(TIME, 2, 0, 1),
    a_time_without_an_end=drop(TIME, 3),
    a_time_that_is_a_size=put(line("induction"), 2, at(1)),
    a_time_that_is_an_expression=add(line("induction"), 2, 0, 1),
    an_induction_that_begins_at_1=put(WHEN, 2, 0, 1),
    an_induction_without_an_end=drop(WHEN, 3),
    an_induction_over_a_time_that_ends_earlier=add(WHEN, 3, 0, -1),
    another_claim_of_an_induction=put(line("induction"), 3, 0, 1, 1, 0, 0, "2"),
    an_induction_of_which_the_step_is_not_shown=put(line("induction"), 4, 0, 1, []),
    an_induction_of_which_the_start_is_not_shown=put(line("induction"), 4, 0, 0, []),
    an_induction_without_a_step=drop(line("induction"), 4, 0, -1),
    an_induction_without_ways=put(line("induction"), 4, []),
    an_induction_without_a_start_and_a_step_for_a_claim=append(
        line("induction"), 3, same(line("induction"), 3, 0)
    ),
    an_induction_with_more_ways_than_claims=append(line("induction"), 4, [[], []]),
)

refuse(
    SCAN,
    an_induction_without_claims=every(put(line("induction"), 3, []), put(line("induction"), 4, [])),
)


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
def a_time_that_a_claim_speaks_of(t: Trace) -> None:
    line = lines(t, "induction")[0]
    scope = line[3][0][1][0]
    scope[:] = sorted({*scope, line[2][1][0][0]})


# Reduction and congruence.

refuse(
    SCAN,
    SUMS,
    a_reduction_of_an_array_by_an_unfolding=put(line("reduction"), 1, 0, "z"),
    a_reduction_at_a_sum_of_positions=add(line("reduction"), 1, 1, 0, 0, 1),
    a_reduction_at_a_size=put(line("reduction"), 1, 1, 0, at(1)),
    a_reduction_at_a_number=put(line("reduction"), 1, 1, 0, at()),
    a_reduction_at_one_position_twice=put(
        line("reduction"), 1, 1, 1, same(line("reduction"), 1, 1, 0)
    ),
)

refuse(
    INVERSE,
    a_congruence_of_an_array=put(line("congruence"), 1, 0, "z"),
)

refuse(
    INVERSE,
    "gril.a6-softmax+features",
    # f(T) = f(T'), and not T = T'.
    a_congruence_for_a_reduction=put(line("congruence"), 0, "reduction"),
)

refuse(
    SCAN,
    a_congruence_of_a_state=insert(
        "theorems", 0, ["congruence", ["S'0", [at(6), at(12), at(13)]], []]
    ),
)

refuse(
    SUMS,
    a_reduction_for_a_congruence=put(line("reduction"), 0, "congruence"),
)


@bad(SCAN, SUMS, CASES)
def a_reduction_of_another_factor(t: Trace) -> None:
    line = lines(t, "reduction")[0]
    line[1][0] = next(f[0] for f in t["problem"]["functions"] if f[0] != line[1][0])


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


@harmless(SUMS, SCALAR, SCAN)
def a_reflection_and_its_undoing(t: Trace) -> None:
    """Σ_s F(s) = Σ_s F(1 − s) = Σ_s F(s), where a reduction by one unfolding ends."""
    turned = [[-1, [1, [[-1, -1]]]]]
    _behind_a_sum(t, ["rename", 1, [turned]], ["rename", 2, [turned]])


@harmless(SUMS, SCALAR, SCAN)
def a_renaming_that_changes_nothing(t: Trace) -> None:
    _behind_a_sum(t, ["rename", 1, [[[-1, at(-1)]]]])


def _behind_a_sum(t: Trace, *steps: Any) -> None:
    """Append the steps to a reduction that is one unfolding of a definition with one sum."""
    line = next(x for x in lines(t, "reduction") if len(x[2]) == 1 and _sums(t, x[1][0]) == 1)
    line[2] += steps


def _sums(t: Trace, name: str) -> int:
    """How many sums the only monomial of a definition has; −1 if there are more."""
    _, _, arity, body = next(f for f in t["problem"]["functions"] if f[0] == name)
    return body[0][1] - arity if len(body) == 1 else -1


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
