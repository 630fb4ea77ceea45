"""`scanproof run`: its table and JSON, what it refuses before it compiles, and what an interrupted run keeps."""

import json
import re
import sys

import pytest
from command_line import Run, one_line

from scanproof.constructs.errors import UsageError
from scanproof.numeric.run import checking, rows, running

SMALL = ("--features", "3", "--examples", "5")


@pytest.mark.long
def test_the_table_has_what_was_run_and_what_came_out(run: Run):
    answer = run(
        "run", "gril.propA.1", *SMALL, "--layers", "2", "--seed", "3", "--sampler", "normal"
    )
    assert answer.code == 0
    names = [line.split("  ")[0] for line in answer.out.splitlines()]
    for name in (
        "statement", "learner", "sizes", "inputs", "W0", "η", "lane", "device", "error", "bound",
        "error / bound", "tokens per second", "share of the floor",
    ):  # fmt: skip
        assert name in names
    assert "gril.propA.1 (proved)" in answer.out
    assert "normal, standard deviation 1; seed 3" in answer.out
    assert "power iteration" in answer.out and "L = 2" in answer.out
    assert "not available" not in answer.out


@pytest.mark.long
def test_json_has_every_field_of_the_report_and_one_seed_one_error(run: Run):
    asked = ("run", "gd-ssm.prop1", *SMALL, "--format", "json", "--step-size", "0.25")
    report, again = (json.loads(run(*asked).out) for _ in range(2))
    assert (report["error"], report["bound"]) == (again["error"], again["bound"])
    assert report.pop("schema") == "scanproof.run/1"
    assert set(report) == set(running.Report("x").as_dict())
    assert report["step_size"] == 0.25 and report["step_size_rule"] == "as given"
    assert report["verdict"] == "proved" and report["ratio"] <= 1
    assert report["share_of_floor"] > 0 and report["tokens_per_second"] > 0


@pytest.mark.long
def test_a_row_is_run_with_its_strongest_proved_statement_and_as_stated_says_so(run: Run):
    mended = run("run", "gd-ssm.prop2-construction", *SMALL)
    assert "gd-ssm.prop2-construction+transpose+sign (proved)" in mended.out
    assert "the row's strongest proved statement" in mended.out
    printed = run("run", "gd-ssm.prop2-construction", *SMALL, "--as-stated")
    assert "gd-ssm.prop2-construction (refuted), as stated, whatever the verdict" in printed.out


@pytest.mark.long
def test_bfloat16_is_said_to_be_what_it_is_of_the_lane(run: Run):
    for row, lane, said in (
        ("ssd.remark4.1-lsa-construction", (), "bfloat16 into the products of its states"),
        ("gril.prop4.1", ("--lane", "recurrent"), "data in bfloat16"),
        ("gril.prop4.1", (), "bfloat16 into the products of its states"),
    ):
        lines = run("run", row, *SMALL, "--dtype", "bfloat16", *lane).out.splitlines()
        (found,) = (line for line in lines if line.startswith("lane"))
        assert found.endswith(f"{said}, all else in float32")


@pytest.mark.long
def test_of_attention_to_all_examples_bfloat16_rounds_what_a_second_layer_folds():
    """Data are bfloat16 already, so that one layer has exact factors and no error but that of float32."""
    report = {
        layers: running.run(
            "ssd.remark4.1-lsa-construction", features=3, examples=5, layers=layers, dtype="bfloat16", progress=False
        )
        for layers in (1, 2)
    }  # fmt: skip
    one, two = report[1], report[2]
    assert one.ratio is not None and two.ratio is not None and max(one.ratio, two.ratio) <= 1
    assert one.relative_error is not None and one.relative_error < 2.0**-18
    assert one.bound is not None and two.bound is not None and two.bound > 2.0**-8 * one.bound
    assert two.relative_error is not None and two.relative_error > 2.0**-18


@pytest.mark.short(3)
@pytest.mark.parametrize(
    ("scale", "dtype", "why"),
    [
        ("1e+200", "float32", "the data overflow in float32; choose"),
        ("1e-200", "float32", "the data become 0 in float32; choose"),
        ("1e+200", "float64", "which η is made, overflows in float64; choose"),
        ("1e-200", "float64", "which η is made, becomes 0 in float64; choose"),
    ],
)
def test_inputs_that_a_format_does_not_hold_are_refused_in_one_line(run: Run, scale, dtype, why):
    answer = run("run", "gril.prop4.1", *SMALL, "--input-scale", scale, "--dtype", dtype)
    assert answer.code == 3
    assert f"--input-scale {scale}: " in one_line(answer) and why in one_line(answer)


BAD = [
    (("gril.prop4.2",), "no claim matches"),
    (("gril.prop*",), r"give one id, not a pattern; it matches gril.prop4.1,"),
    (("gril.eq10",), "nothing to run, it is an identity .*; rows that run: gd-ssm.prop1, .*gril.prop4.1"),
    (("gril.table5",), "trained, not constructed; rows that run"),
    (("ssd.thm5.1", "--as-stated"), "as printed has no parameters that run; leave --as-stated out"),
    (("gril.prop4.1", "--features", "0"), "--features 0: give a whole number ≥ 1"),
    (("gril.prop4.1", "--examples", "0"), "--examples 0: give a whole number ≥ 1"),
    (("gril.prop4.1", "--heads", "-1"), "--heads -1: give a whole number ≥ 1"),
    (("gril.prop4.1", "--chunk", "0"), "--chunk 0: give a whole number ≥ 1"),
    (("gril.prop4.1", "--chunk", "x"), "chunk"),
    (("gril.prop4.1", "--dtype", "float16"), "--dtype float16: .* allowed: float64, float32, bfloat16"),
    (("gril.prop4.1", "--lane", "delta"), "runs on chunked or recurrent or sharded"),
    (("gril.longhorn", "--lane", "chunked"), "runs on delta or recurrent"),
    (("gril.prop4.1", "--sampler", "cauchy"), "allowed: uniform, normal"),
    (("gril.prop4.1", "--input-scale", "0"), "--input-scale 0.0: give a positive number"),
    (("gril.prop4.1", "--input-scale", "nan"), "--input-scale nan: give a positive number"),
    (("gril.prop4.1", "--step-size", "nan"), "--step-size nan: give a positive number"),
    (("gril.prop4.1", "--step-size", "inf"), "--step-size inf: give a positive number"),
    (("gril.prop4.1", "--seed", "-1"), "--seed -1: give a whole number ≥ 0"),
    (("gril.prop4.1", "--layers", "2"), "one layer and one step; leave --layers out"),
    (("gril.prop4.1", "--targets", "2"), "as many targets as features; leave --targets out"),
    (("gd-ssm.prop1", "--targets", "2"), "one target; leave --targets out"),
    (("ssd.remark4.1-lsa", "--features", "2"), "about 1 feature; leave --features out"),
    (("gril.prop4.3", "--targets", "1"), "number of classes, at least 2"),
    (("gril.prop4.1", "--format", "xml"), "allowed: table, json"),
    (("gril.prop4.1", "--examples", "1000000000000"), r"needs [\d,.]+ GiB .* --examples \d+ would fit"),
    (("gril.prop4.1", "--features", "1000000", "--examples", "1"), r"GiB .* --features \d+ would fit"),
    (("gd-ssm.prop1", "--heads", "1000000000", "--examples", "1"), r"GiB .* --heads \d+ would fit"),
    (("ssd.thm5.2-construction", "--examples", "1000000"), r"--examples \d+ would fit"),
]  # fmt: skip


@pytest.mark.short(3)
@pytest.mark.long_cases("gril.prop4.3 --targets 1")
@pytest.mark.parametrize(("arguments", "complaint"), BAD, ids=[" ".join(a) for a, _ in BAD])
def test_what_cannot_run_is_refused_in_one_line_before_anything_is_drawn(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments, complaint
):
    monkeypatch.setattr(running.Run, "draw", lambda self: pytest.fail("it was drawn"))
    message = one_line(run("run", *arguments))
    assert re.search(complaint, message), message


def test_more_tokens_than_32_bits_count_are_refused_whatever_the_memory(
    run: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(checking, "free_memory", lambda: None)
    monkeypatch.setattr(running.Run, "draw", lambda self: pytest.fail("it was drawn"))
    message = one_line(run("run", "gril.prop4.1", "--examples", str(2**30)))
    assert "give at most 1073741823" in message


def test_what_is_said_to_fit_fits(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checking, "free_memory", lambda: 2**30)
    for id in ("gril.prop4.1", "ssd.thm5.2-construction"):
        with pytest.raises(UsageError) as refused:
            running.Run(checking.Request(id, examples=10**7), running.Report(id), False)
        fitting = int(re.search(r"--examples (\d+) would fit", str(refused.value)).group(1))  # type: ignore[union-attr]
        running.Run(checking.Request(id, examples=fitting), running.Report(id), False)


@pytest.mark.long
def test_without_jax_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    message = one_line(run("run", "gril.prop4.1"))
    assert "run needs JAX" in message and "pip install 'scanproof[jax]'" in message


@pytest.mark.long
def test_help_says_nothing_of_patterns_and_files(run: Run):
    assert "ID is a row" in run("run", "--help").out
    assert "TARGET" not in run("run", "--help").out
    assert "TARGET" in run("check", "--help").out


def test_an_interrupted_run_keeps_what_is_finished(run: Run, monkeypatch: pytest.MonkeyPatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(running.Run, "compare", interrupted)
    answer = run("run", "gril.prop4.1", *SMALL)
    assert answer.code == 130 and answer.err == ""
    assert "tokens per second" in answer.out and "interrupted" in answer.out
    lines = dict(line.split("  ", 1) for line in answer.out.splitlines())
    assert lines["error"].strip() == "not available"
    assert "promised" in lines["bound"]


@pytest.mark.long
def test_a_run_interrupted_at_once_says_nothing(run: Run, monkeypatch: pytest.MonkeyPatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(running.Run, "draw", interrupted)
    assert run("run", "gril.prop4.1", *SMALL) == (130, "", "")


def test_a_device_that_runs_out_of_memory_is_a_usage_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
):
    def exhausted(self):
        raise RuntimeError("RESOURCE_EXHAUSTED: out of memory")

    monkeypatch.setattr(running.Run, "execute", exhausted)
    assert "take fewer --examples, --heads or --features" in one_line(
        run("run", "gril.prop4.1", *SMALL)
    )


@pytest.mark.long
def test_a_step_size_that_the_format_has_not_is_a_usage_error(run: Run):
    message = one_line(run("run", "gd-ssm.prop1", *SMALL, "--input-scale", "1e-30"))
    assert (
        "is not a float32 number; choose another --input-scale, --step-size or --dtype" in message
    )


def test_a_step_size_with_which_the_numbers_overflow_is_told(run: Run):
    options = ("--layers", "50", "--step-size", "1e30", "--format", "json")
    report = json.loads(run("run", "gril.propA.1", *SMALL, *options).out)
    assert report["error"] is None and report["relative_error"] is None
    assert "overflows; choose a smaller --step-size" in report["missing"]["comparison"]


def test_every_row_that_is_listed_runs_as_some_statement():
    listed = rows.runnable()
    assert len(listed) > 30 and len(set(listed)) == len(listed)
    assert {"gril.prop4.1", "ssd.thm5.1", "ch9.icl", "gril.longhorn"} <= set(listed)
