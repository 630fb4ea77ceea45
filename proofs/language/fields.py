"""What the fields of a claim may hold. A slip is found when the claim is written down, before anything is checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from scanproof.constructs.constructions.construction import Construction, slip
from scanproof.constructs.errors import UsageError, nearest

from .calls import arguments
from .claim import Claim
from .expect import look_at
from .sizes import names

RESERVED = ("p", "xp", "corrections", "construction")
"""Names that a body or a construction is given besides symbols and sizes."""
KINDS = (
    "identity",
    "construction",
    "existence",
    "definition",
    "remark",
    "bound",
    "empirical",
    "complexity",
)
FIELDS = (
    "given",
    "sizes",
    "construction",
    "parameters",
    "corrections",
    "assuming",
    "hypotheses",
    "reading",
    "unmended",
    "depends_on",
    "fixed",
    "over_all_parameters",
    "expect",
)
"""What `Source.claim` takes besides an id, says, where and kind."""
WRITTEN = ("says", "where", "kind", *FIELDS)
"""What it takes besides an id."""
CHANGES = (*FIELDS, "where", "kind", "body")
"""What an amendment may change, besides readings."""
ID = re.compile(r"[\w.+-]+")


def known(called: str, given: Iterable[str], allowed: Collection[str], what: str = "field") -> None:
    """Refuse names that are not allowed, with the nearest that are.

    Raises:
        UsageError: for the first such name.
    """
    for name in given:
        if name not in allowed:
            raise UsageError(
                f"{called} has no {what} {name!r}{nearest(name, allowed)}; allowed: {', '.join(allowed)}."
            )


def check_id(id: Any, source: str | None = None) -> None:
    """Refuse an id that could not be typed on a command line or would not be found there.

    Raises:
        UsageError: unless it is made of letters, digits and . - + _ and starts with its source's name.
    """
    if not isinstance(id, str) or not ID.fullmatch(id):
        what = "the source's name" if source is None else "claim id"
        raise UsageError(f"{what} {id!r} is not made of letters, digits and . - + _; rename it.")
    if source is not None and not (id.startswith(f"{source}.") and len(id) > len(source) + 1):
        raise UsageError(f"claim id {id!r} must start with its source's name: '{source}.…'.")


def check_fields(claim: Claim, written: Collection[str] = FIELDS) -> None:
    """Refuse a claim with a field of the wrong type, or with a name that nothing uses.

    Args:
        claim: the claim.
        written: the fields that were written down with it; an amendment inherits the others, and may leave some of
            their names unused.

    Raises:
        UsageError: for the first fault.
    """
    check_id(claim.id, claim.source)
    _check_types(claim)
    _check_names(claim)
    if claim.body is None:
        if claim.options:
            known(f"claim {claim.id}", claim.options, CHANGES)
        return
    wanted = _check_signatures(claim)
    for symbol in claim.given if "given" in written else ():
        if symbol not in wanted:
            raise UsageError(
                f"claim {claim.id}: given= has the symbol {symbol!r}, which neither the body nor parameters nor a "
                f"condition asks for{nearest(symbol, wanted)}; correct it, or take it out."
            )
    dimensions = names(list(claim.given.values()))
    for size in claim.sizes if "sizes" in written else ():
        if size not in dimensions and size not in wanted:
            raise UsageError(
                f"claim {claim.id}: sizes= has {size!r}, which no shape, body, parameters or condition uses"
                f"{nearest(size, dimensions)}; correct it, or take it out."
            )


def _check_types(claim: Claim) -> None:
    def expects(field: str, expected: str, got: Any) -> UsageError:
        return UsageError(f"claim {claim.id}: {field}= expects {expected}; got {got!r}.")

    for field in ("says", "where"):
        if not isinstance(getattr(claim, field), str):
            raise expects(field, "text", getattr(claim, field))
    for field in ("reading", "unmended", "missing"):
        if not isinstance(getattr(claim, field), str | None):
            raise expects(field, "text", getattr(claim, field))
    for field in ("corrections", "hypotheses", "depends_on"):
        texts = getattr(claim, field)
        if not _is_sequence(texts) or not all(isinstance(text, str) for text in texts):
            raise expects(field, "a tuple of texts, such as ('sign',)", texts)
    for field, which, example in (
        ("over_all_parameters", "are parameters", "('S', 'a')"),
        ("fixed", "a witness may depend on", "('eta',)"),
    ):
        every = getattr(claim, field)
        if not isinstance(every, tuple) or not all(isinstance(name, str) for name in every):
            wanted = f"a tuple of the symbols in given= that {which}, such as {example}, or ()"
            raise expects(field, wanted, every)
    look_at(f"claim {claim.id}: expect={claim.expect!r}", claim.expect)
    if claim.kind not in KINDS:
        near = nearest(str(claim.kind), KINDS)
        raise UsageError(
            f"claim {claim.id} has the kind {claim.kind!r}{near}; allowed: {', '.join(KINDS)}."
        )
    if not isinstance(claim.given, Mapping):
        raise expects("given", "symbols with their shapes, {'x': 'N f', 'eta': ''}", claim.given)
    for symbol, shape in claim.given.items():
        if not isinstance(symbol, str) or not isinstance(shape, str):
            wanted = "every symbol's shape as text, such as 'N f', or '' for a scalar"
            raise expects("given", wanted, {symbol: shape})
    if not isinstance(claim.sizes, Mapping):
        raise expects("sizes", "the values to check for each size, {'N': (1, 2)}", claim.sizes)
    for size, values in claim.sizes.items():
        whole = _is_sequence(values) and all(
            isinstance(v, int) and not isinstance(v, bool) and v >= 0 for v in values
        )
        if not isinstance(size, str) or not whole or not values:
            wanted = "the values to check for each size, {'N': (1, 2)}; sizes are whole numbers ≥ 0"
            raise expects("sizes", wanted, {size: values})
    if not isinstance(claim.assuming, Mapping):
        wanted = "conditions by their text, {'β > 0': lambda beta: beta > 0}"
        raise expects("assuming", wanted, claim.assuming)
    for text, condition in claim.assuming.items():
        if not isinstance(text, str) or not callable(condition):
            wanted = "a function for every condition, {'β > 0': lambda beta: beta > 0}"
            raise expects("assuming", wanted, {text: condition})
    if not (claim.parameters is None or callable(claim.parameters)):
        wanted = "a function of sizes and symbols that returns a named tuple"
        raise expects("parameters", wanted, claim.parameters)
    if claim.construction is not None:
        if (
            type(claim.construction) is not Construction
        ):  # one that is made from it may compute anything
            wanted = "a Construction (scanproof.constructs.constructions.construction)"
            raise expects("construction", wanted, claim.construction)
        problem = slip(claim.construction)
        if problem is not None:
            raise UsageError(f"claim {claim.id}: construction= {problem}.")


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _check_names(claim: Claim) -> None:
    for symbol, shape in claim.given.items():
        try:
            names([shape])
        except UsageError as error:
            raise UsageError(f"claim {claim.id}, symbol {symbol!r}: {error}") from None
    ranges = claim.ranges
    for name in (*ranges, *claim.given):
        if not name.isidentifier() or name in RESERVED:
            what = "size" if name in ranges else "symbol"
            raise UsageError(
                f"claim {claim.id} has the {what} {name!r}, which is not a free Python name; rename it."
            )
    for name in claim.given:
        if name in ranges:
            raise UsageError(f"claim {claim.id} has the symbol {name!r}, a size too; rename it.")
    known(
        f"claim {claim.id}: over_all_parameters=", claim.over_all_parameters, claim.given, "symbol"
    )
    if claim.kind == "existence":
        known(f"claim {claim.id}: fixed=", claim.fixed, claim.given, "symbol")
    for name in claim.options:
        if name in ranges or name in claim.given or name in RESERVED:
            what = "symbol" if name in claim.given else "size" if name in ranges else "parameter"
            raise UsageError(
                f"claim {claim.id}: the reading {name!r} has the name of a {what}; rename it."
            )


def _check_signatures(claim: Claim) -> set[str]:
    """The names that the claim's functions ask for, all of which must be known to it."""
    symbols = {*claim.given, *claim.ranges}
    functions: list[tuple[str, Callable[..., Any], set[str]]] = [
        (f"the condition {text!r}", condition, symbols)
        for text, condition in claim.assuming.items()
    ]
    if claim.parameters is not None:
        functions.append(("parameters=", claim.parameters, symbols | {"xp", "corrections"}))
    if claim.body is not None:
        asked_for = arguments(f"claim {claim.id}: the body", claim.body)
        readings = [name for name in asked_for if name not in symbols and name not in RESERVED]
        known(f"claim {claim.id}", claim.options, [*CHANGES, *readings], "field or reading")
        own = {"p", "xp"} if claim.construction is None else {"p", "xp", "construction"}
        functions.append(("the body", claim.body, symbols | own | set(claim.options)))
    asked: set[str] = set()
    for which, function, allowed in functions:
        wanted = arguments(f"claim {claim.id}: {which}", function)
        if which == "parameters=" and claim.kind == "existence":
            _expect_no_input(claim, wanted)
        asked |= set(wanted)
        for name, parameter in wanted.items():
            if name not in allowed and parameter.default is parameter.empty:
                raise UsageError(
                    f"claim {claim.id}: {which} asks for {name!r}, which it is not given{nearest(name, allowed)}; "
                    f"known there: {', '.join(sorted(allowed))}."
                )
    return asked


def _expect_no_input(claim: Claim, wanted: Iterable[str]) -> None:
    """A witness stands before "for all": it is chosen before the inputs are."""
    for name in wanted:
        if name in claim.inputs:
            raise UsageError(
                f"claim {claim.id}: parameters= asks for the input {name!r}; one choice of parameters has to serve all "
                f"inputs. If the claim says 'for every {name} there are parameters', name it in fixed=."
            )
