"""A counterexample as a stand-alone Python script that needs the standard library alone.

The claim is run once more, on recorded arithmetic, at the counterexample's inputs; the script is that record. It
prints both sides and exits 0 after showing that they differ, and 1 if they do not.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from ..check.instances.at_point import difference_index, statements_at
from ..check.instances.recorded import Node, in_order, recorded
from ..exact.counterexample import Counterexample
from ..exact.entries import arranged
from ..language.claim import Claim
from ..language.sizes import by_name
from ..language.statements import AtMost, Determines, Differs, Undetermined
from ..search.wording import bare

SAME = "«actual and claimed are the same number»"
EXACTLY = "actual == claimed"
NEARLY = 'abs(actual - claimed) < number("1/1000000000000000000000000")'
TRANSCENDENTAL = {"exp", "log", "sqrt"}
RATIONAL_PRELUDE = """from fractions import Fraction as number
"""
DECIMAL_PRELUDE = """from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60


def number(text):
    exact = Fraction(text)
    return Decimal(exact.numerator) / Decimal(exact.denominator)

"""


def script(claim: Claim, counterexample: Counterexample) -> str:
    """The script's text."""
    if counterexample.lines:
        return _limits(claim, counterexample)
    statement = recorded(claim, counterexample.sizes)[counterexample.part]
    if isinstance(statement, Determines | Undetermined):
        body, nodes = _collision(claim, counterexample)
    else:
        body, nodes = _comparison(claim, counterexample, statement)
    exact = not any(node.operation in TRANSCENDENTAL for node in in_order(nodes))
    body = body.replace(SAME, EXACTLY if exact else NEARLY)
    prelude = RATIONAL_PRELUDE if exact else DECIMAL_PRELUDE
    sizes = by_name(counterexample.sizes) or "none"
    title = f'"""Counterexample to {_name(claim)}.\n\n'
    says = f"Claimed: {claim.says}\nSizes: {sizes}.\n"
    how = 'Exit status 0: the script has shown that the claim fails here.\n"""\n\n'
    return title + _escaped(says) + how + prelude + "\n" + body


def _name(claim: Claim) -> str:
    return f"{claim.id} ({claim.where})" if claim.where else claim.id


def _limits(claim: Claim, found: Counterexample) -> str:
    """The numbers in an argument about limits; that they follow is checked where it is made."""
    sizes = by_name(found.sizes)
    title = f'"""No parameters come near what {_name(claim)} claims.\n\n'
    says = (
        f"Claimed: {claim.says}\nSizes: {sizes}.\nIf they did, these expressions in the parameters would tend to these "
        f"numbers as ε → 0, and the\nlast one, {found.label}, to two. `scanproof check` checks each step.\n"
    )
    how = 'Exit status 0: the two differ.\n"""\n\n'
    lines = [
        *_assignments("", found.inputs),
        *found.lines,
        "",
        'print("actual: ", actual)',
        'print("claimed:", claimed)',
        f"if {EXACTLY}:",
        '    raise SystemExit("the two are equal")',
    ]
    return title + _escaped(says) + how + RATIONAL_PRELUDE + "\n" + "\n".join(lines) + "\n"


def _comparison(claim: Claim, found: Counterexample, statement: Any) -> tuple[str, list[Node]]:
    point = {name: _numbers(value) for name, value in found.inputs.items()}
    values = statements_at(claim, found.sizes, point)
    index = difference_index(values[found.part]) if values is not None else None
    agree = isinstance(statement, Differs)
    if index is None:
        index = (0,) * statement.left.ndim
    nodes = [statement.left[index], statement.right[index]]
    at = f", entry {list(index)}" if index else ""
    label = f" ({statement.label})" if statement.label else ""
    lines = [
        *_assignments("", found.inputs),
        "",
        *_program(
            nodes,
            [
                ("actual", f"what the definitions compute{label}{at}"),
                ("claimed", f"what is claimed{at}"),
            ],
        ),
        "",
        'print("actual: ", actual)',
        'print("claimed:", claimed)',
    ]
    if isinstance(statement, AtMost):
        lines += ["if not actual > claimed:", '    raise SystemExit("the bound holds here")']
        lines += ['print("the bound fails: actual > claimed")']
    elif agree:
        lines += ["if actual != claimed:", '    raise SystemExit("the two sides differ here")']
        lines += ['print("the two sides agree, though they are said to differ")']
    else:
        lines += [
            f"if {SAME}:",
            '    raise SystemExit("the two sides agree here")',
            'print("the two sides differ")',
        ]
    return "\n".join(lines) + "\n", nodes


def _collision(claim: Claim, found: Counterexample) -> tuple[str, list[Node]]:
    lines: list[str] = []
    nodes: list[Node] = []
    counts = (0, 0)
    for prefix in ("first", "second"):
        statement = recorded(claim, found.sizes, f"{prefix}_")[found.part]
        if not isinstance(statement, Determines | Undetermined):
            raise UsageError(
                f"claim {claim.id} returns a {type(statement).__name__} as part {found.part + 1} on second running; "
                "its body must depend on its arguments alone."
            )
        statistic, value = [*statement.statistic.flat], [*statement.value.flat]
        counts = (len(statistic), len(value))
        wanted = [(f"{prefix}_statistic_{i}", "") for i in range(len(statistic))]
        wanted += [(f"{prefix}_value_{i}", "") for i in range(len(value))]
        lines += [*_assignments(f"{prefix}_", found.inputs[prefix]), ""]
        lines += [*_program([*statistic, *value], wanted, f"{prefix}_v"), ""]
        lines += [f"{prefix}_statistic = [{', '.join(n for n, _ in wanted[: counts[0]])}]"]
        lines += [f"{prefix}_value = [{', '.join(n for n, _ in wanted[counts[0] :])}]", ""]
        nodes += [*statistic, *value]
    lines += [
        'print("statistics:", *map(str, first_statistic), "and", *map(str, second_statistic))',
        'print("values:    ", *map(str, first_value), "and", *map(str, second_value))',
        "if first_statistic != second_statistic or first_value == second_value:",
        '    raise SystemExit("these inputs show nothing")',
        'print("one statistic, two values: no map of the statistic gives the value")',
    ]
    return "\n".join(lines) + "\n", nodes


def _assignments(prefix: str, inputs: dict[str, Any]) -> list[str]:
    return [f"{prefix}{name} = {_literal(value)}" for name, value in inputs.items()]


def _literal(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_literal(v) for v in value)}]"
    return f'number("{value}")'


def _program(nodes: list[Node], names: list[tuple[str, str]], temporary: str = "v") -> list[str]:
    """Assignments that compute the nodes under the given names; shared results get a name of their own."""
    uses = Counter(id(a) for node in in_order(nodes) for a in node.arguments)
    texts: dict[int, str] = {}
    lines = []
    count = 0
    for node in in_order(nodes):
        text = _expression(node, texts)
        if uses[id(node)] > 1 and node.arguments:
            count += 1
            lines.append(f"{temporary}{count} = {bare(text)}")
            text = f"{temporary}{count}"
        texts[id(node)] = text
    for node, (name, comment) in zip(nodes, names, strict=True):
        lines += [f"# {comment}"] if comment else []
        lines.append(f"{name} = {bare(texts[id(node)])}")
    return lines


def _expression(node: Node, texts: dict[int, str]) -> str:
    if node.operation == "input":
        return node.value
    if node.operation == "constant":
        return f'number("{node.value}")'
    a, *rest = (texts[id(argument)] for argument in node.arguments)
    if node.operation == "neg":
        return f"(-{a})"
    if node.operation == "abs":
        return f"abs({bare(a)})"
    if node.operation in TRANSCENDENTAL:
        return f"({a}).{ {'exp': 'exp', 'log': 'ln', 'sqrt': 'sqrt'}[node.operation] }()"
    return f"({a} {node.operation} {rest[0]})"


def _numbers(value: Any) -> np.ndarray:
    texts = np.asarray(value, dtype=object)
    return arranged((Fraction(str(text)) for text in texts.flat), texts.shape)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', "'''")
