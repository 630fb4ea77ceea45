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
    "Index.__mul__: type(factor) is not int": "Index.__init__ refuses it too",
    "as_index: type(value) is not int": "Index.__init__ refuses it too",
    "entry: not name": "an empty name is a name like another",
    "entry: name in (NUMBER, INVERSE_NUMBER)": (
        "a number is a number, and `cancel` and `clear` see that an inverse is not one of 0"
    ),
    "entry: name in index.current.bodies": (
        "it is the function's value there; at another number of positions it is another array"
    ),
    "inverse: not implied(of - 1, known) and (not implied(of * -1 - 1, known))": (
        "1/0 is some number, and `cancel` and `clear` see that nothing is taken for an inverse of 0"
    ),
    "apply: len(set(formals)) != len(formals)": "whatever is put for a position is put in both places",
    "Rewriting.regroup: len(set(ks)) != len(ks)": (
        "a KeyError when it is to go once more, and after that the sum shows nothing"
    ),
    "Rewriting._take: k not in self._parts": "a KeyError, before anything is changed",
    "Rewriting.eliminate: not {v, *image.variables()} <= self._names(m)": (
        "guards do not say what a variable is that they do not mention, but where they contradict one another"
    ),
    "Rewriting.rename: len(own) != 1": "the next conditions see a second index, and a missing one is an IndexError",
    "Rewriting.rename: not e.variables() - {own[0][0]} <= self._scope": (
        "a sum shifted by anything at all has the same value"
    ),
    "Rewriting.rename: len(names) != m.bound": "follows from the condition before it",
    "Rewriting.cancel: one == other": "nothing is what it is itself the inverse of",
    "Goal.split: self._cases": "there are more cases to show, none less",
    "Rule.instance: not fixed - index.current.sizes <= reach(place.scope)": (
        "only hypotheses fix variables, and their goals have them in scope"
    ),
    "Recursion.__init__: not len(orders) == len(states) == len(first) == len(step)": (
        "zip() refuses what is not of one length"
    ),
    "Recursion.__init__: len(set(order)) != len(order)": (
        "an entry is still defined once; that the time is no position is checked besides"
    ),
    "induction: any((t in reach([v]) for v in over))": "`put` refuses it where the start is stated",
}
"""Checks that may go without a false theorem, and why: they say earlier or more clearly what is wrong."""
