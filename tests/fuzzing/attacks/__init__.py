"""One attempt at a false theorem for each check of the kernel, which only that check stops.

An attack hands back two sides that it got the kernel to call equal. It is refused by the whole kernel.
"""

from . import once, rules, terms, theorems
from .making import ATTACKS, ONCE, Attack, succeeds

__all__ = [
    "ATTACKS",
    "HARMLESS",
    "ONCE",
    "Attack",
    "once",
    "rules",
    "succeeds",
    "terms",
    "theorems",
]

HARMLESS = {
    "position_number: v in current.sizes": (
        "the ranges of sizes are always there, and `put` and `total` refuse what one of them speaks of"
    ),
    "position_number: v >= len(current.names)": "there are no facts of what is not declared: an IndexError",
    "_contradictory: len(left) > ROWS": "a limit on time",
    "Term.__init__: len(self.parts) > MONOMIALS": "a limit on time",
    "Rewriting.spend: self._left < 0": "a limit on time",
    "as_term: type(value) is not int and (not isinstance(value, Fraction))": (
        "Fraction() takes numbers as they are and refuses everything else"
    ),
    "entry: not name": "an empty name is a name like another",
    "apply: len(set(formals)) != len(formals)": "whatever is put for a position is put in both places",
    "Rewriting._take: k not in self.parts": "a KeyError, before anything is changed",
    "Rewriting.eliminate: not {v, *image.variables()} <= self._names(m)": (
        "guards do not say what a variable is that they do not mention, but where they contradict one another"
    ),
    "Rewriting.rename: len(own) != 1": "the next conditions see a second index, and a missing one is an IndexError",
    "Rewriting.rename: not e.variables() - {own[0][0]} <= self.scope": (
        "a sum shifted by anything at all has the same value"
    ),
    "Rewriting.rename: len(names) != m.bound": "follows from the condition before it",
    "Rewriting.cancel: one == other": "nothing is what it is itself the inverse of",
    "Goal.split: self.cases": "there are more cases to show, none less",
    "Rule.instance: not fixed - index.current.sizes <= reach(place.scope)": (
        "only hypotheses fix variables, and their goals have them in scope"
    ),
    "Recursion.__init__: len({*places, t}) != len(places) + 1": (
        "an entry is still defined once; that the time is no position is checked again"
    ),
    "induction: any((t in reach([v]) for v in over))": "`put` refuses it where the start is stated",
}
"""Checks that may go without a false theorem, and why: they say earlier or more clearly what is wrong."""
