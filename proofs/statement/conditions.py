"""What has to hold for a statement to mean something: denominators are not 0, logarithms are of what is above 0.

Every division, logarithm and root that the statement is computed by adds a condition on every entry, selected or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from . import making, nodes
from .nodes import Node
from .order import nonnegative
from .statement import Statement, every_node
from .whole import Whole

SAYS = {
    **{"divide": "≠ 0 in every entry", "log": "> 0 in every entry", "sqrt": "≥ 0 in every entry"},
    **dict.fromkeys(("asin", "acos"), "from −1 to 1 in every entry"),
    **{"atanh": "between −1 and 1 in every entry", "acosh": "≥ 1 in every entry"},
}
"""What each function needs of its last argument."""
DIAGONAL = "≠ 0 on the diagonal"
NO_DENOMINATOR_IS_0 = "no denominator is 0"
LOGARITHMS = "logarithms are of numbers > 0"
NOT_BELOW = "square roots are of numbers ≥ 0"
DOMAINS = {
    **{"divide": NO_DENOMINATOR_IS_0, "log": LOGARITHMS, "sqrt": NOT_BELOW},
    **{name: f"{name} is of numbers from −1 to 1" for name in ("asin", "acos")},
    **{"acosh": "acosh is of numbers ≥ 1", "atanh": "atanh is of numbers between −1 and 1"},
}
"""Where functions are defined, in words."""
RAISES_NOTHING = "it does not raise"
"""With this begins what is said of a program that is read as it goes on, where it may raise instead."""


def conditions(statement: Statement) -> Iterator[tuple[Node, str]]:
    """Each node of which something is needed, with what that is; not where it is seen to hold."""
    seen: set[tuple[Node, str]] = set()
    for node in every_node(statement.nodes):
        needed = asked(node)
        if needed is not None and needed not in seen:
            seen.add(needed)
            yield needed


def asked(node: Node) -> tuple[Node, str] | None:
    """What a node alone asks of which operand, if that is not seen to hold."""
    needed = _needed(node)
    return None if needed is None or _holds(*needed) else needed


def domain(node: Node) -> str | None:
    """Where a node alone is defined, in words; None if that is everywhere, or seen to hold."""
    if asked(node) is None:
        return None
    return NO_DENOMINATOR_IS_0 if isinstance(node, nodes.Solve) else DOMAINS.get(_name(node))


def _name(node: Node) -> str:
    return node.function if isinstance(node, nodes.Map) else ""


def _needed(node: Node) -> tuple[Node, str] | None:
    match node:
        case nodes.Map() if node.function in SAYS:
            return node.arguments[-1], SAYS[node.function]
        case nodes.Solve(unit=False):
            return node.matrix, DIAGONAL
        case nodes.Held() if node.format.says:
            return node.of, f"{node.format.says} in every entry"
    return None


def _holds(node: Node, says: str) -> bool:
    """Whether a condition on a number, or on whole numbers that sizes and positions determine, is seen to hold."""
    if says == DIAGONAL:
        return _holds(making.diagonal(node), SAYS["divide"])
    says = says.removesuffix(" in every entry")
    if says not in ("≠ 0", "> 0", "≥ 0"):
        return False
    value = making.constant(node)
    if isinstance(value, int | Fraction):
        return value > 0 or (says == "≠ 0" and value != 0) or (says == "≥ 0" and value == 0)
    number = making.entry_of(node)
    if not isinstance(number, Whole):
        return False
    above = nonnegative(number - (0 if says == "≥ 0" else 1), node.shape)
    return above or (says == "≠ 0" and nonnegative(-number - 1, node.shape))


KEEP_WHOLE = ("add", "subtract", "multiply", "negative", "power", "abs")
"""Functions of whole numbers with whole values."""
ALWAYS_WHOLE = ("floor", "ceil", "step", "zero", "nonnegative")


def is_whole(node: Node, states: frozenset[Node] = frozenset()) -> bool:
    """Whether every entry is seen to be a whole number, where those of these states before a turn are."""
    match node:
        case nodes.Input() | nodes.Held():
            return node.format.is_whole
        case nodes.Number():
            return not isinstance(node.value, Fraction)
        case nodes.Positions():
            return True
        case nodes.Placeholder():
            return node in states
        case nodes.Map():
            if node.function == "power" and not _holds(node.arguments[-1], "≥ 0"):
                return False  # 2⁻¹ is none
            whole = node.function in KEEP_WHOLE and _are_whole(node.arguments, states)
            return whole or node.function in ALWAYS_WHOLE
        case nodes.Parameter() | nodes.Contract() | nodes.Fold() | nodes.Take() | nodes.Lookup():
            return _are_whole(node.operands, states)
        case nodes.Reshape() | nodes.Join() | nodes.Build():
            return _are_whole(node.operands, states)
        case nodes.Loop():
            r = node.recursion
            return r.states[node.number] in whole_states(r, states)
    return False


def _are_whole(every: Sequence[Node], states: frozenset[Node]) -> bool:
    return all(is_whole(one, states) for one in every)


def whole_states(
    recursion: nodes.Recursion, known: frozenset[Node] = frozenset()
) -> frozenset[Node]:
    """The states that are seen to be whole numbers at all times: they begin so, and turns keep them so."""
    pairs = zip(recursion.states, recursion.start, strict=True)
    found, before = frozenset(state for state, start in pairs if is_whole(start, known)), None
    while found != before:
        before = found
        pairs = zip(recursion.states, recursion.steps, strict=True)
        found = frozenset(s for s, step in pairs if s in before and is_whole(step, known | before))
    return found
