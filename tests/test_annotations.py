"""Shapes that jaxtyping's annotations say, and annotations that are no shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import scanproof
from scanproof import UsageError
from scanproof.proofs.decide import annotations

jax = pytest.importorskip("jax")
jaxtyping = pytest.importorskip("jaxtyping")
Array = jax.Array
Bool, Float, Int, Num = (getattr(jaxtyping, name) for name in ("Bool", "Float", "Int", "Num"))


def annotated(**hints: Any) -> Callable[[Any], Any]:
    """Gives a function annotations: those that are text are read as those of `from __future__ import annotations`."""

    def give(function: Any) -> Any:
        function.__annotations__ = hints
        return function

    return give


@annotated(
    x='Float[Array, "n d"]',
    w='Float[Array, "d"]',
    scale='Num[Array, ""]',
    eta="float",
    power="float",
)
def gram(x, w, scale, eta, k=2, power=1.0):
    return scale * eta * x.T @ (x @ w)


def by_rows(x, w, scale, eta):
    return scale * eta * (x.T @ x) @ w


def total(x):
    return x.sum()


def test_shapes_are_those_of_the_annotations():
    known = {"x": "n d", "w": "d", "scale": "", "eta": ""}
    assert annotations.shapes([gram, by_rows]) == known
    assert annotations.shapes([by_rows, gram]) == known  # those of the specification, too
    of_sums = annotated(x=Num[Array, "rows=3 n+1 2*n"])(lambda x: x.sum())
    assert annotations.shapes([of_sums]) == {"x": "3 n+1 2*n"}


@pytest.mark.long
def test_a_program_with_annotations_is_proved_without_shapes():
    assert scanproof.prove(gram, equals=by_rows)


def test_truths_are_annotated(monkeypatch):
    monkeypatch.setattr(total, "__annotations__", {"x": Bool[Array, "n d"]})
    assert annotations.shapes([total, by_rows]) == {"x": "n d bool"}


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        (Float[Array, "n _"], "'_' is an axis without a name"),
        (Float[Array, "*batch n"], "'*batch' is any number of axes"),
        (Float[Array, "... n"], "'...' is any number of axes"),
        (Float[Array, "#n"], "'#n' is an axis that is broadcast"),
        (Float[Array, "{n}"], "'{n}' is an axis that another argument gives"),
        (Float[Array, "n//2"], "the dimension 'n//2' is not made of sizes"),
        (Int[Array, "n"], "allows no real numbers and no truths"),
        ("Missing", "total: its annotations cannot be read: name 'Missing' is not defined"),
        ("int", "no shapes are given, and neither has annotations of jaxtyping"),
    ],
)
def test_an_annotation_that_is_no_shape_is_refused_by_name(annotation, told, monkeypatch):
    monkeypatch.setattr(total, "__annotations__", {"x": annotation})
    with pytest.raises(UsageError) as raised:
        annotations.shapes([total, by_rows])
    assert told in str(raised.value) and "total" in str(raised.value)
