"""The neutral form of the linear targets: named arrays, from raw (x, y) to the prediction for the query.

raw = tokens(x, y) (T, r); embeddings = raw encode_weightᵀ + encode_bias (T, M); the family's forward gives outputs
(T', O); the prediction is readout · the last of them. Tensors are named "layers.{i}.{field}", the encoding's
"encode.weight", "encode.bias" and "readout.weight", in every codebase that takes the neutral form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..arrays.array_api import Array
from ..arrays.definition import definition
from ..arrays.scan import map_leaves
from ..tokens.encoding import TOKENISATIONS
from .families import FAMILIES, Family

ENCODING = ("encode.weight", "encode.bias", "readout.weight")
"""Keys of the encoding: shapes (M, r), (M,), (k, O)."""
_KEY = re.compile(r"layers\.(0|[1-9][0-9]{0,5})\.(\w+)", re.ASCII)


class Model(NamedTuple):
    """A stack of linear recurrences, with what leads into it and out of it."""

    family: str
    """A name in `FAMILIES`."""
    tokens: str
    """A name in `TOKENISATIONS`."""
    layers: tuple[Any, ...]
    """Parameters, of the family's named tuple."""
    encode_weight: Array
    """(M, r)."""
    encode_bias: Array
    """(M,)."""
    readout: Array
    """(k, O)."""


class LayoutError(ValueError):
    """Raised for tensors that are not a model of any family; `problems` lists every one that was found."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@definition
def predict(model: Model, x: Array, y: Array, *stored: Callable[[Array], Array]) -> Array:
    """The prediction for the query, shape (k,).

    Args:
        model: see `Model`.
        x: inputs and the query, shape (n + 1, d), n ≥ 1.
        y: targets, shape (n, k).
        stored: the rounding of what released layers store, where that rounds more than their operations.
    """
    return read(model, TOKENISATIONS[model.tokens].tokens(x, y), *stored)


@definition
def read(model: Model, raw: Array, *stored: Callable[[Array], Array]) -> Array:
    """The prediction from raw tokens: (T, r) -> (k,); arguments as for `predict`."""
    found = outputs(model, embeddings(model, raw, *stored), *stored)[-1] @ model.readout.T
    return _rounded(found, *stored)


@definition
def embeddings(model: Model, raw: Array, *stored: Callable[[Array], Array]) -> Array:
    """The layers' inputs: (T, r) -> (T, M)."""
    return _rounded(raw @ model.encode_weight.T + model.encode_bias, *stored)


@definition
def outputs(model: Model, embeddings: Array, *stored: Callable[[Array], Array]) -> Array:
    """What the layers put out: (T, M) -> (T', O)."""
    return FAMILIES[model.family].forward(model.layers, embeddings, *stored)


def _rounded(array: Array, *stored: Callable[[Array], Array]) -> Array:
    return stored[0](array) if stored else array


def tensors(model: Model) -> dict[str, Array]:
    """The layers' arrays by key."""
    return {
        f"layers.{i}.{field}": array
        for i, layer in enumerate(model.layers)
        for field, array in layer._asdict().items()
    }


def encoding(model: Model) -> dict[str, Array]:
    """The arrays of the encoding and of the readout by key."""
    return dict(zip(ENCODING, (model.encode_weight, model.encode_bias, model.readout), strict=True))


def mapped(function: Callable[[Array], Array], model: Model) -> Model:
    """The model with `function` applied to each of its arrays, as to bring them into another format or backend."""
    layers = map_leaves(function, model.layers)
    arrays = (model.encode_weight, model.encode_bias, model.readout)
    return Model(model.family, model.tokens, layers, *map(function, arrays))


def sizes(model: Model) -> tuple[int, int]:
    """(d, k): features and targets."""
    k = model.readout.shape[0]
    d = TOKENISATIONS[model.tokens].features(model.encode_weight.shape[1], k)
    if d is None:  # models from `from_tensors` have some
        raise ValueError(f"a model of {model.encode_weight.shape[1]} raw columns has no features")
    return d, k


def fitting(family: str, columns: int, targets: int) -> list[str]:
    """The tokenisations that a family takes and that have this many columns; shapes alone may leave several."""
    return [
        name
        for name in FAMILIES[family].tokens
        if TOKENISATIONS[name].features(columns, targets) is not None
        and (name != "products" or targets == 1)
    ]


def from_tensors(
    tensors: Mapping[str, Array], encoding: Mapping[str, Array], tokens: str | None = None
) -> Model:
    """The model of arrays by key; the family is found from names and shapes alone.

    Args:
        tensors: arrays with a `shape`, by the keys of `tensors(model)`.
        encoding: those of `encoding(model)`.
        tokens: a name in `TOKENISATIONS`; if not given, the first that the family takes and that fits the shapes.

    Raises:
        LayoutError: for missing and unexpected keys, and wrong shapes, all of them at once.
    """
    family, found, problems = _fields(tensors)
    problems += [f"missing {key}" for key in ENCODING if key not in encoding]
    problems += [f"unexpected {key}" for key in encoding if key not in ENCODING]
    problems += _shapes(family, found, tensors, encoding)
    name = None
    if all(len(encoding[key].shape) == 2 for key in ENCODING[::2] if key in encoding):
        name, wrong = _tokens(family, encoding, tokens)
        problems += wrong
    if problems or name is None:
        raise LayoutError(problems)
    layers = tuple(
        family.layer(*(tensors[f"layers.{i}.{field}"] for field in family.layer._fields))
        for i in sorted(found)
    )
    return Model(family.name, name, layers, *(encoding[key] for key in ENCODING))


def _fields(tensors: Mapping[str, Array]) -> tuple[Family, dict[int, set[str]], list[str]]:
    """The family with most of the fields, the fields of each layer, and what is missing or unexpected."""
    found: dict[int, set[str]] = {}
    problems = []
    for key in tensors:
        match = _KEY.fullmatch(key)
        if match:
            found.setdefault(int(match[1]), set()).add(match[2])
        else:
            problems.append(f"unexpected {key}")
    names = set().union(*found.values())

    def fit(family: Family) -> int:
        """Fields in common, less those that either side has alone."""
        return 2 * len(names & set(family.layer._fields)) - len(names ^ set(family.layer._fields))

    family = max(FAMILIES.values(), key=fit)
    if not names & set(family.layer._fields):
        known = ", ".join(f"{f.name} ({', '.join(f.layer._fields)})" for f in FAMILIES.values())
        problems.append(
            f"no tensor layers.0.* of a known family; the families and their fields: {known}"
        )
        raise LayoutError(problems)
    if not family.stacked and len(found) > 1:
        problems.append(f"the family {family.name} has one layer, got {len(found)}")
    layers = range(max(len(found), 1))
    problems += [
        f"unexpected layers.{i}.*, of {len(found)} layers" for i in found if i not in layers
    ]
    for i in layers:
        own = found.setdefault(i, set())
        problems += [
            f"missing layers.{i}.{name}" for name in family.layer._fields if name not in own
        ]
        problems += [
            f"unexpected layers.{i}.{name}" for name in sorted(own - set(family.layer._fields))
        ]
    return family, found, problems


def _shapes(
    family: Family,
    found: Mapping[int, set[str]],
    tensors: Mapping[str, Array],
    encoding: Mapping[str, Array],
) -> list[str]:
    """Wrong shapes. A letter's size is that of the first tensor that has it."""
    wanted = [
        (f"layers.{i}.{field}", shape.split())
        for i in sorted(found)
        for field, shape in family.shapes.items()
    ]
    wanted += [
        ("encode.bias", [family.width]),
        ("encode.weight", [family.width, "r"]),
        ("readout.weight", ["k", family.outputs]),
    ]
    sizes: dict[str, int] = {}
    problems = []
    for key, letters in wanted:
        array = tensors.get(key, encoding.get(key))
        if array is None:
            continue
        shape = tuple(array.shape)
        if 0 in shape:
            problems.append(f"{key} has shape {shape}, expected sizes ≥ 1")
            continue
        if len(shape) == len(letters):
            for letter, size in zip(letters, shape, strict=True):
                sizes.setdefault(letter, int(letter) if letter.isdigit() else size)
        expected = tuple(sizes.get(letter, letter) for letter in letters)
        if shape != expected:
            text = f"({', '.join(map(str, expected))}{',' if len(expected) == 1 else ''})"
            problems.append(f"{key} has shape {shape}, expected {text}")
    return problems


def _tokens(
    family: Family, encoding: Mapping[str, Array], asked: str | None
) -> tuple[str | None, list[str]]:
    """The tokenisation, and what is wrong with it."""
    if asked is not None and asked not in family.tokens:
        return None, [
            f"the family {family.name} takes tokens {', '.join(family.tokens)}, not {asked}"
        ]
    if "encode.weight" not in encoding or "readout.weight" not in encoding:
        return None, []
    r, k = encoding["encode.weight"].shape[1], encoding["readout.weight"].shape[0]
    fit = [name for name in fitting(family.name, r, k) if asked in (None, name)]
    if fit:
        return fit[0], []
    return None, [f"encode.weight has {r} columns, which no tokens of {k} targets have"]
