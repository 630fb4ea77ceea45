"""Terms brought nearer to a normal form, where what a program's numbers, masks and maxima are is seen.

How to do it is a matter of search, which is not trusted. The session's simplifier is handed a sum of the kernel's, and
all that it can do with it is to apply the kernel's rules, each of which checks its own side conditions and keeps the
sum's value: a wrong simplifier leaves an equal term. One that does too little, or nothing, makes a program unreadable,
since every query about a term is of the kind "is this one number?", to which "that is not seen" is an answer. What
the rules take for granted is that denominators are not 0, which is noted as these are read (`Session.partial`).
"""

from __future__ import annotations

from ..kernel.rules import Rewriting
from ..kernel.term import Term
from .session import current


def simplified(term: Term, closed: bool = False) -> Term:
    """An equal term, as near to a normal form as the session's simplifier takes it.

    Args:
        term: the term.
        closed: whether closed forms are to stand for states; a state is left as it is otherwise, for the proof.
    """
    if not any(m.bound or m.guards or m.factors for m in term.parts):
        return term
    work = Rewriting(term)
    current().simplifier(work, closed)
    return work.term()
