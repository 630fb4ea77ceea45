"""One attempt at a false theorem for each check of the kernel, which only that check stops.

An attack hands back two sides that it got the kernel to call equal. It is refused by the whole kernel.
"""

from . import laws, once, rules, terms, theorems
from .making import ATTACKS, ONCE, Attack, succeeds

__all__ = [
    "ATTACKS",
    "HARMLESS",
    "ONCE",
    "Attack",
    "laws",
    "once",
    "rules",
    "succeeds",
    "terms",
    "theorems",
]

HARMLESS = {
    "check: is_number and len(at) != 1": "rules read a number's first index alone, an IndexError where there is none",
    "declared: known is None": "there are no facts of what is not declared: a TypeError",
    "unfolding: name not in known": "what is no name is looked up: a KeyError",
    'Registry.fresh: "\'" in name': "what a file names is read by `made_name`; this is for those who find proofs",
    "_exp_of_log: abs(c.numerator) > POWERS": "a limit on the size of powers",
    "_exp_of_log: c.denominator not in ROOTS": "other denominators are not among those that are counted",
    "end_of_places: state.name not in index.current.states": "what is no state has no definition that says it",
    "_rational_root: under == of": "without it the root of a number would be itself",
    "law: name is None": "what is no value of a function is looked up: a KeyError",
    "law: which not in {*LAWS, *CONDITIONAL}": "what is no law is looked up: a KeyError",
    "Rewriting.alike: function_of(old) is None": "what is no value of a function is looked up: a KeyError",
    "Rewriting.beside: function_of(old) is None": "what is no value of a function is looked up: a KeyError",
    "Recursion.__init__: any((len(set(order)) < len(order) for order in orders.values()))": (
        "of two positions that are one the last counts, wherever a state is looked up"
    ),
    "Rewriting.compare: rest is None": "what has no sign is not compared: a TypeError",
    "Rewriting.cover: f == g": "step(A)² = 2 step(A) − 1 where A > 0, as both sides are 1",
    "end_of_places: c is None": "what has no sign is not compared: a TypeError",
    "end_of_places: [len(m.factors) for m in inside] != [1]": "of several none is taken: a ValueError",
    "_places: len(bound) != 1": "of several none is taken: a ValueError",
    "equality: function_of(left) is None": "what is no value of a function is looked up: a KeyError",
    "congruence: name is None": "what is no value of a function is looked up: a KeyError",
    "over_of: not reach(over) - index.current.sizes <= over": (
        "what is put for a position must be seen in its range, and of a variable that this speaks of nothing is known "
        "where it is in no scope"
    ),
    "position_number: v in current.sizes": (
        "the ranges of sizes are always there, and `substitute` and `total` refuse what one of them speaks of"
    ),
    "_unsatisfiable: len(left) > ROWS": "a limit on time",
    "_by_variable: len(known) > KNOWN": "a limit on time and memory",
    "_inconsistent: too_hard is not None": "hands a limit on time on",
    "made: len(parts) > MONOMIALS": "a limit on time",
    "Monomial.joined: len(self.factors) + len(other.factors) > FACTORS": "a limit on time",
    "times: max(found.numerator.bit_length(), found.denominator.bit_length()) > BITS": "a limit on time",
    "Rewriting.spend: self._left < 0": "a limit on time",
    "without_names: len(parts) + len(waiting) > SPELLED": "a limit on time and memory",
}
"""Checks that may go without a false theorem, and why: they say earlier or more clearly what is wrong."""
