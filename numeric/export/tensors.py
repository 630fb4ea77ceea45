"""Tensors in files, by the library safetensors, which checks that every byte belongs to one tensor.

A file is 8 bytes with the length N of the header, N bytes of JSON {name: {"dtype", "shape", "data_offsets"}}, and the
numbers. Nothing in it is executed. Beyond the library a key that stands twice, a dtype that is none of weights and
numbers that are not finite are refused, and a header that is longer than its file before the file is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.files.regular import opened
from scanproof.proofs.files.strict_json import NotStrict, parse, shown

LARGEST = 2**32
"""The most bytes of a file that is read."""
LARGEST_HEADER = 2**24
"""The most bytes of its header, at about 100 bytes a tensor."""
MOST_AXES = 8
LONGEST = 200
"""The most characters of what the library says."""
NAMES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
"""Of dtypes, by those of the files; others hold no weights."""
METADATA = "__metadata__"
SUM_UP = 6
"""The most faults of one kind that are listed."""
NEEDS = "safetensors is not installed: pip install 'scanproof[export]'"
ALIEN = {
    b"\x80": "it begins like a pickle",
    b"PK\x03\x04": "it begins like a zip archive, as torch.save writes",
    b"\x93NUMPY": "it begins like a .npy file",
    b"\x89HDF": "it begins like an HDF5 file",
    b"version https://git-lfs": "it is a pointer of git-lfs, whose file was not downloaded",
}
"""The first bytes of other files that users pass as safetensors."""


class Stored(NamedTuple):
    """The tensors of a file, with their format."""

    arrays: dict[str, np.ndarray]
    """In the file's dtypes; bfloat16, which NumPy lacks, in float32."""
    dtypes: dict[str, str]
    """"float64", "float32", "float16" or "bfloat16"."""
    metadata: dict[str, str]
    """Text that stands in the header."""


def pack(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a file with these arrays; equal arrays make equal bytes.

    Args:
        arrays: float64, float32 or float16, by name.
        metadata: text for the header, of one key at most (the library orders several at random).

    Raises:
        UsageError: if safetensors is not installed.
    """
    try:
        from safetensors.numpy import save
    except ImportError:
        raise UsageError(f"export: {NEEDS}.") from None
    whole = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    return save(whole, metadata=None if metadata is None else dict(metadata))


def bfloat16(numbers: np.ndarray) -> np.ndarray:
    """Numbers of float64 to the nearest of bfloat16, ties to even, which NumPy lacks: held in float32.

    Once, not by way of float32. What float32 holds as no normal number is for the caller to refuse.
    """
    mantissa, exponent = np.frexp(np.asarray(numbers, dtype=np.float64))
    return np.ldexp(np.rint(mantissa * 256) / 256, exponent).astype(np.float32)


def pack_bfloat16(
    arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None
) -> bytes:
    """The bytes of a file with arrays in bfloat16; see `pack`, which takes NumPy's own formats.

    Args:
        arrays: numbers of bfloat16, as `bfloat16` has them.
        metadata: text for the header.
    """
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    numbers = b""
    for name, array in sorted(arrays.items()):
        bits = np.ascontiguousarray(array, dtype="<f4").view("<u4")
        data = (bits >> 16).astype("<u2").tobytes()
        offsets = [len(numbers), len(numbers) + len(data)]
        header[name] = {"dtype": "BF16", "shape": list(array.shape), "data_offsets": offsets}
        numbers += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + numbers


def write(
    path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None
) -> None:
    """Write a file with these arrays; see `pack`."""
    path.write_bytes(pack(arrays, metadata))


def read(path: Path, largest: int = LARGEST) -> Stored:
    """The tensors of a file, all of them finite.

    Args:
        path: a regular file, or a link to one.
        largest: bytes of the largest file that is read.

    Raises:
        UsageError: if it is unreadable, too large, not a safetensors file of float64, float32, float16 or bfloat16
            tensors, or holds NaN or infinite numbers; if safetensors is not installed.
    """
    try:
        import safetensors
    except ImportError:
        raise UsageError(f"{path}: {NEEDS}.") from None
    file, size = opened(path, largest)
    with file:
        data, length = _bytes(path, file, size)
    try:
        header = parse(
            data[8 : 8 + length]
        )  # before the library, which takes a key that stands twice
        every = dict(safetensors.deserialize(data))
        notes = header.get(METADATA, {})
        _check(every)
    except NotStrict as error:
        raise _refused(path, str(error)) from None
    except safetensors.SafetensorError as error:
        why = str(error).removeprefix("Error while deserializing: ")[:LONGEST]
        why += ": is it cut off?" if "not fully covered" in why else ""
        raise _refused(path, "".join(c if c.isprintable() else "·" for c in why)) from None
    arrays = {name: _numbers(one) for name, one in sorted(every.items())}
    for name, array in arrays.items():
        _check_finite(path, name, array)
    return Stored(arrays, {name: NAMES[every[name]["dtype"]] for name in arrays}, notes)


def _bytes(path: Path, file: BinaryIO, size: int) -> tuple[bytes, int]:
    """The file's bytes, and the length of its header, once that agrees with the file's size."""
    start = file.read(min(size, 32))
    if len(start) < 8:
        raise _refused(path, f"it has {size} bytes" if size else "it is empty")
    length = int.from_bytes(start[:8], "little")
    if length > size - 8:
        alien = next((f"; {why}" for head, why in ALIEN.items() if start.startswith(head)), "")
        claimed = f"its header claims {length:,} bytes, and {size - 8:,} follow"
        raise _refused(path, f"{claimed}{alien}" if alien else f"{claimed}: is it cut off?")
    if length > LARGEST_HEADER:
        raise _refused(path, f"its header of {length:,} bytes is longer than 2²⁴")
    return start + file.read(size - len(start)), length


def _check(every: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse tensors that the library takes and that are no weights."""
    if not every:
        raise NotStrict("it holds no tensor")
    faults = []
    for name, one in every.items():
        if one["dtype"] not in NAMES:
            faults.append(
                f"{shown(name)}: dtype {shown(one['dtype'])} is none of {', '.join(NAMES)}"
            )
        elif 0 in one["shape"] or len(one["shape"]) > MOST_AXES:
            sizes = f"at most {MOST_AXES} whole numbers ≥ 1"
            faults.append(f"{shown(name)}: shape {shown(one['shape'])} is not a list of {sizes}")
    if faults:
        raise NotStrict(listed(sorted(faults)))


def _numbers(stored: Mapping[str, Any]) -> np.ndarray:
    """A copy that may be written to."""
    if stored["dtype"] == "BF16":
        upper = np.frombuffer(stored["data"], dtype="<u2").astype(np.uint32)
        return (upper << 16).view(np.float32).reshape(stored["shape"])
    kind = np.dtype(NAMES[stored["dtype"]])
    return (
        np.frombuffer(stored["data"], kind.newbyteorder("<")).astype(kind).reshape(stored["shape"])
    )


def _check_finite(path: Path, name: str, array: np.ndarray) -> None:
    bad = ~np.isfinite(array)
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        value, more = array[index], int(bad.sum()) - 1
        rest = f", and {more} more of its entries are not finite" if more else ""
        where = f" at {list(index)}" if index else ""
        raise UsageError(f"{path}: {shown(name)} is {value}{where}{rest}.")


def _refused(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{path}: not a valid safetensors file: {why}{'' if why.endswith('?') else '.'}"
    )


def listed(faults: list[str]) -> str:
    """Faults in one line; only the first few if there are many."""
    more = len(faults) - SUM_UP
    return "; ".join(faults[:SUM_UP]) + (f"; and {more} more" if more > 0 else "")
