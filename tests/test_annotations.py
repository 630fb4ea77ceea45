"""Shapes that jaxtyping's annotations say, and annotations that are no shapes."""

# ruff: noqa: F722, F821, UP037  jaxtyping's dimensions are text, and no names
from __future__ import annotations

import pytest

import scanproof
from scanproof import UsageError
from scanproof.proofs.decide import annotations

jax = pytest.importorskip("jax")
jaxtyping = pytest.importorskip("jaxtyping")
Array, Float, Float32, Int, Num, Shaped = (
    jax.Array,
    *(getattr(jaxtyping, n) for n in ("Float", "Float32", "Int", "Num", "Shaped")),
)


def gram(x: Float[Array, "n d"], w: Float32[Array, "d"], scale: Shaped[Array, ""], eta: float, k=2):
    return scale * eta * x.T @ (x @ w)


def by_rows(x, w, scale, eta):
    return scale * eta * (x.T @ x) @ w


def sums(x: Num[Array, "rows=3 n+1 2*n"]):
    return x.sum()


def test_shapes_are_those_of_the_annotations():
    known = {"x": "n d", "w": "d", "scale": "", "eta": ""}
    assert annotations.shapes([gram, by_rows]) == known
    assert annotations.shapes([by_rows, gram]) == known  # those of the specification, too
    assert annotations.shapes([sums]) == {"x": "3 n+1 2*n"}


def test_a_program_with_annotations_is_proved_without_shapes():
    assert scanproof.prove(gram, equals=by_rows)


def anonymous(x: Float[Array, "n _"]): ...
def several(x: Float[Array, "*batch n"]): ...
def dots(x: Float[Array, "... n"]): ...
def broadcast(x: Float[Array, "#n"]): ...
def of_another(x: Float[Array, "{n}"]): ...
def divided(x: Float[Array, "n//2"]): ...
def whole(x: Int[Array, "n"]): ...
def not_there(x: Float[Array, "n"], y: Missing): ...  # type: ignore[name-defined]


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (anonymous, "'_' is an axis without a name"),
        (several, "'*batch' is any number of axes"),
        (dots, "'...' is any number of axes"),
        (broadcast, "'#n' is an axis that is broadcast"),
        (of_another, "'{n}' is an axis that another argument gives"),
        (divided, "the dimension 'n//2' is not made of sizes"),
        (whole, "allows no real numbers"),
        (not_there, "its annotations cannot be read: name 'Missing' is not defined"),
        (by_rows, "no shapes are given, and neither has annotations"),
    ],
)
def test_an_annotation_that_is_no_shape_is_refused_by_name(function, told):
    with pytest.raises(UsageError) as raised:
        annotations.shapes([function, by_rows])
    assert told in str(raised.value)
    assert function is by_rows or f"{function.__name__}" in str(raised.value)
