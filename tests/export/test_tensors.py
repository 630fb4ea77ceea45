"""Safetensors files that others wrote: each fault is one clear error, before anything is made of it."""

import json
import os
import pickle
import random
import re
import struct
from pathlib import Path

import numpy as np
import pytest

from scanproof.constructs.errors import UsageError
from scanproof.numeric.export import tensors
from scanproof.proofs.files.strict_json import NotStrict, parse

safetensors = pytest.importorskip(
    "safetensors.numpy", reason="files of tensors need safetensors (extra: export)"
)


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("exploded",)


def entry(dtype: object = "F32", shape: object = (2,), offsets: object = (0, 8)) -> dict:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


def file(header: object, numbers: bytes = bytes(8), length: int | None = None) -> bytes:
    """A file with this header, in JSON or as it is, and these bytes after it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + numbers


def two(first: object, second: object) -> bytes:
    return file({"a": entry(offsets=first), "b": entry(offsets=second)}, bytes(20))


NAN, INF = struct.pack("<2f", 1, np.nan), struct.pack("<2f", np.inf, -np.inf)
HALF = struct.pack("<4e", 1, 2, 3, -np.inf)
ONE = json.dumps(entry())
THEIRS, CUT = r"not a valid safetensors file: \w", r"is it cut off\?$"
"""What the library says, in its own words, and what is said besides of a file that ends too early."""
FAULTS = {
    "empty": (b"", "it is empty"),
    "seven bytes": (b"\x02\0\0\0\0\0\0", "it has 7 bytes"),
    "header cut off": (file({"a": entry()})[:20], r"its header claims 61 bytes, and 12 follow: is it cut off\?$"),
    "header of 2⁶³ bytes": (file(b"{}", length=2**63), "claims 9,223,372,036,854,775,808 bytes"),
    "header of no bytes": (file(b"{}", length=0), "it is not JSON"),
    "header longer than is read": (file(b"{" + b" " * 2**24 + b"}"), "longer than 2²⁴"),
    "numbers cut off": (file({"a": entry()}, bytes(7)), CUT),
    "numbers too many": (file({"a": entry()}, bytes(9)), CUT),
    "no numbers": (file({"a": entry()}, b""), CUT),
    "no JSON": (file(b"{'a': 1}"), "it is not JSON"),
    "no UTF-8": (file(b'{"\xff": 1}'), "not UTF-8"),
    "no object": (file(b"[]"), THEIRS),
    "space before": (file(b" {}"), THEIRS),
    "no tensor": (file({}, b""), "it holds no tensor"),
    "metadata alone": (file({"__metadata__": {"format": "pt"}}, b""), "it holds no tensor"),
    "metadata with numbers": (file({"__metadata__": {"a": 1}, "a": entry()}), THEIRS),
    "metadata a list": (file({"__metadata__": [], "a": entry()}), THEIRS),
    "a key twice": (file(f'{{"a": {ONE}, "a": {ONE}}}'.encode()), "the key 'a' occurs twice"),
    "a field twice": (file(b'{"a": {"dtype": "F32", "dtype": "F64"}}'), "the key 'dtype' occurs twice"),
    "a field missing": (file({"a": {"dtype": "F32", "shape": [2]}}), THEIRS),
    "no entry": (file({"a": 3}), THEIRS),
    "integers": (file({"a": entry("I64", (1,))}), "dtype 'I64' is none of F64, F32, F16, BF16"),
    "bytes": (file({"a": entry("U8", (8,))}), "dtype 'U8' is none of"),
    "8-bit floats": (file({"a": entry("F8_E4M3", (8,))}), "dtype 'F8_E4M3' is none of"),
    "no dtype": (file({"a": entry(None)}), THEIRS),
    "a dtype that is a list": (file({"a": entry([])}), THEIRS),
    "a negative size": (file({"a": entry(shape=[-2])}), THEIRS),
    "no size": (file({"a": entry(shape=[0], offsets=[0, 0])}, b""), "not a list of at most 8 whole numbers ≥ 1"),
    "a size of 0": (file({"a": entry(shape=[0, 2**62], offsets=[0, 0])}), THEIRS),
    "half a size": (file({"a": entry(shape=[2.5])}), THEIRS),
    "a size in floats": (file({"a": entry(shape=[2.0])}), THEIRS),
    "a true size": (file({"a": entry(shape=[True, 2])}), THEIRS),
    "a size in text": (file({"a": entry(shape="2")}), THEIRS),
    "nine axes": (file({"a": entry(shape=[1] * 8 + [2])}), "is not a list of at most 8"),
    "a product beyond 64 bits": (file({"a": entry(shape=[2**31, 2**31, 2**31])}), THEIRS),
    "a product that wraps to 8": (file({"a": entry(shape=[2**62 + 2])}), THEIRS),
    "shape against offsets": (file({"a": entry(shape=[3])}), THEIRS),
    "dtype against offsets": (file({"a": entry("F64")}), THEIRS),
    "offsets backwards": (file({"a": entry(offsets=[8, 0])}), THEIRS),
    "a negative offset": (file({"a": entry(offsets=[-8, 0])}), THEIRS),
    "one offset": (file({"a": entry(offsets=[8])}), THEIRS),
    "three offsets": (file({"a": entry(offsets=[0, 8, 8])}), THEIRS),
    "offsets in floats": (file({"a": entry(offsets=[0.0, 8.0])}), THEIRS),
    "offsets beyond 64 bits": (file({"a": entry(offsets=[2**64, 2**64 + 8])}), THEIRS),
    "an offset of 1,000 digits": (file(b'{"a": ' + b"9" * 1000 + b"}"), "an integer of 1000 digits"),
    "offsets after the end": (file({"a": entry(offsets=[8, 16])}), THEIRS),
    "overlap": (two([0, 8], [4, 12]), THEIRS),
    "the same bytes twice": (two([0, 8], [0, 8]), THEIRS),
    "a hole": (two([0, 8], [12, 20]), THEIRS),
    "a hole at the start": (file({"a": entry(offsets=[4, 12])}, bytes(12)), THEIRS),
    "nested without end": (file(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "nested deeper than 32"),
    "never closed": (file(b'{"a":' * 10_000), "nested deeper than 32"),
    "NaN in the header": (file(b'{"a": {"shape": [NaN]}}'), "NaN is not a JSON number"),
    "NaN": (file({"layers.0.beta": entry()}, NAN), r"'layers.0.beta' is nan at \[1\]"),
    "infinity": (file({"a": entry(shape=[1, 2])}, INF), r"'a' is inf at \[0, 0\], and 1 more of its"),
    "NaN in bfloat16": (file({"a": entry("BF16", [4])}, b"\0\0\xc0\x7f\0\0\0\0"), r"'a' is nan at \[1\]"),
    "infinity in float16": (file({"a": entry("F16", [4])}, HALF), r"'a' is -inf at \[3\]"),
    "a name with control characters": (file({"\x1b[2J\n": entry("I8", [8])}), r"'\\x1b\[2J\\n': dtype"),
    "a name of 10,000 letters": (file({"a" * 10_000: entry("I8", [8])}), "'aaaa.*…: dtype"),
    "a pickle": (pickle.dumps(Bomb(), protocol=4) + bytes(50), "it begins like a pickle"),
    "an old pickle": (pickle.dumps(Bomb(), protocol=0) + bytes(50), "its header claims"),
    "a zip archive": (b"PK\x03\x04" + b"\x14" * 60, "it begins like a zip archive, as torch.save writes"),
    "a .npy file": (b"\x93NUMPY\x01\0" + bytes(120), "it begins like a .npy file"),
    "a git-lfs pointer": (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of git-lfs"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_file_is_one_error_and_nothing_is_made_of_it(name, tmp_path, monkeypatch):
    data, complaint = FAULTS[name]
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    with pytest.raises(UsageError) as refused:
        tensors.read(path)
    message = str(refused.value)
    assert re.search(complaint, message), message
    assert message.startswith(str(path)) and message.isprintable() and len(message) < 600
    assert os.listdir() == ["model.safetensors"]


def test_every_fault_of_several_tensors_is_said_up_to_a_number(tmp_path):
    path = tmp_path / "model.safetensors"
    header = {f"t{i}": entry("I8", [8], [8 * i, 8 * i + 8]) for i in range(9)}
    path.write_bytes(file(header, bytes(72)))
    with pytest.raises(UsageError, match=r"'t0': .*'t5': .*; and 3 more"):
        tensors.read(path)


def test_sizes_are_checked_before_the_file_is_read(tmp_path):
    path = tmp_path / "model.safetensors"
    with path.open("wb") as sparse:
        sparse.write(struct.pack("<Q", 2**40))
        sparse.truncate(2**33)  # 8 GiB that take no room on a disk
    with pytest.raises(UsageError, match="8,589,934,592 bytes are more than the 4,294,967,296"):
        tensors.read(path)
    with path.open("r+b") as sparse:
        sparse.truncate(2**31)
    with pytest.raises(UsageError, match="claims 1,099,511,627,776 bytes"):
        tensors.read(path)
    path.write_bytes(file({"a": entry()}))
    with pytest.raises(UsageError, match="more than the 10 that are read"):
        tensors.read(path, largest=10)


def make_link(path: Path) -> None:
    path.symlink_to(path)


def make_dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (Path.mkdir, "a file is expected"),
        (os.mkfifo, "a file is expected"),
        (make_device, "a file is expected"),
        (make_link, "cannot be read: Too many levels of symbolic links"),
        (make_dangling, "cannot be read: No such file"),
        (lambda path: None, "cannot be read: No such file"),
    ],
    ids=["folder", "pipe", "device", "loop", "dangling", "nothing"],
)
def test_what_is_no_file_is_not_read(make, complaint, tmp_path):
    path = tmp_path / "model.safetensors"
    make(path)
    with pytest.raises(UsageError, match=complaint):
        tensors.read(path)


def test_a_link_to_a_file_is_read(tmp_path):
    tensors.write(tmp_path / "blob", {"a": np.ones(2)})
    (tmp_path / "model.safetensors").symlink_to("blob")
    assert tensors.read(tmp_path / "model.safetensors").arrays["a"].tolist() == [1, 1]


def test_arrays_come_back_as_they_were_written(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {
        "matrix": rng.standard_normal((3, 4)),
        "transposed": rng.standard_normal((3, 4)).T,
        "scalar": np.array(0.1),
        "one": np.ones((1, 1, 1), dtype=np.float32),
        "half": rng.standard_normal(5).astype(np.float16),
        "big-endian": np.arange(3, dtype=">f8"),
        "every second": np.arange(6.0)[::2],
        "µ/λ.0": np.array([np.finfo(float).max, 5e-324, -0.0]),
    }
    tensors.write(tmp_path / "t", arrays, {"format": "pt"})
    found = tensors.read(tmp_path / "t")
    assert set(found.arrays) == set(arrays)
    for name, array in arrays.items():
        back = found.arrays[name]
        assert back.dtype == array.dtype.newbyteorder("=") and back.shape == array.shape
        np.testing.assert_array_equal(back, array)
        back[...] = 0  # it is no view of a file
    assert found.dtypes["half"] == "float16" and found.dtypes["scalar"] == "float64"


def test_bfloat16_is_read_in_float32_without_loss(tmp_path):
    numbers = np.array([1, -2.5, 3.0e38, 2.0**-133], dtype=np.float32)
    bits = (numbers.view(np.uint32) >> 16).astype("<u2")
    (tmp_path / "t").write_bytes(file({"a": entry("BF16", [2, 2])}, bits.tobytes()))
    found = tensors.read(tmp_path / "t")
    assert found.dtypes == {"a": "bfloat16"} and found.arrays["a"].dtype == np.float32
    expected = (numbers.view(np.uint32) & 0xFFFF0000).view(np.float32).reshape(2, 2)
    np.testing.assert_array_equal(found.arrays["a"], expected)


def test_equal_arrays_make_equal_bytes_in_any_order():
    arrays = {f"layers.{i}.a": np.full((2, i + 1), i, dtype=np.float32) for i in range(20)}
    backwards = dict(reversed(arrays.items()))
    first = tensors.pack(arrays, {"format": "pt"})
    assert all(tensors.pack(backwards, {"format": "pt"}) == first for _ in range(5))


@pytest.mark.long
def test_a_file_with_any_bytes_changed_is_refused_or_read_as_the_library_reads_it(tmp_path):
    rng = random.Random(0)
    path = tmp_path / "t"
    whole = tensors.pack({"a": np.arange(3.0), "b": np.ones((1, 2), np.float32)}, {"format": "pt"})
    refused = 0
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 2)):
            data[rng.randrange(len(data))] = rng.choice(b'0123456789{}[],:"\\ \0\xff')
        cut = rng.randrange(len(data)) if rng.random() < 0.1 else len(data)
        path.write_bytes(bytes(data[:cut]))
        try:
            found = tensors.read(path).arrays
        except UsageError as error:
            refused += 1
            assert str(error).isprintable()
            continue
        theirs = safetensors.load_file(path)
        assert set(found) == set(theirs)
        for name, array in found.items():
            np.testing.assert_array_equal(array, theirs[name])
    assert 100 < refused < 400


BAD_JSON = {
    b'{"a": 1, "b": {"c": 1, "c": 2}}': "the key 'c' occurs twice",
    b"NaN": "NaN is not a JSON number",
    b"[1, -Infinity]": "-Infinity is not a JSON number",
    b"1e999": "too large for a number",
    b"9" * 65: "an integer of 65 digits",
    b"{": "not JSON",
    b"": "not JSON",
    b"1 2": "not JSON: Extra data",
    b"\xef\xbb\xbf{}": "not JSON",
    b"\x80": "not UTF-8",
    b'"\\ud800"': "lone surrogate",
    b"[" * 33 + b"]" * 33: "nested deeper than 32",
}


@pytest.mark.parametrize("text", BAD_JSON, ids=[str(text[:20]) for text in BAD_JSON])
def test_json_that_is_not_strict_is_refused(text):
    with pytest.raises(NotStrict, match=BAD_JSON[text]):
        parse(text)


def test_brackets_in_texts_do_not_nest():
    assert parse(b'["' + b"[" * 100 + b'\\"[", {"[": []}]') == ["[" * 100 + '"[', {"[": []}]
    assert parse(b"[1, Infinity]", infinite=True) == [1, float("inf")]
    with pytest.raises(NotStrict, match="NaN"):
        parse(b"NaN", infinite=True)
