"""The benchmark at sizes that take no time: every row is there, with an error that was measured."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import Run, one_line

from scanproof.numeric.bench import busy, peers
from scanproof.numeric.bench.ceilings import Ceilings
from scanproof.numeric.bench.passes import DERIVATIVE, passes
from scanproof.numeric.bench.problem import Problem, Size, relative_error
from scanproof.numeric.bench.report import _error, as_text, benchmark, inaccurate
from scanproof.numeric.bench.timing import BURST, Timing, interleaved, ratio

SIZE = Size(heads=2, tokens=64, features=8)


@pytest.fixture(scope="module", params=[pytest.param(SIZE, marks=pytest.mark.long)])
def record():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(busy, "SECONDS", 0)
        return benchmark([SIZE], "float32", rounds=2)


@pytest.mark.long
def test_every_lane_stands_beside_what_it_is_compared_with(record):
    names = [row["name"] for row in record["sizes"][0]["rows"]]
    for name in (
        "matrix product of 4d²",
        "lax.scan",
        "NumPy, one head",
        "recurrent",
        "chunked",
        "delta",
    ):
        assert name in names
    for start in ("streaming", "sharded over heads", "sharded over sequence", "chunked, bfloat16"):
        assert any(name.startswith(start) for name in names)


def test_every_lane_has_an_error_that_is_not_zero_and_small(record):
    for row in record["sizes"][0]["rows"][1:]:
        assert 0 < row["error"] <= (4e-3 if "bfloat16" in row["name"] else 1e-6), row["name"]
    assert inaccurate(record) == []


def test_a_lane_that_is_not_accurate_enough_is_named(record):
    row = dict(record["sizes"][0]["rows"][-1], met={"accuracy": False, "speed": None})
    wrong = dict(record, sizes=[dict(record["sizes"][0], rows=[row])])
    assert inaccurate(wrong) == [f"{row['name']} (d = 8)"]


def test_the_record_is_json_and_the_table_has_its_rows(record):
    assert json.loads(json.dumps(record)) == record
    text = as_text(record)
    for row in record["sizes"][0]["rows"]:
        assert row["name"] in text
        assert row["seconds"] > 0 and row["first_seconds"] > 0
    idle, beside = record["sizes"][0]["beside_scan"]
    assert idle["busy_cores"] == 0 < beside["busy_cores"]
    assert all(line in text for line in busy.as_lines([idle, beside]))


def test_programs_run_in_turns_after_a_warm_up():
    calls: list[str] = []
    programs = {name: lambda name=name: calls.append(name) for name in "ab"}
    told: list[tuple[str, int, int]] = []
    found = interleaved(programs, lambda _: None, 3, lambda *news: told.append(news))
    assert calls == list("ab" + 3 * ("a" * BURST + "b" * BURST))
    assert told[-1] == ("b", 8, 8)
    assert len(found["a"].rounds) == 3


def test_a_slow_program_runs_once_after_its_warm_up():
    calls: list[int] = []
    found = interleaved({"slow": lambda: calls.append(0)}, lambda _: None, 5, slow=0.0)
    assert len(calls) == 2 and len(found["slow"].rounds) == 1


def test_what_fails_or_has_no_time_is_left_out_with_the_reason():
    def broken() -> None:
        raise RuntimeError("no registers\nleft")

    left_out: dict[str, str] = {}
    programs = {"broken": broken, "works": lambda: None}
    found = interleaved(programs, lambda _: None, 2, left_out=left_out)
    assert [*found] == ["works"] and len(found["works"].rounds) == 2
    assert left_out == {"broken": "RuntimeError: no registers"}
    with pytest.raises(RuntimeError):
        interleaved(programs, lambda _: None, 2)
    assert interleaved(programs, lambda _: None, 2, end=0, left_out=left_out) == {}
    assert left_out == dict.fromkeys(programs, "no time is left")


@pytest.mark.long
def test_the_derivatives_that_are_timed_are_those_of_the_recurrences():
    problem = Problem(Size(heads=1, tokens=80, features=8))
    found = passes(problem, "float32")
    for name, case in found.items():
        assert 0 < (_error(problem, case) or 0) <= 1e-6, name
    assert sum(name.endswith(DERIVATIVE) for name in found) == len(found) / 2 == 4


def test_ratio_is_the_median_of_the_ratios_of_each_round():
    above, below = Timing(0, (2.0, 30.0, 4.0)), Timing(0, (1.0, 10.0, 4.0))
    assert ratio(above, below) == 2


def test_floor_is_the_larger_of_work_and_traffic():
    size = Size(1, 1, 64)
    flops, moved = 4 * 64**2 + 2 * 65 * 64, 4 * 64 * 2
    assert Ceilings(1e30, 1.0).floor(size, "bfloat16", 64) == flops
    assert Ceilings(1.0, 1e30).floor(size, "bfloat16", 64) == moved
    assert Ceilings(1.0, 1e30).floor(size, "bfloat16", 64, derivative=True) == 11 * 64 * 2


def test_error_is_relative_to_all_entries():
    exact = np.asarray([[3.0, 4.0]])
    assert relative_error(np.asarray([[3.0, 4.5]], dtype=np.float32), exact) == 0.1


def test_fla_is_left_out_where_it_cannot_run():
    assert peers.peers() == "fla-core runs on a GPU only"


@pytest.mark.long
def test_fla_kernels_are_called_with_the_very_tokens():
    """With torch's part played by NumPy and the kernels by the definition: shapes, order and scale are fla's."""
    problem = Problem(SIZE)
    calls = {}

    class Tensor(np.ndarray):
        def to(self, dtype):
            return self

        def cuda(self):
            return self

        def requires_grad_(self):
            return self

    class Torch:
        float32, bfloat16 = "float32", "bfloat16"

        @staticmethod
        def from_numpy(array):
            return array.view(Tensor)

        class no_grad:
            def __enter__(self):
                pass

            def __exit__(self, *args):
                pass

    def simple_gla(q, k, v, g=None, *, scale, output_final_state):
        calls["gla"] = q.shape, None if g is None else g.shape, scale
        weights = np.einsum("bthd,bshd->bhts", q, k)
        if g is not None:
            total = np.cumsum(g, axis=1).transpose(0, 2, 1)
            weights = weights * np.exp(total[..., :, None] - total[..., None, :])
        return np.einsum("bhts,bshd->bthd", np.tril(weights), v), None

    def delta_rule(q, k, v, beta, *, scale, output_final_state):
        calls["delta"] = q.shape, beta.shape, scale
        state = np.zeros((q.shape[2], v.shape[-1], q.shape[-1]))
        out = np.zeros(v.shape)
        for t in range(q.shape[1]):
            read = np.einsum("hdm,hm->hd", state, k[0, t])
            state += np.einsum("hd,hm->hdm", beta[0, t][:, None] * (v[0, t] - read), k[0, t])
            out[0, t] = np.einsum("hdm,hm->hd", state, q[0, t])
        return out, None

    found = Torch, simple_gla, delta_rule
    cases = peers.peer_cases(problem, "float32", found)
    assert not any("delta" in name for name in cases)
    cases["delta"] = peers.peer_cases(problem, "bfloat16", found)["fla chunk_delta_rule, bfloat16"]
    for name, case in cases.items():
        if case.derivative:
            continue
        outputs = np.asarray(case.run())[0].transpose(1, 0, 2)
        assert case.layer is not None
        assert relative_error(outputs, problem.exact(case.layer, "float32")) < 1e-6, name
    assert calls["gla"] == ((1, 64, 2, 8), (1, 64, 2), 1.0)
    assert calls["delta"] == ((1, 64, 2, 8), (1, 64, 2), 1.0)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--features", "x"), "--features x: expects whole numbers"),
        (("--tokens", "0"), "--tokens 0: give a whole number ≥ 1"),
        (("--rounds", "0"), "--rounds 0"),
        (
            ("--dtype", "float16"),
            "--dtype float16: no such value; nearest: bfloat16; allowed: float32, ",
        ),
        (("--format", "xml"), "--format xml: no such value; allowed: table, json"),
        (("--output", "/no/such/place.json"), "--output /no/such/place.json: cannot write"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_runs(
    run: Run, arguments: tuple[str, ...], message: str
):
    assert message in one_line(run("bench", *arguments))


@pytest.fixture
def at_once(record: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The command runs without the benchmark itself; the list holds what it asked for."""
    asked: list[Any] = []

    def benchmark(*arguments: Any) -> dict[str, Any]:
        asked.extend(arguments[:3])
        assert arguments[4] is None  # a CPU has time
        return record

    monkeypatch.setattr("scanproof.numeric.bench.report.benchmark", benchmark)
    return asked


def test_the_command_writes_the_record_and_prints_the_table(
    run: Run, at_once: list[Any], record: dict[str, Any], tmp_path: Path
):
    file = tmp_path / "bench.json"
    answer = run("bench", "--features", "8,64", "--tokens", "64", "--output", file)
    assert answer.code == 0
    assert at_once == [[Size(8, 64, 8), Size(8, 64, 64)], "float32", 9]
    assert json.loads(file.read_text()) == record
    assert answer.out == as_text(record)
    assert json.loads(run("bench", "--format", "json").out) == record


def test_the_command_fails_if_a_lane_is_not_accurate_enough(
    run: Run, at_once: list[Any], record: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(record["sizes"][0]["rows"][-1]["met"], "accuracy", False)
    answer = run("bench")
    assert answer.code == 1
    assert "less accurate than it must be: sharded over sequence" in answer.err
