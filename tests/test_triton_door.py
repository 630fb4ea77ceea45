"""Kernels of Triton as nodes: they compute what they are to compute, and planted faults are not read as right."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from scanproof.proofs.decide.proving import prove
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.doors.triton.places import Apart, Known, layout
from scanproof.proofs.doors.triton.signature import _written
from scanproof.proofs.doors.triton.text import Type, kernel_of
from scanproof.proofs.statement import binding, nodes
from scanproof.proofs.statement.whole import Axis, Size, whole

TEXT = """
#loc1 = loc("/a/kernel.py":4:1)
#loc2 = loc("x"(#loc1))
#loc3 = loc(callsite(#loc1 at #loc4))
#loc4 = loc("/a/user.py":7:2)
module {
  tt.func public @f(%x: !tt.ptr<f32> loc("x"(#loc1)), %n: i32 loc("n"(#loc1))) attributes {noinline = false} {
    %c = arith.constant 0 : i32 loc(#loc2)
    %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32> loc(#loc3)
    %s:2 = scf.for %i = %c to %n step %c iter_args(%a = %r, %b = %c) -> (tensor<8xi32>, i32)  : i32 {
      scf.yield %a, %b : tensor<8xi32>, i32 loc(#loc1)
    } loc(#loc1)
    %m = "tt.reduce"(%s#0) <{axis = 0 : i32}> ({
    ^bb0(%p: f32 loc(unknown), %q: f32 loc(unknown)):
      %t = arith.addf %p, %q : f32 loc(#loc1)
      tt.reduce.return %t : f32 loc(#loc1)
    }) : (tensor<8xf32>) -> f32 loc(#loc3)
    tt.return loc(#loc1)
  } loc(#loc1)
} loc(#loc1)
"""


def test_the_text_of_a_kernel_is_operations_with_the_lines_of_the_user() -> None:
    kernel = kernel_of(TEXT)
    first, second, loop, reduction, last = kernel.body.operations
    assert kernel.arguments == ["%x", "%n"]
    assert (first.line, second.line) == (" at /a/kernel.py:4", " at /a/user.py:7")
    assert second.type == Type((8,), "i32") and second.number("end") == 8
    assert loop.results == ["%s#0", "%s#1"] and loop.carried == [("%a", "%r"), ("%b", "%c")]
    assert loop.blocks[0].arguments == ["%i", "%a", "%b"]
    assert reduction.operands == ["%s#0"] and reduction.blocks[0].arguments == ["%p", "%q"]
    assert last.name == "tt.return"


def test_a_kernel_that_jumps_is_refused() -> None:
    text = TEXT.replace("    tt.return", "  ^bb1:\n    tt.return")
    with pytest.raises(Refused, match="jumps"):
        kernel_of(text)


EXCHANGE = """
module {
  tt.func public @f(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) attributes {noinline = false} {
    %c = arith.constant 1 : i32
    %v = tt.load %z : !tt.ptr<f32>
    %s:2 = scf.for %i = %c to %c step %c iter_args(%a = %x, %b = %y) -> (!tt.ptr<f32>, !tt.ptr<f32>)  : i32 {
      tt.store %a, %v : !tt.ptr<f32>
      scf.yield %b, %a : !tt.ptr<f32>, !tt.ptr<f32>
    }
    tt.return
  }
}
"""


def test_both_arrays_that_turns_of_a_loop_exchange_are_written() -> None:
    assert _written(kernel_of(EXCHANGE), {"%x": "x", "%y": "y", "%z": "z"}) == {"x", "y"}


T, H, D = (whole(Size(name, 1)) for name in "THD")


def test_a_place_in_memory_is_one_on_each_axis() -> None:
    known, how = Known(), layout((T, H, 8), (H * 8, 8, 1))
    assert how is not None
    turn, head = (whole(binding.fresh(0, n)) for n in (T, H))
    lane = whole(Axis(0))
    assert how.places((turn * H + head) * 8 + lane, known, (8,), frozenset()) == (turn, head, lane)
    assert how.places((turn * H + head) * 8 + lane + 1, known, (8,), frozenset()) is None
    assert layout((T, D), (D + 1, 1)) is None
    assert layout((T, D), (1, T)) is not None


def test_a_program_number_that_is_divided_becomes_two_axes() -> None:
    position = binding.fresh(0, T * H)
    known = Known(programs={position: T * H})
    with pytest.raises(Apart) as error:
        known.divided(whole(position), H)
    assert error.value.by == H


def test_a_whole_part_that_is_no_polynomial_is_known_by_its_inequalities() -> None:
    known = Known()
    count = known.quotient(T + 15, 16)
    assert known.nonnegative(count * 16 - T) and known.nonnegative(T + 15 - count * 16)
    assert not known.nonnegative(T - count * 16)
    assert known.bounded(count * 16) == T + 15


FILE = Path(__file__).with_name("triton_kernels.py")
RECURRENCE = "q: B T H 4, k: B T H 4, v: B T H 8, g: B T H"
SHAPES = {
    "gate": "x: n, y: n",
    "row_sum": "x: m 4*n",
    "softmax": "x: m 5",
    "recurrence": RECURRENCE,
    "before": "x: n 8",
    "chunk": "q: N 16*n 16, k: N 16*n 16, v: N 16*n 16",
}
"""Programs of the file, with their arguments."""
GIVEN, GRID = "x, y, o, n, 0.5", "grid=(triton.cdiv(n, 16),)"
LAUNCH = f"gate_kernel[(triton.cdiv(n, 16),)]({GIVEN}, B=16)"
PLANTED = {
    "gate": (
        ("a mask that lets in one place too many", "m = offs < n", "m = offs <= n"),
        ("a mask that leaves out the last", "m = offs < n", "m = offs < n - 1"),
        ("no mask where is stored", "tl.sigmoid(b), mask=m)", "tl.sigmoid(b))"),
        ("no mask where is loaded", "tl.load(x + offs, mask=m)", "tl.load(x + offs)"),
        ("blocks that overlap", "tl.program_id(0) * B", "tl.program_id(0) * (B - 1)"),
        ("blocks with a gap", "tl.program_id(0) * B", "tl.program_id(0) * (B + 1)"),
        ("blocks that begin at 1", "tl.program_id(0) * B", "1 + tl.program_id(0) * B"),
        ("the program's number of another axis", "tl.program_id(0)", "tl.program_id(1)"),
        ("too few programs", "triton.cdiv(n, 16)", "n // 16"),
        ("half of the lanes", "tl.arange(0, B)", "tl.arange(0, B // 2)"),
        ("every second place", "+ tl.arange(0, B)", "+ 2 * tl.arange(0, B)"),
        ("the place behind", "tl.load(y + offs,", "tl.load(y + offs + 1,"),
        ("a sum for a product", "a * scale", "a + scale"),
        (
            "what is unknown is stored",
            "tl.store(o + offs, a",
            "tl.store(o + offs, tl.sum(a, axis=0)",
        ),
        ("into what is read", "o = torch.empty_like(x)", "o = x"),
        ("into a part of what is read", "o = torch.empty_like(x)", "o = y.view(-1)"),
        ("fewer programs than none", "triton.cdiv(n, 16)", "n // -16"),
        ("what is compiled, and not run", LAUNCH, f"gate_kernel.warmup({GIVEN}, B=16, {GRID})"),
        (
            "a hook that changes what is given",
            "n = x.numel()",
            "n = x.numel(); gate_kernel.add_pre_run_hook(lambda x, *_, **__: x.mul_(2))",
        ),
        (
            "a configuration that changes what is given",
            LAUNCH,
            "kernel = triton.autotune([triton.Config({'B': 16}, pre_hook=lambda d: d['x'].mul_(2))], [])\n"
            f"    kernel(gate_kernel)[(triton.cdiv(n, 16),)]({GIVEN})",
        ),
        (
            "a number that has no sign, and is below 0 past 1000",
            "a * scale",
            "a * scale + (1000 - n).to(tl.uint32).to(tl.float32) - (1000.0 - n)",
        ),
        (
            "a whole part that there is up to 1000, which says nothing beyond",
            "    tl.store(o + offs, a",
            "    u = 0.0\n    if n <= 1000:\n        u = tl.where((1000 - n) // 4 >= 0, 0.0, 1.0)\n"
            "    tl.store(o + offs, u + tl.where(n <= 1000, 1.0, 2.0) * a",
        ),
    ),
    "row_sum": (
        ("another value under the mask", "mask=c < n, other=0.0", "mask=c < n - 1, other=1.0"),
        ("no value under the mask", "mask=c < n, other=0.0", "mask=c < n - 1"),
        ("the first block left out", "range(0, n, B)", "range(B, n, B)"),
        ("blocks twice", "range(0, n, B)", "range(0, n, B // 2)"),
        ("the last block alone", "total += tl.load", "total = tl.load"),
        ("all rows at one place", "tl.store(o + row,", "tl.store(o,"),
        ("a wrong step between rows", "row * stride", "row * (stride + 1)"),
        ("the first row alone", "row * stride", "0 * stride"),
    ),
    "softmax": (
        ("zeros beyond the end", '-float("inf")', "0.0"),
        ("no value beyond the end", 'mask=m, other=-float("inf")', "mask=m"),
        ("a mask that leaves out the last", "m = c < n", "m = c < n - 1"),
        ("no mask where is stored", "tl.sum(e, axis=0), mask=m)", "tl.sum(e, axis=0))"),
        ("the block for the step", "o + row * stride", "o + row * B"),
        ("rows that overlap", "o + row * stride", "o + row"),
        ("the greatest for the sum", "e / tl.sum", "e / tl.max"),
        ("a block that is too short", "B=8", "B=4"),
        (
            "a number that its 8 bits do not hold",
            "e / tl.sum(e, axis=0)",
            "e / tl.sum(e, axis=0) * ((n * 100).to(tl.int8).to(tl.float32) / 500)",
        ),
    ),
    "recurrence": (
        ("no decay", "state = state * tl.exp(tl.load(p_g).to(tl.float32))", "tl.load(p_g)"),
        ("a decay without exp", "tl.exp(tl.load(p_g).to(tl.float32))", "tl.load(p_g)"),
        ("another first state", "tl.zeros([BV, K]", "1.0 + tl.zeros([BV, K]"),
        ("one token too few", "range(0, T)", "range(0, T - 1)"),
        ("one token too many", "range(0, T)", "range(0, T + 1)"),
        ("keys of the first token", "        p_k += H * K\n", ""),
        ("decays of the first token", "        p_g += H\n", ""),
        ("a step without heads", "p_q += H * K", "p_q += K"),
        ("a batch that is a head", "i_nh // H, i_nh % H", "i_nh % H, i_nh // H"),
        ("heads of another batch", "v + (i_n * T * H + i_h)", "v + (i_n * H + i_h)"),
        ("one block of values", "o_v = i_v * BV +", "o_v ="),
        ("too few programs", "(triton.cdiv(V, 4), B * H)", "(triton.cdiv(V, 4), B)"),
        ("too few blocks", "triton.cdiv(V, 4)", "1"),
        ("another mask", "m_v = o_v < V", "m_v = o_v < K"),
        ("keys for queries", "tl.sum(state * b_q", "tl.sum(state * b_k"),
        (
            "the state turned over",
            "o_v[:, None] * K + o_k[None, :]",
            "o_v[:, None] + o_k[None, :] * V",
        ),
        ("states at one place", "h + i_nh * V * K", "h"),
        (
            "a number that stops after 1000 turns",
            "    for _ in range(0, T):\n",
            "    i_t = 0\n    for t in range(0, T):\n        i_t = tl.maximum(i_t - 1, -1000)\n"
            "        state += (i_t + t + 1).to(tl.float32)\n",
        ),
        (
            "turns under a condition that few sizes have",
            "    for _ in range(0, T):\n",
            "    if T > 40:\n        for _ in range(40, T):\n            state += 1.0\n"
            "    for _ in range(0, T):\n",
        ),
        ("the first state stored", "tl.store(p_h, state,", "tl.store(p_h, state * 0,"),
    ),
    "before": (
        ("a row before the first", "if row > 0:", "if row >= 0:"),
        ("a condition for too few rows", "if row > 0:", "if row > 1:"),
        (
            "two programs at one place",
            "tl.store(o + row * B + c, a)",
            "tl.store(o + (n - 1) * B + c, a)",
        ),
        ("the row behind", "x + (row - 1) * B", "x + (row + 1) * B"),
        (
            "added where others store",
            "tl.store(o + row * B + c, a +",
            "tl.atomic_add(o + row * B + c, a +",
        ),
    ),
    "chunk": (
        ("no token of its own", "c[:, None] >= c[None, :]", "c[:, None] > c[None, :]"),
        ("no order", "c[:, None] >= c[None, :]", "c[:, None] < C"),
        ("a state that sees its chunk", "tl.dot(b_q, state) +", "tl.dot(b_q, state + state) +"),
        ("no state", "state += tl", "tl"),
        ("chunks of which half is new", "range(0, T, C)", "range(0, T, C // 2)"),
        ("a batch without tokens", "i_n * T + start", "i_n * C + start"),
        ("no end of the loop", "range(0, T, C)", "range(0, T + C, C)"),
    ),
}
"""Faults: by the program, what is wrong in words, the text that is right, and the text that is wrong."""


def lengths(text: str) -> tuple[Any, ...]:
    found = []
    for word in text.split():
        number: Any = 1
        for factor in word.split("*"):
            number = number * (int(factor) if factor.isdigit() else whole(Size(factor, 1)))
        found.append(number)
    return tuple(found)


def module_of(text: str, folder: Path) -> ModuleType:
    """A module with this source, which Triton reads from its file."""
    file = folder / f"kernels_{abs(hash(text))}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def differences(program: Any, reference: Any, shapes: str) -> float:
    """The greatest difference between a program's nodes and what the reference computes, at two choices of sizes.

    Raises:
        Refused: if the program is not read.
    """
    import torch

    from scanproof.proofs.decide.targets import with_kernels
    from scanproof.proofs.doors.aten.programs import Program
    from scanproof.proofs.readings.floats import Floats
    from scanproof.proofs.statement.whole import at

    parts = [part.split(":") for part in shapes.split(",")]
    given = [nodes.Input(name.strip(), lengths(text)) for name, text in parts]
    read = Program(with_kernels(program)).lowered(given)
    letters = sorted(
        {s.name for one in given for n in one.shape for s in getattr(n, "symbols", ())}
    )
    rng, worst = np.random.default_rng(0), 0.0
    for start in (1, 2):
        sizes = {name: start + k % 2 for k, name in enumerate(letters)}
        if "n" in sizes and "gate" in str(program.__name__):
            sizes["n"] = 10 + 10 * start
        values = {
            one.name: rng.uniform(
                -1, 1, [at(n, lambda s, now=sizes: now[getattr(s, "name", "")]) for n in one.shape]
            )
            for one in given
        }
        reading = Floats(sizes, values)
        found = [np.asarray(reading(one), float) for one in read.outputs]
        wanted = reference(*(torch.tensor(values[one.name]) for one in given))
        every = wanted if isinstance(wanted, tuple) else (wanted,)
        for one, other in zip(found, every, strict=True):
            worst = max(worst, float(np.max(np.abs(one - other.numpy()), initial=0)))
    return worst


@pytest.fixture
def installed() -> None:
    for name in ("torch", "triton"):
        pytest.importorskip(name)


@pytest.mark.long
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", SHAPES)
def test_a_kernel_is_read_as_what_it_computes(name: str, tmp_path: Path) -> None:
    module = module_of(FILE.read_text(), tmp_path)
    program, reference = getattr(module, name), getattr(module, f"{name}_reference")
    assert differences(program, reference, SHAPES[name]) < 1e-9


CASES = [(name, *case) for name, cases in PLANTED.items() for case in cases]


@pytest.mark.long
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("name", "said", "right", "wrong"), CASES)
def test_a_planted_fault_is_refused_or_makes_a_difference(
    name: str, said: str, right: str, wrong: str, tmp_path: Path
) -> None:
    text = FILE.read_text()
    start = text.index(f"def {name}_kernel")
    end = text.index(f"def {name}_reference")
    part = text[start:end]
    assert right in part, said
    module = module_of(text[:start] + part.replace(right, wrong) + text[end:], tmp_path)
    program, reference = getattr(module, name), getattr(module, f"{name}_reference")
    try:
        assert differences(program, reference, SHAPES[name]) > 1e-3, said
    except Refused as error:
        assert len(str(error)) > 20


TOKENS = "q: B T 2 4, k: B T 2 4, v: B T 2 4"
CHUNKS = "q: 1 16*n 1 16, k: 1 16*n 1 16, v: 1 16*n 1 16"
IN_FLA = {
    "linear": TOKENS,
    "simple_gla": f"{TOKENS}, g: B T 2",
    "delta": "q: 2 T 2 4, k: 2 T 2 4, v: 2 T 2 4, beta: 2 T 2",
    "gated_delta": f"{TOKENS}, g: B T 2, beta: B T 2",
    "chunked_linear": CHUNKS,
    "chunked_gla": f"{CHUNKS}, g: 1 16*n 1",
    "chunked_delta": f"{CHUNKS}, beta: 1 16*n 1",
    "chunked_gated_delta": f"{CHUNKS}, g: 1 16*n 1, beta: 1 16*n 1",
}
"""Kernels of flash-linear-attention, with the shapes for which they are proved: heads and their entries are numbers."""


def proved(name: str, reference: str) -> bool:
    import fla_kernels

    program, wanted = getattr(fla_kernels, name), getattr(fla_kernels, reference)
    result = prove(program, equals=wanted, shapes=IN_FLA[name], framework="triton").result
    return (result.verdict, result.scope) == ("proved", "all-sizes")


@pytest.mark.long
@pytest.mark.usefixtures("only_read")
@pytest.mark.parametrize("name", IN_FLA)
def test_a_kernel_of_flash_linear_attention_is_its_recurrence_at_all_lengths(name: str) -> None:
    pytest.importorskip("fla")
    assert proved(name, f"{name}_reference")


@pytest.mark.long
@pytest.mark.usefixtures("only_read")
def test_a_kernel_of_flash_linear_attention_is_not_another_recurrence() -> None:
    pytest.importorskip("fla")
    assert not proved("gated_delta", "forgetting_late")
