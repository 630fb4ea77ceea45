"""The families of the neutral form as modules for torch: trainable, batched, on the definitions themselves.

    from safetensors.torch import load_file

    module = from_tensors(load_file("model.safetensors"), load_file("encoding.safetensors"))
    prediction = module.predict(raw)  # raw tokens (B, T, r) -> (B, k)
    module.save("trained")  # for `scanproof identify trained`

The parameters have the names of an export's tensors ("layers.0.gate", "encode.weight", …), so that `load_state_dict`
takes them as they are. A module computes what the family's definition in `constructs` computes, token after token; it
is for tests, for training at moderate sizes and for reading. Its states take T times one state's memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.families import FAMILIES, Family

from ..export.folder import ENCODING, WEIGHTS, write
from ..export.targets import PT
from ..export.tensors import NEEDS
from .torch_arrays import array, torch

FIRST = {
    "gate": 1.0,
    "decays": 1.0,
    "beta": 1.0,
    "scale": 1.0,
    "ridge": 0.0,
    "weights": 0.0,
}
"""Values with which fields start before weights are loaded; matrices and vectors else are drawn."""


class Recurrence(torch.nn.Module):
    """A stack of linear recurrences of one family, with a linear map before it and one after it.

    Args:
        family: a name in `FAMILIES`.
        sizes: for each letter of the family's shapes its size, for example {"f": 8}.
        raw: r, numbers in a raw token.
        targets: k.
        layers: how many; more than one for stacked families only.
        dtype: of the layers; the maps before and after them are float64, as exports have them.
        device: of everything.

    Raises:
        UsageError: for an unknown family, sizes that are missing or below 1, or too many layers.
    """

    def __init__(
        self,
        family: str,
        sizes: Mapping[str, int],
        *,
        raw: int,
        targets: int = 1,
        layers: int = 1,
        dtype: torch.dtype | None = None,
        device: Any = None,
    ) -> None:
        super().__init__()
        self.family = _family(family)
        counts = {**sizes, "raw": raw, "targets": targets, "layers": layers}
        letters = {
            letter
            for shape in (*self.family.shapes.values(), self.family.width, self.family.outputs)
            for letter in shape.split()
            if not letter.isdigit()
        }
        wrong = [name for name in letters if name not in sizes]
        wrong += [name for name, count in counts.items() if count < 1]
        if wrong or (layers > 1 and not self.family.stacked):
            raise UsageError(
                f"Recurrence({family!r}) takes sizes {', '.join(sorted(letters))} ≥ 1, raw and targets ≥ 1 and "
                f"{'layers ≥ 1' if self.family.stacked else 'one layer'}; got {counts}."
            )

        def size(letter: str) -> int:
            return int(letter) if letter.isdigit() else sizes[letter]

        like: dict[str, Any] = {"dtype": dtype, "device": device}
        wide: dict[str, Any] = {"dtype": torch.float64, "device": device}
        self.encode = torch.nn.Linear(raw, size(self.family.width), **wide)
        self.layers = torch.nn.ModuleList(
            torch.nn.ParameterDict(
                {
                    field: _start(field, tuple(map(size, shape.split())), like)
                    for field, shape in self.family.shapes.items()
                }
            )
            for _ in range(layers)
        )
        self.readout = torch.nn.Linear(size(self.family.outputs), targets, bias=False, **wide)

    def forward(self, embeddings: torch.Tensor) -> torch.Tensor:
        """What the layers put out, in their dtype.

        Args:
            embeddings: shape (B, T, M), or (T, M).

        Returns:
            Shape (B, T', O), or (T', O): one output a token, or one a window, whose last one is the query's.

        Raises:
            UsageError: for another shape.
        """
        width = self.encode.out_features
        if embeddings.ndim not in (2, 3) or embeddings.shape[-1] != width:
            raise UsageError(
                f"forward() expects embeddings (B, T, {width}) or (T, {width}), got {tuple(embeddings.shape)}."
            )
        layers = tuple(
            self.family.layer(*(array(layer[field]) for field in self.family.layer._fields))  # type: ignore[index]
            for layer in self.layers
        )

        def run(rows: torch.Tensor) -> torch.Tensor:
            return self.family.forward(layers, array(rows)).as_subclass(torch.Tensor)

        run_all = torch.vmap(run) if embeddings.ndim == 3 else run
        return run_all(embeddings.to(self.dtype))

    def predict(self, raw: torch.Tensor) -> torch.Tensor:
        """The predictions for the queries: raw tokens (B, T, r) or (T, r) -> (B, k) or (k,), in the layers' dtype.

        The embeddings are made in the dtype of `encode` and then rounded, as the certificate of an export has it.

        Raises:
            UsageError: for another shape.
        """
        columns = self.encode.in_features
        if raw.ndim not in (2, 3) or raw.shape[-1] != columns:
            raise UsageError(
                f"predict() expects raw tokens (B, T, {columns}) or (T, {columns}), got {tuple(raw.shape)}."
            )
        outputs = self(self.encode(raw.to(self.encode.weight.dtype)))
        return outputs[..., -1, :] @ self.readout.weight.to(outputs.dtype).T

    def tensors(self) -> dict[str, torch.Tensor]:
        """Those of `model.safetensors`, by name, without their gradients."""
        return self._named(lambda name: name.startswith("layers."))

    def encoding(self) -> dict[str, torch.Tensor]:
        """Those of `encoding.safetensors`: encode.weight, encode.bias, readout.weight."""
        return self._named(lambda name: not name.startswith("layers."))

    def save(self, out: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the two files as a folder that `scanproof identify` and `scanproof.load` read.

        Args:
            out: the folder to make. A manifest would be about other weights: there is none.
            force: replace an export.

        Raises:
            UsageError: if it exists and `force` is not given, or cannot be written; if safetensors is not installed.
        """
        try:
            from safetensors.torch import save
        except ImportError:
            raise UsageError(f"Recurrence.save({os.fspath(out)!r}): {NEEDS}.") from None
        files = {WEIGHTS: save(self.tensors(), PT), ENCODING: save(self.encoding(), PT)}
        write(Path(out), files, force=force)

    def _named(self, wanted: Callable[[str], bool]) -> dict[str, torch.Tensor]:
        state = self.state_dict().items()
        return {name: tensor.detach().cpu().contiguous() for name, tensor in state if wanted(name)}

    @property
    def dtype(self) -> torch.dtype:
        """That of the layers."""
        return next(self.layers.parameters()).dtype

    def extra_repr(self) -> str:
        """What PyTorch prints of the module beside its name."""
        return f"family={self.family.name}"


class GRIL(Recurrence):
    """One GRIL block on windows of three rows (gril Def. 4.2): `gril.step` on (x_t, y_t, x_{t+1}).

    Args:
        width: f, features of a row of the stream; the state is (f, f).
        more: raw, targets, dtype and device, as for `Recurrence`.
    """

    def __init__(self, width: int, **more: Any) -> None:
        super().__init__("gril", {"f": width}, **more)


class SSD(Recurrence):
    """The layer of ssd Def. 3.2 with its residual and 1/n: `ssd.step` over T = n + 1 labelled rows.

    Args:
        width: D, of a row (x, y); the state is (D, N).
        state: N.
        length: T, the number of decays.
        more: raw, targets, dtype and device, as for `Recurrence`.
    """

    def __init__(self, width: int, state: int, length: int, **more: Any) -> None:
        super().__init__("ssd", {"D": width, "N": state, "T": length}, **more)


def from_tensors(
    tensors: Mapping[str, torch.Tensor], encoding: Mapping[str, torch.Tensor], *, device: Any = None
) -> Recurrence:
    """The module of an export: a `GRIL`, an `SSD`, or a `Recurrence` of another family.

    Args:
        tensors: those of `model.safetensors`.
        encoding: those of `encoding.safetensors`.
        device: where the module is to be.

    Raises:
        UsageError: for tensors that are not a model; the message lists everything that is wrong.
    """
    try:
        model = neutral.from_tensors(tensors, encoding)
    except neutral.LayoutError as error:
        raise UsageError(f"from_tensors() got tensors that are not a model: {error}.") from error
    family = FAMILIES[model.family]
    sizes: dict[str, int] = {}
    for field, shape in family.shapes.items():
        sizes.update(zip(shape.split(), getattr(model.layers[0], field).shape, strict=True))
    sizes = {letter: size for letter, size in sizes.items() if not letter.isdigit()}
    sizes.setdefault(family.width, model.encode_weight.shape[0])
    (k, outputs), r = model.readout.shape, model.encode_weight.shape[1]
    if not family.outputs.isdigit():
        sizes.setdefault(family.outputs, outputs)
    like: dict[str, Any] = {
        "raw": r,
        "targets": k,
        "dtype": next(iter(tensors.values())).dtype,
        "device": device,
    }
    if family.name == "gril":
        module: Recurrence = GRIL(sizes["f"], **like)
    elif family.name == "ssd":
        module = SSD(sizes["D"], sizes["N"], sizes["T"], **like)
    else:
        module = Recurrence(family.name, sizes, layers=len(model.layers), **like)
    module.load_state_dict({**tensors, **encoding}, strict=True)
    return module


def _family(name: str) -> Family:
    if name not in FAMILIES:
        raise UsageError(f"Recurrence({name!r}): no such family; families: {', '.join(FAMILIES)}.")
    return FAMILIES[name]


def _start(field: str, shape: tuple[int, ...], like: Mapping[str, Any]) -> torch.nn.Parameter:
    """A parameter before weights are loaded."""
    if field == "count":
        return torch.nn.Parameter(torch.tensor([1.0, 0.0], **like))
    if field in FIRST:
        return torch.nn.Parameter(torch.full(shape, FIRST[field], **like))
    return torch.nn.Parameter(torch.randn(shape, **like) / max(shape[-1:], default=1) ** 0.5)
