"""The constructed Mamba-2 model that tensors come nearest to, and the entries in which they differ from it.

Sizes decide whether the tensors can be those of an instance at all. K is read from the weights of the norms, η from the
rows of in_proj that it scales, W0 from the encoding's bias, or from head and in_proj if one block does the only step:
medians where a number is written often, so that an edited entry stands out and does not mislead.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from scanproof.constructs.constructions import mamba2_gd, mamba2_sizes
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.layouts import hf_mamba2
from scanproof.constructs.layouts.neutral import ENCODING
from scanproof.constructs.tokens.mamba2 import LAYOUTS, Layout

from ..export.loading import Loaded
from .bases import Basis, orders, permuted
from .entries import Near, compared
from .mamba2_model import Model, model_of
from .roundings import close_in, held, number, simple, simply
from .rule import steps as in_words

APART = 2.0**-20
"""Relative: step sizes of blocks that differ by more are not roundings of one."""
FEW = 4
"""Entries that differ, above which the stream's channels are put in order."""
ALIKE = 0.5
"""Tensors that share fewer entries with an instance are not laid out as it is."""


def nearest(loaded: Loaded, model: Model, layouts: list[Layout]) -> Near | None:
    """The instance that shares most entries with the tensors, if it shares at least half.

    Args:
        loaded: tensors under transformers' names.
        model: the same tensors as the definition takes them.
        layouts: tokenisations that the encoding's width allows.
    """
    if loaded.tensors[hf_mamba2.HEAD].shape[0] != model.targets:
        return None
    found = []
    for layout in layouts:
        read = _read(model, layout)
        if read is None:
            continue
        near = _near(read, loaded)
        if near.entries.deviating > FEW:  # perhaps for the order of the residual stream's channels
            order = _order(read.make(1.0), loaded)
            ordered = None if order is None else _read(_in_order(loaded, np.argsort(order)), layout)
            other = near if ordered is None else _near(ordered, loaded, order)
            near = min(near, other, key=lambda each: each.entries.bits)
        if near.entries.alike >= ALIKE:
            found.append(near)
    return min(found, key=lambda near: near.entries.bits, default=None)


def stream(loaded: Loaded, layers: int | None = None) -> Basis:
    """The tensors and axes that have the residual stream's channels, of all layers or of the first."""
    axes = {hf_mamba2.HEAD: 1, hf_mamba2.EMBEDDINGS: 1, hf_mamba2.FINAL_NORM: 0}
    count = int((loaded.settings or {})["num_hidden_layers"])
    for layer in range(count if layers is None else layers):
        parts = {"norm": 0, "in_proj": 1, "out_proj": 0}
        axes |= {hf_mamba2.key(layer, part): axis for part, axis in parts.items()}
    here = [(name, axis) for name, axis in axes.items() if name in loaded.tensors]
    return [("encode.weight", 0), ("encode.bias", 0), *here]


def _order(made: Instance, loaded: Loaded) -> np.ndarray | None:
    """Which channel of the construction each channel of the stream is most like; None if there are too many."""
    found = {**loaded.tensors, **loaded.encoding}
    return next(orders(_arrays(made), found, stream(loaded, layers=1), APART), None)


def _arrays(made: Instance) -> dict[str, np.ndarray]:
    """The tensors of an instance, and its encoding."""
    around = (made.model.encode_weight, made.model.encode_bias, np.eye(len(made.model.readout)))
    return {**hf_mamba2.layout(np, made)[1], **dict(zip(ENCODING, around, strict=True))}


def _in_order(loaded: Loaded, order: np.ndarray) -> Model:
    """The model with its stream in another order."""
    moved = permuted({**loaded.tensors, **loaded.encoding}, stream(loaded), order)
    return model_of(loaded.settings or {}, {n: moved[n] for n in loaded.tensors}, moved)


class _Read(NamedTuple):
    """What the tensors say an instance is."""

    make: Callable[[float], Instance]
    """The instance with K and W0 as the tensors have them, for any η."""
    step_size: Fraction | None
    stored: float
    each: tuple[float, ...]
    """As in `Near`."""


def _read(model: Model, layout: Layout) -> _Read | None:
    """The instance with K, η and W0 as the tensors have them; None for other sizes."""
    d, k, blocks = layout.slots.d, model.targets, model.blocks
    one = len(blocks) == 1
    slots = LAYOUTS[layout.name](d, k, weights=not one)
    widths, unit = mamba2_sizes.released(
        slots, **mamba2_gd.shape(slots, in_one_block=one), channel=1
    )
    taps = blocks[0].conv_weight.shape[1]
    if (widths.stream, widths.heads, widths.taps) != (len(model.norm), model.sizes, taps):
        return None
    norms = np.concatenate([model.norm, *(block.norm for block in blocks)])
    channel = float(np.median(norms)) / unit.scale
    if not channel > 0:
        return None

    options = {"tokens": layout.name, "in_one_block": one, "channel": channel}
    make = partial(mamba2_gd.instance, np, d, max(1, len(blocks) - 1), **options)
    none = np.zeros((d, k))
    eta, each = _step_sizes(model, make(1.0, none), make(0.0, none))
    if one:
        W0 = _start(model, make, slots, eta)
    else:
        spans = [slice(*slots.slots.weights(c)) for c in range(k)]
        W0 = np.stack([model.encode_bias[span] for span in spans], axis=1)
    return _Read(lambda eta: make(eta, W0), simple(eta, 2.0**-23) if eta else None, eta, each)


def _scaled(made: Instance) -> np.ndarray:
    """The rows of in_proj that η scales, among others."""
    return (made.model.step or made.model.last).in_proj


def _step_sizes(model: Model, one: Instance, none: Instance) -> tuple[float, tuple[float, ...]]:
    """η, from entries of in_proj that are multiples of it, by instances with η = 1 and η = 0; those of unequal blocks.

    A block has a step size of its own if more than half of its entries agree on it.
    """
    factor = _scaled(one) - _scaled(none)
    rows, columns = np.nonzero(factor)
    scaling = model.blocks[:-1] or model.blocks
    found = np.stack([block.in_proj[rows, columns] / factor[rows, columns] for block in scaling])
    eta = float(np.median(found))
    own = np.median(found, axis=1, keepdims=True)
    agree = (np.abs(found - own) <= APART * np.abs(own)).mean(axis=1) > 0.5
    each = np.where(agree, own[:, 0], eta)
    return eta, () if (np.abs(each - eta) <= APART * abs(eta)).all() else tuple(each.tolist())


def _start(model: Model, make: Callable[..., Instance], layout: Layout, eta: float) -> np.ndarray:
    """W0 of one block, whose head adds W0ᵀx and whose in_proj subtracts it from targets, in several entries each.

    The head has its numbers less rounded, so it is believed unless it differs from in_proj by more.
    """
    head = model.readout[:, slice(*layout.input)].T
    if not eta:
        return head
    numbers = 1 + np.arange(head.size).reshape(head.shape)  # each entry of W0 has one of its own
    factor = _scaled(make(1.0, numbers)) - _scaled(make(1.0, np.zeros(head.shape)))
    at = np.nonzero(factor)
    which = np.rint(np.abs(factor[at]) / np.abs(factor[at]).min())
    order = np.argsort(which, kind="stable")
    found = (model.blocks[0].in_proj[at] / factor[at] * which / eta)[order]
    start = np.median(found.reshape(head.size, -1), axis=1).reshape(head.shape)
    agree = np.abs(start - head) <= 2.0**-22 * np.abs(head)
    return np.where(agree, head, start)


def _near(read: _Read, loaded: Loaded, order: np.ndarray | None = None) -> Near:
    """The instance beside the tensors, with its stream's channels in their order."""
    made = read.make(simply(read.stored))
    wanted = _arrays(made)
    for layer, eta in enumerate(read.each):
        key = hf_mamba2.key(layer, "in_proj")
        wanted[key] = _arrays(read.make(simply(eta)))[key]
    if order is not None:
        wanted = dict(permuted(wanted, stream(loaded), order))
    arrays, close = {**loaded.tensors, **loaded.encoding}, {}
    for name, array in arrays.items():
        dtype = loaded.dtypes.get(name, str(array.dtype))
        if name in loaded.tensors and held(array, dtype) != dtype:
            dtype, arrays[name] = "float32", array.astype(np.float32)
        wanted[name] = wanted[name].astype(arrays[name].dtype).astype(np.float64)
        close[name] = close_in(dtype)
    entries, steps = compared(arrays, wanted, close), max(1, made.steps)
    blocks = "one block" if made.model.step is None else f"{steps + 1} blocks"
    what = f"{in_words(steps)} in {blocks}, {made.layout.name} tokens, η = {number(read.step_size, made.eta)}"
    return Near(what, made, entries, read.step_size, read.stored, steps, read.each)
