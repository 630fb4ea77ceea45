"""Tensors in files: safetensors, whose header is checked to the last byte before the library reads it.

A file is 8 bytes with the length N of the header, N bytes of JSON {name: {"dtype", "shape", "data_offsets"}}, and the
numbers. Nothing in it is executed, and nothing is allocated by its numbers before these agree with the file's size.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
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
WIDTHS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
"""Bytes of a number, by the format's name for a dtype; other dtypes hold no weights."""
NAMES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
METADATA, FIELDS = "__metadata__", {"dtype", "shape", "data_offsets"}
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


class Entry(NamedTuple):
    """A tensor's entry in the header."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


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
        data, entries, notes = _checked(path, file, size)
    try:
        found = dict(safetensors.deserialize(data))
    except safetensors.SafetensorError as error:
        raise _refused(path, str(error)) from None
    arrays = {}
    for name, entry in sorted(entries.items()):
        array = _numbers(found[name]["data"], entry)
        _check_finite(path, name, array)
        arrays[name] = array
    return Stored(arrays, {name: NAMES[entries[name].dtype] for name in arrays}, notes)


def _checked(
    path: Path, file: BinaryIO, size: int
) -> tuple[bytes, dict[str, Entry], dict[str, str]]:
    """The file's bytes, entries and metadata, once the header agrees with the file's size."""
    start = file.read(min(size, 32))
    if len(start) < 8:
        raise _refused(path, f"it has {size} bytes" if size else "it is empty")
    length = int.from_bytes(start[:8], "little")
    if length > size - 8:
        alien = next((f"; {why}" for head, why in ALIEN.items() if start.startswith(head)), "")
        claimed = f"its header claims {length:,} bytes, and {size - 8:,} follow"
        raise _refused(path, f"{claimed}{alien}" if alien else f"{claimed}: is it cut off?")
    if not 2 <= length <= LARGEST_HEADER:
        raise _refused(path, f"its header of {length:,} bytes is not between 2 and 2²⁴ long")
    file.seek(8)
    header = file.read(length)
    if not header.startswith(b"{"):
        raise _refused(path, "its header does not begin with {")
    try:
        entries, notes = _entries(parse(header))
        _check_cover(entries, size - 8 - length)
    except NotStrict as error:
        raise _refused(path, str(error)) from None
    numbers = file.read(size - 8 - length)
    return start[:8] + header + numbers, entries, notes


def _entries(header: dict[str, Any]) -> tuple[dict[str, Entry], dict[str, str]]:
    notes = header.pop(METADATA, {})
    if not isinstance(notes, dict) or not all(isinstance(v, str) for v in notes.values()):
        raise NotStrict(f"{METADATA} is not an object of texts")
    if not header:
        raise NotStrict("it holds no tensor")
    faults = []
    entries = {}
    for name, what in header.items():
        try:
            entries[name] = _entry(what)
        except NotStrict as error:
            faults.append(f"{shown(name)}: {error}")
    if faults:
        raise NotStrict(listed(faults))
    return entries, notes


def _entry(fields: Any) -> Entry:
    if not isinstance(fields, dict) or set(fields) != FIELDS:
        raise NotStrict("an object of dtype, shape and data_offsets is expected")
    dtype, shape, offsets = fields["dtype"], fields["shape"], fields["data_offsets"]
    if not isinstance(dtype, str) or dtype not in WIDTHS:
        raise NotStrict(f"dtype {shown(dtype)} is none of {', '.join(WIDTHS)}")
    if not isinstance(shape, list) or len(shape) > MOST_AXES or not all(map(_is_size, shape)):
        raise NotStrict(
            f"shape {shown(shape)} is not a list of at most {MOST_AXES} whole numbers ≥ 1"
        )
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_offset, offsets)):
        raise NotStrict(f"data_offsets {shown(offsets)} are not two whole numbers ≥ 0")
    needed = WIDTHS[dtype]
    for size in shape:
        needed *= size
    start, stop = offsets
    if stop - start != needed:
        raise NotStrict(
            f"shape {shown(shape)} in {dtype} takes {needed:,} bytes, not {stop - start:,}"
        )
    return Entry(dtype, tuple(shape), start, stop)


def _is_offset(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _is_size(value: Any) -> bool:
    return _is_offset(value) and value > 0


def _check_cover(entries: dict[str, Entry], size: int) -> None:
    """Refuse a file unless every byte after the header belongs to exactly one tensor."""
    ordered = sorted(entries.items(), key=lambda item: item[1].start)
    (first, last) = ordered[0], max(ordered, key=lambda item: item[1].stop)
    if last[1].stop > size:
        raise NotStrict(
            f"{shown(last[0])} ends at byte {last[1].stop:,}, after the file's end at {size:,}"
        )
    for (one, before), (other, after) in pairwise(ordered):
        if after.start < before.stop:
            raise NotStrict(f"{shown(one)} and {shown(other)} overlap")
        if after.start > before.stop:
            raise NotStrict(f"bytes between {shown(one)} and {shown(other)} belong to no tensor")
    if first[1].start > 0 or last[1].stop < size:
        where = "before the first" if first[1].start > 0 else "after the last"
        raise NotStrict(f"bytes {where} tensor belong to none")


def _numbers(data: bytes, entry: Entry) -> np.ndarray:
    """A copy that may be written to."""
    if entry.dtype == "BF16":
        upper = np.frombuffer(data, dtype="<u2").astype(np.uint32)
        return (upper << 16).view(np.float32).reshape(entry.shape)
    raw = np.frombuffer(data, dtype=f"<f{WIDTHS[entry.dtype]}")
    return raw.astype(NAMES[entry.dtype]).reshape(entry.shape)


def _check_finite(path: Path, name: str, array: np.ndarray) -> None:
    bad = ~np.isfinite(array)
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        value, more = array[index], int(bad.sum()) - 1
        rest = f", and {more} more of its entries are not finite" if more else ""
        raise UsageError(f"{path}: {shown(name)} is {value} at {list(index)}{rest}.")


def _refused(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{path}: not a valid safetensors file: {why}{'' if why.endswith('?') else '.'}"
    )


def listed(faults: list[str]) -> str:
    """Faults in one line; only the first few if there are many."""
    more = len(faults) - SUM_UP
    return "; ".join(faults[:SUM_UP]) + (f"; and {more} more" if more > 0 else "")
