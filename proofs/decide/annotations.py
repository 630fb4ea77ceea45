"""Shapes that functions say by jaxtyping's annotations: `x: Float[Array, "n d"]` is x: n d.

jaxtyping is not imported: an annotation of it has `dim_str`, its dimensions as text, and `dtypes`, the formats that it
allows.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from scanproof.constructs.errors import UsageError

from ..language.sizes import BOOL, names
from . import called, targets

NAMED = re.compile(r"[^\W\d]\w*=(.+)")
"""A dimension with a word that says what it is: rows=4 is 4."""
REAL, TRUTH = re.compile(r"b?float\d+"), re.compile(r"bool_?")
KINDS = {
    "...": "any number of axes",
    "*": "any number of axes",
    "#": "an axis that is broadcast",
    "?": "an axis that differs from leaf to leaf",
    "_": "an axis without a name",
    "{": "an axis that another argument gives",
}
"""What dimensions of jaxtyping mean that are no lengths."""


def shapes(functions: Sequence[str | Callable[..., Any]]) -> dict[str, str]:
    """The shapes that the first of these functions with annotations says.

    Args:
        functions: the program and its specification, or their names.

    Raises:
        UsageError: if none says any, and for an annotation that is not understood.
    """
    for one in functions:
        found = _shapes(targets.name(one), _loaded(one))
        if found:
            return found
    both = " and ".join(map(targets.name, functions))
    own = called.parameters(_loaded(functions[0])) or []
    such = ", ".join(f"{one.name}: …" for one in own) or "X: T f, q: f"
    raise UsageError(
        f"prove {both}: no shapes are given, and neither has annotations of jaxtyping. Give each array's dimensions, "
        f"letters for sizes, as in X: T f: shapes='{such}', on the command line --shapes '{such}'."
    )


def _loaded(target: str | Callable[..., Any]) -> Callable[..., Any]:
    try:
        return targets.itself(target)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"prove {target}: it cannot be imported: {type(error).__name__}: {error}"
        ) from error


def _shapes(name: str, function: Callable[..., Any]) -> dict[str, str]:
    try:
        every = inspect.signature(function, eval_str=True).parameters.values()
    except (TypeError, ValueError):
        return {}
    except NameError as error:
        raise UsageError(f"prove {name}: its annotations cannot be read: {error}.") from error
    if not any(hasattr(p.annotation, "dim_str") for p in every):
        return {}
    found = {}
    for p in every:
        shape = _shape(f"prove {name}: {p.name}", p.annotation)
        has_default = p.annotation is float and p.default is not p.empty
        if shape is not None and not has_default:
            found[p.name] = shape
    return found


def _shape(called: str, annotation: Any) -> str | None:
    """The shape of an argument; None if nothing is said of it."""
    if annotation is float:
        return ""
    if not hasattr(annotation, "dim_str"):
        return None
    dtypes = annotation.dtypes if isinstance(annotation.dtypes, Sequence) else ("float32",)
    are_real, are_truths = (
        any(kind.fullmatch(str(one)) for one in dtypes) for kind in (REAL, TRUTH)
    )
    if not are_real and not are_truths:
        raise UsageError(
            f"{called} is annotated {_said(annotation)}, which allows no real numbers and no truths. Of whole numbers "
            "say by shapes= (--shapes) how many there are, from 0 on, such as 'y: n in C'."
        )
    lengths = [_dimension(called, annotation, one) for one in annotation.dim_str.split()]
    return " ".join(lengths if are_real else [*lengths, BOOL])


def _dimension(called: str, annotation: Any, text: str) -> str:
    named = NAMED.fullmatch(text)
    plain = named[1] if named else text
    for sign, meaning in KINDS.items():
        if plain.startswith(sign):
            raise UsageError(
                f"{called} is annotated {_said(annotation)}, and {text!r} is {meaning}. Say by shapes= "
                "(--shapes) how many axes there are, and how long each is."
            )
    try:
        names([plain])
    except UsageError as error:
        raise UsageError(f"{called} is annotated {_said(annotation)}: {error}") from None
    return plain


def _said(annotation: Any) -> str:
    return f"{getattr(annotation, '__name__', annotation)}"
