"""One claim as the only row of a source, and what is decided about it."""

from collections.abc import Callable
from typing import Any

from scanproof.constructs.arrays.definition import definition
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.source import Source


def claim(body: Callable[..., Any], given: dict[str, str], id: str = "row", **fields: Any) -> Claim:
    row = Source("test", title="Claims of known truth").claim(
        f"test.{id}", says="…", given=given, **fields
    )
    return row(body).claim


def decided(
    body: Callable[..., Any], given: dict[str, str], engine: str = "all", **fields: Any
) -> Any:
    """The result, of which tests know what it lacks."""
    return decide(claim(body, given, **fields), ENGINES[engine])


def verdict(
    body: Callable[..., Any], given: dict[str, str], engine: str = "all", **fields: Any
) -> str:
    return decided(body, given, engine, **fields).verdict


@definition
def inner(u: Any, v: Any) -> Any:
    return u @ v


VECTORS = {"u": "n", "v": "n"}
