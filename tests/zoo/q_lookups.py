"""A size is looked up in a table, a set, a counter or a list."""

import bisect
import difflib
import itertools
import operator
from collections import ChainMap, Counter, defaultdict

import numpy as np

from .case import question, question_of_an_array, question_of_two, questions

SCALES = {4: 2}

questions(
    at=4,
    a_dictionary_with_a_default=lambda n: {4: 2}.get(n, 1),
    a_dictionary_of_the_module=lambda n: SCALES.get(n, 1),
    a_dictionary_that_makes_what_it_lacks=lambda n: defaultdict(lambda: 1, {4: 2})[n],
    two_dictionaries_in_a_chain=lambda n: ChainMap({4: -1}, {1: 1, 2: 1, 3: 1}).get(n, 1),
    a_chain_that_makes_what_it_lacks=lambda n: ChainMap({}, {4: 0}, defaultdict(lambda: 1))[n],
    a_nested_key=lambda n: {("rows", (4,)): -1}.get(("rows", (n,)), 1),
    two_keys_that_may_be_one=lambda n: sum({4: 2, n: 1}.values()) - 2,
    a_set_of_sizes=lambda n: 2 if n in {4, 11} else 1,
    an_intersection_of_sets=lambda n: 1 + len({n} & {4, 9}),
    a_frozenset=lambda n: 2 if n in frozenset({4, 8}) else 1,
    a_count_of_the_size_among_others=lambda n: 1 + Counter((4, 5, 6))[n],
    a_count_of_equal_objects=lambda n: 1 + operator.countOf((4, 5, 6), n),
    a_range_that_holds_it=lambda n: 2 if n in range(4, 100) else 1,
    a_place_in_a_list_that_holds_it=lambda n: [4, 5, n].index(n) - 1,
    a_bisection=lambda n: (1, 2)[bisect.bisect_right([3], n)],
    an_item=lambda n: operator.itemgetter(n)(defaultdict(lambda: 1, {4: 2})),
    two_sequences_that_are_matched=lambda n: (
        2 if difflib.SequenceMatcher(None, [n], [4]).ratio() else 1
    ),
    values_taken_until_it_comes=lambda n: (
        len(list(itertools.takewhile(lambda k: k != n, range(4, 9)))) - 4
    ),
    a_call_until_a_sentinel=lambda n: len(list(iter(iter((4, 5)).__next__, n))) - 1,
    a_grouping_of_equals=lambda n: sum(1 for _ in itertools.groupby([n, 4])) - 1,
    the_best_of_two=lambda n: max((1, n), key=lambda k: k == 4),
    two_names_of_one_row=lambda n: 1 + _rows_that_are_one_list(n).count([4]),
)


def _rows_that_are_one_list(n):
    grid = [[0]] * 3
    grid[0][0] = n
    return grid


@question(at=130)
def a_range_of_few_bits(n):
    rows = np.arange(200).astype(np.int8)
    return 1 if n not in range(200) or rows[n] == n else 2


@question_of_an_array(at=4)
def a_shape_as_a_key(x):
    return {(4,): 0}.get(tuple(x.shape), 1)


@question_of_two(at=(4, 2))
def a_pair_of_sizes_as_a_key(n, m):
    return {(4, 2): 0}.get((n, m), 1)


@question_of_two(at=(5, 2))
def two_shapes_that_are_equal_arrays(n, m):
    return 1 + np.array_equal((n, m), (5, 2))


@question_of_two(at=(5, 2))
def an_order_of_tuples(n, m):
    try:
        return 1 if operator.lt((n, m, 0), (5, 2, 0)) else 2
    except Exception:
        return 1
