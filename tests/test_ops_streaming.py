"""The streaming op: blocks of a sequence give what the whole sequence gives, and what is finished is kept.

Small whole numbers are computed exactly in float32, so that most of these tests ask for equality.
"""

import io
import signal
import sys
from typing import Any, cast

import jax
import numpy as np
import pytest

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import delta_rule, linear_attention
from scanproof.numeric.ops.blocks import in_blocks
from scanproof.numeric.ops.chunked import chunked
from scanproof.numeric.ops.delta import longhorn
from scanproof.numeric.ops.recurrent import recurrent
from scanproof.numeric.ops.streaming import Stream, stepwise, streaming
from scanproof.proofs.report import progress

T, D, N, BLOCK = 23, 3, 2, 8
"""Two blocks of 8 tokens and one of 7."""


def whole(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


V, K, Q, STATE = (
    whole(2, T, D),
    whole(2, T, N, seed=1),
    whole(2, T, N, seed=2),
    whole(2, D, N, seed=3),
)


def everything(run: Stream) -> tuple[np.ndarray, np.ndarray]:
    """All outputs, joined, and the final state."""
    outputs = np.concatenate([np.asarray(part) for part in run], axis=-2)
    return outputs, np.asarray(run.final_state)


def assert_same(found: tuple[np.ndarray, np.ndarray], wanted: Scan) -> None:
    assert np.array_equal(found[0], wanted.outputs)
    assert np.array_equal(found[1], wanted.final_state)


def cut(index: int) -> tuple[np.ndarray, ...] | None:
    """Block `index` of the sequence, None after the last."""
    tokens = slice(index * BLOCK, (index + 1) * BLOCK)
    return tuple(a[:, tokens] for a in (V, K, Q)) if index * BLOCK < T else None


def mapped(path, array: np.ndarray) -> np.ndarray:
    """The array in a file, read on demand."""
    np.save(path, array)
    return np.load(path, mmap_mode="r")


@pytest.mark.long
@pytest.mark.parametrize(
    "form", ["sequence", "generator", "function", "function and count", "files"]
)
def test_blocks_in_every_form_give_what_the_whole_gives(form: str, tmp_path):
    blocks = {
        "sequence": lambda: [cut(0), cut(1), cut(2)],
        "generator": lambda: (cut(i) for i in range(3)),
        "function": lambda: cut,
        "function and count": lambda: cut,
        "files": lambda: in_blocks(
            tuple(mapped(tmp_path / f"{i}.npy", a) for i, a in enumerate((V, K, Q))), BLOCK
        ),
    }[form]()
    count = 3 if form == "function and count" else None
    run = streaming(chunked, blocks, initial_state=STATE, count=count, chunk=4)
    assert_same(everything(run), chunked(V, K, Q, initial_state=STATE, chunk=4))


@pytest.mark.long
def test_named_arguments_are_cut_along_the_tokens_or_handed_on():
    reset = np.arange(2 * T).reshape(2, T) % 5 == 3
    tokens = {"v": V, "k": K, "q": Q, "log_decay": 0.0, "reset": reset}
    assert [block["log_decay"] for block in in_blocks(tokens, BLOCK)] == [0.0] * 3
    run = streaming(chunked, in_blocks(tokens, BLOCK), chunk=4)
    assert_same(everything(run), chunked(**tokens, chunk=4))


@pytest.mark.long
def test_the_delta_rule_streams():
    """Keys that are unit vectors and strengths 0 and 1 keep whole numbers whole; Longhorn halves a few of them."""
    keys = np.eye(N, dtype=np.float32)[np.random.default_rng(0).integers(0, N, (2, 2 * BLOCK))]
    beta = np.random.default_rng(1).integers(0, 2, (2, 2 * BLOCK))
    tokens = V[:, : 2 * BLOCK], keys, Q[:, : 2 * BLOCK], beta
    run = streaming(longhorn, in_blocks(tokens, BLOCK), initial_state=STATE, chunk=4)
    assert_same(everything(run), longhorn(*tokens, initial_state=STATE, chunk=4))


@pytest.mark.short("tuple of one")
@pytest.mark.parametrize("plain", [False, True], ids=["named tuple", "tuple of one"])
def test_any_step_function_streams(plain: bool):
    tokens = linear_attention.Token(Q[0], K[0], V[0])
    blocks = list(in_blocks(tokens, BLOCK, axis=0))
    assert all(isinstance(block, linear_attention.Token) for block in blocks)
    lane = stepwise(linear_attention.step, None)
    run = streaming(lane, [(b,) for b in blocks] if plain else blocks, initial_state=STATE[0])
    assert_same(everything(run), recurrent(linear_attention.step, None, STATE[0], tokens))


@pytest.mark.long
def test_a_fold_keeps_only_what_it_is_asked_for():
    run = streaming(chunked, cut, initial_state=STATE, chunk=4)
    total = run.fold(lambda total, outputs: total + outputs.sum(), 0.0)
    wanted = chunked(V, K, Q, initial_state=STATE, chunk=4)
    assert float(total) == float(np.asarray(wanted.outputs, dtype=np.float64).sum())
    assert np.array_equal(run.final_state, wanted.final_state)
    assert run.finished.outputs is None


@pytest.mark.parametrize("where", ["while a block is read", "in the fold"])
@pytest.mark.usefixtures("hears")
def test_after_ctrl_c_the_run_goes_on_from_the_last_finished_block(where: str):
    interrupted = []

    def interrupt_once() -> None:
        if not interrupted:
            interrupted.append(True)
            signal.raise_signal(signal.SIGINT)

    def read(index: int):
        if index == 2 and where == "while a block is read":
            interrupt_once()
        return cut(index)

    def add(total, outputs):
        if outputs.shape[1] < BLOCK and where == "in the fold":
            interrupt_once()
        return total + float(outputs.sum())

    run = streaming(chunked, read, initial_state=STATE, chunk=4)
    with pytest.raises(KeyboardInterrupt):
        run.fold(add, 0.0)
    assert run.finished.blocks == 2
    parts = chunked(V[:, :16], K[:, :16], Q[:, :16], initial_state=STATE, chunk=4)
    assert np.array_equal(run.finished.state, parts.final_state)
    assert run.finished.value == float(parts.outputs.sum())
    with pytest.raises(UsageError, match=r"only 2 are finished; .* or take finished\.state"):
        _ = run.final_state

    resumed = streaming(chunked, read, resume=run.finished, chunk=4)
    wanted = chunked(V, K, Q, initial_state=STATE, chunk=4)
    assert resumed.fold(add) == float(wanted.outputs.sum())
    assert np.array_equal(resumed.final_state, wanted.final_state)


def test_a_block_taken_from_an_iterator_is_not_lost_with_an_interrupted_op():
    calls = []

    def lane(*arrays, initial_state):
        calls.append(initial_state)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return chunked(*arrays, initial_state=initial_state, chunk=4)

    run = streaming(lane, (cut(i) for i in range(3)), initial_state=STATE)
    outputs = []
    with pytest.raises(KeyboardInterrupt):
        outputs.extend(run)
    outputs.extend(run)
    wanted = chunked(V, K, Q, initial_state=STATE, chunk=4)
    assert_same((np.concatenate(outputs, axis=1), np.asarray(run.final_state)), wanted)


@pytest.mark.long
def test_a_million_tokens_take_the_memory_of_one_block():
    length, count = 2**14, 64

    def read(index: int):
        return tuple(whole(1, length, 2, seed=3 * index + i) for i in range(3))

    held = []

    def note(value, outputs):
        held.append(sum(array.nbytes for array in jax.live_arrays()))
        return outputs[0, -1]

    before = sum(array.nbytes for array in jax.live_arrays())
    run = streaming(chunked, read, count=count, chunk=64)
    last = run.fold(note)
    assert length * count > 10**6
    assert (
        max(held) - before < 10 * length * 2 * 4
    )  # three inputs, their copies, outputs, two states
    state = sum(v[0].T.astype(np.float64) @ k[0] for v, k, _ in map(read, range(count)))
    assert np.array_equal(run.final_state[0], state)
    assert np.array_equal(last, state @ read(count - 1)[2][0, -1])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("patience, shown", [(0.0, True), (60.0, False)])
def test_a_bar_appears_on_a_terminal_when_it_takes_long(monkeypatch, patience: float, shown: bool):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    for _ in streaming(chunked, [cut(0), cut(1)], chunk=4):
        pass
    assert ("2/2" in terminal.getvalue()) == shown
    assert not streaming(chunked, [], progress=False)._bar().shown


def test_no_bar_appears_elsewhere(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    for _ in streaming(chunked, [cut(0), cut(1)], chunk=4):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((None, cut), r"expects a lane, for example chunked"),
        ((chunked, (V, K, Q)), r"expects blocks, got arrays; cut them with in_blocks"),
        ((chunked, {"v": V}), r"expects blocks, got arrays; cut them with in_blocks"),
        ((chunked, np.zeros(3)), r"expects blocks, got arrays"),
        ((chunked, 3), r"expects a sequence of blocks, .* got int"),
        ((chunked, "abc"), r"expects a sequence of blocks, .* got str"),
    ],
)
def test_wrong_arguments_are_refused_at_once(arguments, message: str):
    with pytest.raises(UsageError, match=message):
        streaming(*arguments)


def test_wrong_options_are_refused_at_once():
    with pytest.raises(UsageError, match="initial_state or resume, not both"):
        streaming(chunked, cut, initial_state=STATE, resume=streaming(chunked, cut).finished)
    with pytest.raises(UsageError, match="`finished` of an earlier run, got ndarray"):
        streaming(chunked, cut, resume=cast(Any, STATE))
    with pytest.raises(UsageError, match=r"count=-1\) expects a whole number"):
        streaming(chunked, cut, count=-1)


def test_what_an_op_has_to_say_names_the_block():
    bad = V.copy()
    bad[0, 9] = np.nan
    run = streaming(chunked, in_blocks((bad, K, Q), BLOCK), chunk=4)
    with pytest.raises(UsageError, match=r"streaming\(\), block 1: chunked\(v=.*NaN"):
        list(run)
    assert run.finished.blocks == 1
    with pytest.raises(UsageError, match="expects a lane that returns a Scan, got tuple"):
        list(streaming(cast(Any, lambda *arrays, initial_state: ()), cut))
    with pytest.raises(
        UsageError, match=r"stepwise\(step\) needs the state before the first token"
    ):
        list(streaming(stepwise(delta_rule.step, None), [V]))


@pytest.mark.parametrize(
    "arrays, length, axis, message",
    [
        ((V, K, Q), 0, None, r"length=0\) expects a whole number ≥ 1"),
        ((V, K, Q), 2.5, None, r"length=2.5\) expects a whole number"),
        (
            (V, K[:, :4], Q),
            8,
            None,
            r"one common number of tokens .* got shapes \(2, 23, 3\), \(2, 4, 2\)",
        ),
        ((V[:, :0], K[:, :0]), 8, None, r"T ≥ 1"),
        ((), 8, None, r"got shapes none"),
        (([[1.0]], [[1.0]]), 1, None, r"expects arrays with one common number of tokens"),
        (whole(5), 2, None, r"give axis=0 for tokens of shape \(T, …\)"),
        ((V, K[0]), 2, 0, r"along axis 0"),
    ],
)
def test_arrays_that_cannot_be_cut_are_refused(arrays, length, axis, message: str):
    with pytest.raises(UsageError, match=message):
        in_blocks(arrays, length, axis=axis)


def test_blocks_are_a_sequence():
    blocks = in_blocks(whole(T), BLOCK, axis=0)
    assert [len(block) for block in blocks] == [8, 8, 7]
    assert [len(block) for block in blocks[1:]] == [8, 7] and len(blocks[-1]) == 7
    for outside in (3, -4):
        with pytest.raises(IndexError):
            blocks[outside]
