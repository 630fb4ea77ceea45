"""`scanproof reproduce`, the verdicts of tables and figures, and which convention explains which printed number."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_line import Run, one_line

from scanproof.constructs.constructions import gril_tables
from scanproof.numeric.studies import reproduce
from scanproof.numeric.studies.reproduce.page import text
from scanproof.numeric.studies.reproduce.report import report
from scanproof.proofs.check.measured import measured
from scanproof.proofs.decide.ledger import Ledger, built_in
from scanproof.proofs.decide.row_verdicts import check
from scanproof.proofs.expected.convention import Convention, Printed, every
from scanproof.proofs.expected.learners import ONE_STEP, ZERO
from scanproof.proofs.expected.losses import expected_loss
from scanproof.proofs.expected.recorded import SCHEMA, file_of
from scanproof.proofs.expected.rows import CONTEXTS, ROWS, measurement
from scanproof.proofs.expected.search import alone, matches
from scanproof.proofs.language.measurement import Finding, Measurement
from scanproof.proofs.language.pinned import of_user
from scanproof.proofs.language.source import Source

FOLDER = Path(reproduce.__file__).resolve().parent
LEDGER = built_in()
CLASSIFIED = ("gril.fig4", "gril.fig7")


def printed(loss: str, spread: str) -> Printed:
    return Printed(Fraction(loss), Fraction(1, 1000), Fraction(spread))


def record(folder: Path, row: str, factor: float = 1.0, preset: str = "full") -> Path:
    """A record in which every model has its learner's loss times a factor; depths are as the sources have them."""
    means = {one.name: float(one.expected) * factor for one in ROWS[row].figures()}
    means |= {"layers-1": 2.0, "layers-4": 2.2, "layers-8": 2.1, "layers-12": 1.9}
    means |= {"hybrid-1": 2.0, "hybrid-4": 1.5, "hybrid-8": 1.8, "hybrid-12": 1.9}
    means |= {"mixing": 0.05, "gate": 0.01, "query": 0.02}
    means |= {"gril-mlp": 0.110, "construction-mlp": 0.111}
    figures = {name: figure(m) for name, m in means.items()}
    if row in ("gril.fig3b", "gd-ssm.fig4b"):
        figures["gril"] = figure(0.112)
    if row in CLASSIFIED:
        figures |= {"gril": figure(0.86, cosine=0.995), "learner": {"values": [0.865]}}
    file = file_of(row, preset, folder)
    told = {"schema": SCHEMA, "row": row, "preset": preset, "device": "cpu", "figures": figures}
    file.write_text(json.dumps(told), encoding="utf-8")
    return file


def figure(*values: float, **more: Any) -> dict[str, Any]:
    """A figure of a record: one value is that of each of three seeds."""
    each = list(values) if len(values) > 1 else [*values] * 3
    return {"values": each, "steps": 1000, **more}


def changed(file: Path, **figures: Any) -> None:
    """Put other figures into a record."""
    told = json.loads(file.read_text("utf-8"))
    told["figures"] |= {name.replace("_", "-"): one for name, one in figures.items()}
    file.write_text(json.dumps(told), encoding="utf-8")


def verdict(row: str, folder: Path) -> tuple[str, str]:
    found = measured(lambda: measurement(row, folder))
    return found.verdict, found.reason or ""


def test_one_convention_explains_each_table_and_it_is_the_same():
    five = [(printed("0.209", "0.0012"), ONE_STEP), (printed("0.426", "0.0016"), ZERO)]
    six = [(printed("0.206", "0.001"), ONE_STEP), (printed("0.414", "0.002"), ZERO)]
    assert [one.convention for one in matches(five, targets=False)] == [Convention(10)]
    assert [one.convention for one in matches(six, targets=True)] == [Convention(10, targets=10)]


@pytest.mark.long
def test_the_half_width_that_is_printed_explains_the_predictor_0_for_no_f():
    for loss, spread, targets in (("0.426", "0.0016", False), ("0.414", "0.002", True)):
        found = alone(printed(loss, spread), ZERO, targets)
        assert [one for one in found if one.half_width == 1] == []


def test_what_is_within_print_and_what_only_within_sampling():
    one, several = Convention(10), Convention(10, targets=10)
    assert one.zero() == several.zero() == Fraction(5, 12)
    assert one.one_step() == several.one_step() == Fraction(245, 1188)
    assert printed("0.206", "0.001").within_print(several.one_step())
    assert printed("0.207", "0.001").within_print(several.one_step())
    assert not printed("0.414", "0.002").within_print(several.zero())
    assert printed("0.414", "0.002").within_sampling(several.zero(), several.error())
    assert printed("0.426", "0.0016").within_sampling(one.zero(), one.error())
    assert not printed("0.426", "0").within_sampling(several.zero(), several.error())
    assert not printed("0.114", "0.001").within_sampling(several.newton(), several.error())


def test_a_convention_counts_factors_and_targets_once():
    half = Convention(4, targets=4)
    assert Convention(4, factor=Fraction(1), targets=4).zero() == 2 * half.zero()
    assert Convention(4, targets=4, summed=True).zero() == 4 * half.zero()
    assert Convention(4, half_width=Fraction(1), targets=4).zero() == 4 * half.zero()
    assert len(list(every(False))) * 2 == len(list(every(True)))


def test_every_empirical_row_of_the_ledger_is_measured_and_known_to_the_command():
    empirical = {r.claim.id: r.claim for r in LEDGER.rows if r.claim.kind == "empirical"}
    assert {id for id, claim in empirical.items() if claim.measured} == set(ROWS)


@pytest.mark.long
@pytest.mark.parametrize(
    ("row", "data"), [("gril.table10", "Long Range Arena"), ("gril.table11", "WikiText-103")]
)
def test_a_benchmark_without_its_data_is_not_checkable_and_says_so(row, data, run: Run):
    found = run("check", row, "--format", "json")
    (one,) = json.loads(found.out)["claims"]
    assert one["as_stated"]["verdict"] == "not-checkable"
    assert f"the data of {data}" in one["as_stated"]["reason"]
    assert one_line(run("reproduce", row)).startswith(f"scanproof: {row}: no such table or figure")


def test_printed_numbers_are_those_of_the_tables():
    losses = [str(one.printed) for one in ROWS["gril.table7"].figures()]
    assert losses == ["0.206 ± 0.001", "0.207 ± 0.001", "0.206 ± 0.002", "0.114 ± 0.001"]
    for name, spread in gril_tables.spreads().items():
        assert len(spread) == len(getattr(gril_tables, name)())


@pytest.mark.parametrize("row", sorted(set(ROWS) - {"gril.table7", "gril.table3-s5"}))
def test_a_row_is_supported_by_a_full_run_that_agrees(row, tmp_path):
    assert verdict(row, tmp_path)[0] == "unknown"
    record(tmp_path, row)
    assert verdict(row, tmp_path)[0] == "supported"


@pytest.mark.parametrize("row", [id for id, one in ROWS.items() if one.figures()])
def test_a_run_that_is_far_off_supports_nothing(row, tmp_path):
    record(tmp_path, row, factor=1.5)
    found, reason = verdict(row, tmp_path)
    assert found == "unknown" and "not reproduced" in reason and "trained" in reason


@pytest.mark.parametrize("row", ["ssd.fig2", "ssd.fig4"])
def test_depths_in_another_order_support_nothing(row, tmp_path):
    file = record(tmp_path, row)
    told = json.loads(file.read_text("utf-8"))
    for place, name in enumerate(n for n in told["figures"] if n in ROWS[row].names()):
        told["figures"][name] = figure(9.0 - place)
    file.write_text(json.dumps(told), encoding="utf-8")
    assert verdict(row, tmp_path)[0] == "unknown"


@pytest.mark.parametrize("row", ["gril.table6", "ssd.fig2"])
def test_a_quick_run_speaks_for_a_row_and_not_against_it(row, tmp_path):
    file = record(tmp_path, row, preset="quick")
    assert verdict(row, tmp_path)[0] == "supported"
    recorded = report(ROWS[row], tmp_path).recorded
    assert recorded is not None and recorded.preset == "quick"
    told = json.loads(file.read_text("utf-8"))
    for place, name in enumerate(ROWS[row].names()):
        told["figures"][name] = figure(9.0 - place)
    file.write_text(json.dumps(told), encoding="utf-8")
    found, reason = verdict(row, tmp_path)
    assert found == "unknown" and reason.startswith("undecided: ") and "quick run" in reason
    assert "not reproduced" not in reason and "not measured" not in reason
    record(tmp_path, row)
    assert verdict(row, tmp_path)[0] == "supported"


@pytest.mark.parametrize(
    ("row", "figure"),
    [("gril.table7", "one Newton–Raphson step"), ("gril.table3-s5", "trained S5, 6 layers")],
)
def test_numbers_that_no_convention_explains_stay_unknown_whatever_was_trained(
    row, figure, tmp_path
):
    record(tmp_path, row)
    found, reason = verdict(row, tmp_path)
    assert found == "unknown" and f"{figure} (" in reason.replace(figure + ",", figure + " (")
    assert reason.startswith("not reproduced") and "not measured" not in reason


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "expects the record"),
        ("[]", "expects the record"),
        ('{"schema": "scanproof.trained/1", "row": "gril.table5", "preset": "full"}', "it is no"),
        ('{"schema": "scanproof.trained/1", "row": "gril.table6", "preset": "full"}', "no field"),
    ],
)
def test_a_damaged_record_is_an_error_that_names_the_file(content, message, tmp_path, run: Run):
    file_of("gril.table6", "full", tmp_path).write_text(content, encoding="utf-8")
    found, reason = verdict("gril.table6", tmp_path)
    assert found == "error" and "gril.table6.full.json" in reason and message in reason
    answer = run("reproduce", "gril.table6", "--output", str(tmp_path))
    assert answer.code == 3 and message in one_line(answer)


@pytest.mark.parametrize(
    "mean", ["NaN", "Infinity", '"x"', "null", "true", "-1", "1" + 400 * "0", "[]"]
)
def test_a_record_with_a_loss_that_is_no_number_is_refused(mean, tmp_path):
    file = record(tmp_path, "gril.table6")
    text = json.dumps({"values": [1, "HERE"]}).replace('"HERE"', mean)
    told = json.loads(file.read_text("utf-8"))
    told["figures"] = {"gril": "HERE"}
    file.write_text(json.dumps(told).replace('"HERE"', text), encoding="utf-8")
    assert verdict("gril.table6", tmp_path)[0] == "error"


@pytest.mark.parametrize(
    ("one", "message"),
    [
        ({"values": "many"}, "no list"),
        ({"values": []}, "no list"),
        ({"mean": 0.2, "spread": 0.0}, "no field 'values'"),
        ({"values": [0.2, 0.3], "mean": 0.2}, "mean 0.2, and values of which it is 0.25"),
        ({"values": [0.2, 0.3], "spread": 0.0}, "spread 0, and values"),
        ({"values": [0.2], "mean": "x"}, "a number in 'mean'"),
        ({"values": [0.2], "steps": 1.5}, "no number of steps"),
        ({"values": [0.2], "steps": -1}, "no number of steps"),
        ({"values": [0.2], "cosine": "near"}, "a number in 'cosine'"),
        ([0.2], "list"),
    ],
)
def test_a_figure_is_what_its_values_make_it_and_nothing_else(one, message, tmp_path):
    changed(record(tmp_path, "gril.table6"), gril=one)
    found, reason = verdict("gril.table6", tmp_path)
    assert found == "error" and "gril.table6.full.json" in reason and message in reason


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (100_000 * "[", "nested deeper"),
        ('{"schema": 1, "schema": 2}', "'schema' occurs twice"),
        (2**20 * " " + "{}", "more than the 1,048,576 that are read"),
        ('"' + chr(0xDC80) + '"', "expects the record"),
    ],
)
def test_a_record_that_is_no_json_or_too_much_of_it_is_an_error(content, message, tmp_path):
    file = file_of("gril.table6", "full", tmp_path)
    file.write_text(content, encoding="utf-8", errors="surrogateescape")
    found, reason = verdict("gril.table6", tmp_path)
    assert found == "error" and message in reason


def test_other_fields_of_a_record_are_not_looked_at(tmp_path):
    file = record(tmp_path, "gril.table6")
    told = json.loads(file.read_text("utf-8")) | {"settings": {"GRIL": {"steps": 4000}}, "seeds": 5}
    told["figures"]["gril"] |= {"more": [None], "cosine": None}
    file.write_text(json.dumps(told), encoding="utf-8")
    assert verdict("gril.table6", tmp_path)[0] == "supported"


def test_seeds_that_are_far_apart_support_nothing_and_speak_against_nothing(tmp_path):
    file = record(tmp_path, "gril.table6")
    changed(file, gril=figure(0.0, 0.2062, 0.4124))
    found, reason = verdict("gril.table6", tmp_path)
    assert found == "unknown" and "larger than the margin" in reason
    assert "undecided: trained GRIL (" in reason and "not reproduced" not in reason
    changed(file, gril=figure(0.5, 0.9, 1.3))
    assert verdict("gril.table6", tmp_path)[0] == "unknown"
    changed(file, gril=figure(5.0, 5.2, 5.4))
    assert verdict("gril.table6", tmp_path)[1].startswith("not reproduced: trained GRIL (")


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, "supported"),
        ({"steps": 2000}, "supported"),
        ({"steps": 999}, "unknown"),
        ({"steps": None}, "unknown"),
        ({"values": [0.4167, 0.4167]}, "unknown"),
    ],
)
@pytest.mark.parametrize(
    ("row", "name"), [("gril.table5", "without-input"), ("gd-ssm.fig4", "s5-1")]
)
def test_a_quick_run_says_that_nothing_is_learned_only_of_what_was_trained_as_long(
    row, name, more, found, tmp_path
):
    changed(record(tmp_path, row, preset="quick"), **{name: figure(0.4167) | more})
    answer, reason = verdict(row, tmp_path)
    assert answer == found and "a model that was not trained would show the same" in reason
    changed(record(tmp_path, row), **{name: figure(0.4167) | more})
    assert verdict(row, tmp_path)[0] == "supported"


@pytest.mark.parametrize("row", ["gd-ssm.fig1", "gd-ssm.fig2", "gd-ssm.fig4"])
@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"cosine": 0.99, "relative_l2": 0.1}, "supported"),
        ({"cosine": 0.98}, "unknown"),
        ({"relative_l2": 0.11}, "unknown"),
    ],
)
def test_a_rule_that_is_said_to_be_learned_is_near_the_explicit_one(row, more, found, tmp_path):
    name = "gd-ssm-1" if row == "gd-ssm.fig4" else "gd-ssm"
    changed(record(tmp_path, row), **{name: figure(float(Fraction(245, 1188)), **more)})
    answer, reason = verdict(row, tmp_path)
    assert answer == found and "at fitted rates, margin" in reason
    if found == "unknown":
        assert reason.startswith("not reproduced: trained GD-SSM, one") or row == "gd-ssm.fig2"


def test_the_cosine_of_what_learns_nothing_is_no_finding(tmp_path):
    changed(record(tmp_path, "gril.table5"), **{"without-both": figure(0.4167, cosine=0.0)})
    assert verdict("gril.table5", tmp_path)[0] == "supported"


@pytest.mark.parametrize(
    ("row", "figures", "found"),
    [
        ("gril.fig3b", {"construction-mlp": figure(0.120)}, "not reproduced"),
        ("gril.fig3b", {"gril": figure(0.109)}, "not reproduced"),
        ("gril.fig3b", {"construction-mlp": figure(0.09, 0.11, 0.13)}, "not reproduced"),
        ("gd-ssm.fig4b", {"gril": figure(0.1, 0.11, 0.12)}, "not reproduced"),
        ("gd-ssm.fig3", {"query": figure(0.5)}, "not reproduced"),
        ("gd-ssm.fig3", {"gate": figure(0.01, 0.01, 0.2)}, "undecided"),
        ("gril.fig2", {"mixing": figure(0.2)}, "not reproduced"),
        ("gril.fig2", {"scale-3": figure(200.0)}, "not reproduced"),
        ("gril.fig4", {"gril": figure(0.86, cosine=0.9)}, "not reproduced"),
        ("gril.fig4", {"gril": figure(0.86)}, "undecided"),
        ("gril.fig7", {"learner": {"values": [0.7]}}, "not reproduced"),
    ],
)
def test_a_figure_without_numbers_is_supported_by_what_it_says_alone(row, figures, found, tmp_path):
    changed(record(tmp_path, row), **figures)
    assert verdict(row, tmp_path)[0] == "unknown" and found in verdict(row, tmp_path)[1]


@pytest.mark.parametrize("preset", ["full", "quick"])
def test_depths_of_few_seeds_or_within_their_spreads_decide_nothing(preset, tmp_path):
    for row, prefix, losses in (
        ("ssd.fig2", "layers", (2.0, 1.8, 1.9, 1.5)),
        ("ssd.fig4", "hybrid", (2.0, 1.5, 1.8, 1.9)),
    ):
        means = dict(zip((1, 4, 8, 12), losses, strict=True))
        for offsets in ((0.0, 0.0), (-0.5, 0.0, 0.5)):
            file = record(tmp_path, row, preset=preset)
            figures = {f"{prefix}-{n}": figure(*(m + o for o in offsets)) for n, m in means.items()}
            changed(file, **figures)
            found, reason = verdict(row, tmp_path)
            assert found == "unknown" and reason.startswith("undecided")
        changed(file, **{f"{prefix}-{n}": figure(m) for n, m in means.items()})
        assert verdict(row, tmp_path)[0] == "supported"


def test_what_a_quick_run_leaves_out_is_said(tmp_path):
    figures = {"layers-1": figure(2.0)}
    told = {"schema": SCHEMA, "row": "ssd.fig2", "preset": "quick", "device": "cpu"}
    file_of("ssd.fig2", "quick", tmp_path).write_text(json.dumps(told | {"figures": figures}))
    assert "a quick run does not train it to the end" in verdict("ssd.fig2", tmp_path)[1]


WHEN = "between steps 0 and 100 (seeds 2): the loss is not finite any more"


def test_training_that_diverged_is_said_and_decides_nothing_of_its_model(tmp_path):
    file = record(tmp_path, "ssd.fig1")
    told = json.loads(file.read_text("utf-8"))
    del told["figures"]["layers-1@40"]
    file.write_text(json.dumps(told | {"diverged": {"layers-1@40": WHEN}}), encoding="utf-8")
    found, reason = verdict("ssd.fig1", tmp_path)
    assert found == "unknown" and reason.startswith("undecided: one-layer Mamba-2, 40 examples (")
    assert WHEN in reason and "not measured" not in reason


@pytest.mark.parametrize(
    ("row", "losses", "found"),
    [
        ("ssd.fig2", {"layers-1": 2.0, "layers-4": 3.0}, "unknown"),
        ("ssd.fig2", {"layers-1": 3.0, "layers-4": 4.0, "layers-12": 2.0}, "unknown"),
        ("ssd.fig2", {"layers-1": 3.0, "layers-4": 2.0}, "unknown"),
        ("ssd.fig4", {"hybrid-1": 3.0, "hybrid-4": 2.0, "hybrid-8": 3.0}, "unknown"),
        ("ssd.fig4", {"hybrid-1": 2.0, "hybrid-4": 3.0}, "unknown"),
    ],
)
def test_stacks_that_diverged_decide_a_sentence_of_all_only_where_the_others_do(
    row, losses, found, tmp_path
):
    file = record(tmp_path, row)
    told = json.loads(file.read_text("utf-8"))
    rest = {name: WHEN for name in ROWS[row].names() if name not in losses}
    figures = {name: figure(loss) for name, loss in losses.items()}
    file.write_text(json.dumps(told | {"figures": figures, "diverged": rest}), encoding="utf-8")
    answer, reason = verdict(row, tmp_path)
    assert answer == found and WHEN in reason
    against = "hybrid-1" in losses and losses["hybrid-1"] < losses["hybrid-4"]
    assert reason.startswith("not reproduced") == against


@pytest.mark.parametrize(
    ("more", "message"),
    [({"layers-1": 3}, "what is no text"), ({"layers-4": "x"}, "both with losses and diverged")],
)
def test_a_record_of_diverged_training_that_is_none_is_refused(more, message, tmp_path):
    file = record(tmp_path, "ssd.fig2")
    told = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(told | {"diverged": more}), encoding="utf-8")
    assert message in verdict("ssd.fig2", tmp_path)[1]


@pytest.mark.parametrize(("row", "eta"), [("ssd.fig1", "40/51"), ("ssd.fig3", "1/12")])
def test_the_learner_beside_a_curve_keeps_its_rate_as_the_model_keeps_its_weights(row, eta):
    figures = ROWS[row].figures()
    assert all(f"at the rate {eta}, best at n = 40" in one.of for one in figures)
    if row == "ssd.fig1":
        rate = Fraction(eta)
        expected = [10 * (1 - 2 * rate + rate**2 * (1 + Fraction(11, n))) for n in CONTEXTS]
    else:
        expected = [10 * Fraction(11, 12) ** n for n in CONTEXTS]
    assert [one.expected for one in figures] == expected


def test_what_a_source_prints_of_its_inputs_stands_in_the_setting():
    for id, row in ROWS.items():
        printed = "gril" in id and id not in CLASSIFIED
        assert ("printed: U(−1, 1), under which no f agrees" in row.setting) == printed
    assert "two layers on 10 targets" in ROWS["gd-ssm.fig4"].setting


def test_a_measurement_without_findings_or_with_one_against_is_never_supported():
    def of(*holds):
        findings = tuple(Finding(f"figure {i}", "0.5", one) for i, one in enumerate(holds))
        return measured(lambda: Measurement(findings)).verdict

    assert of() == "error"
    assert of(True) == of(True, True) == "supported"
    undecided = Finding("figure", "0.5", None, undecided=True)
    assert (measured(lambda: Measurement((undecided,))).reason or "").startswith("undecided: ")
    assert of(True, False) == of(None) == of(True, None) == of(False, None) == "unknown"


@pytest.mark.long
def test_a_measurement_of_one_s_own_is_decided_and_its_mistakes_are_its_row_s_alone():
    mine = Source("mine", title="Measured")

    def agrees():
        return Measurement((Finding("a figure", "0.5 beside 0.5", True),))

    def fails():
        raise ZeroDivisionError("of its own")

    mine.measured("mine.table", says="0.5", measured=agrees)
    mine.measured("mine.broken", says="0.5", measured=fails)
    mine.measured("mine.nothing", says="0.5", measured=lambda: None)  # type: ignore[arg-type]
    found = [row["as_stated"] for row in check(Ledger([mine]))["claims"]]
    assert [one["verdict"] for one in found] == ["supported", "error", "error"]
    assert "ZeroDivisionError" in found[1]["reason"]
    assert all(of_user(row.claim) for row in mine.rows)


@pytest.mark.long
def test_a_row_is_supported_as_soon_as_its_record_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(measurement, "__defaults__", (tmp_path,))
    rows = LEDGER.select(["gril.table6"])

    def verdict_now():
        return check(LEDGER, rows)["claims"][0]["as_stated"]["verdict"]

    assert verdict_now() == "unknown"
    record(tmp_path, "gril.table6")
    assert verdict_now() == "supported"


@pytest.mark.long
def test_the_ledger_s_verdict_is_that_of_the_command_and_the_same_twice():
    rows = LEDGER.select(["gril.table*", "gril.fig*", "gd-ssm.fig*"])
    rows = [row for row in rows if row.claim.measured]
    first, second = (check(LEDGER, rows)["claims"] for _ in range(2))
    assert json.dumps(first) == json.dumps(second)
    for row in first:
        found = report(ROWS[row["id"]])
        assert row["as_stated"]["verdict"] == found.verdict
        assert row["as_stated"]["reason"] == found.reason
        # What compares trained models with one another runs no definition.
        assert row["as_stated"]["definitions"] or not ROWS[row["id"]].figures()


def test_the_table_has_the_printed_and_the_exact_figures(run: Run):
    answer = run("reproduce", "gril.table6")
    assert answer.code == 0
    assert "0.414 ± 0.002" in answer.out and "5/12 = 0.4167" in answer.out
    assert "245/1188 = 0.2062" in answer.out


@pytest.mark.long
def test_a_supported_row_is_neither_open_nor_wrong_and_shows_both_figures(
    run: Run, tmp_path, monkeypatch
):
    monkeypatch.setattr(measurement, "__defaults__", (tmp_path,))
    record(tmp_path, "gril.table6")
    answer = run("check", "gril.table6")
    assert answer.code == 0 and "1 supported" in answer.out and "Open or wrong" not in answer.out
    (line,) = [
        one
        for one in run("reproduce", "gril.table6", "--output", str(tmp_path)).out.splitlines()
        if "without both  " in one
    ]
    assert re.split(" {2,}", line.strip())[3:] == ["the predictor 0", "yes", "0.4167 ± 0", "yes"]


@pytest.mark.long
def test_what_a_quick_run_leaves_undecided_is_not_called_unmeasured(run: Run, tmp_path):
    changed(record(tmp_path, "gril.table6", preset="quick"), gril=figure(0.4))
    answer = run("reproduce", "gril.table6", "--output", str(tmp_path))
    assert "undecided" in answer.out and "not measured" not in answer.out


def test_json_is_of_its_schema_for_every_row(run: Run):
    answer = run("reproduce", "--format", "json")
    found = json.loads(answer.out)
    schema = json.loads((FOLDER / "reproduce.schema.json").read_text("utf-8"))
    jsonschema.validate(found, schema)
    assert [row["id"] for row in found["rows"]] == list(ROWS)
    table7 = next(row for row in found["rows"] if row["id"] == "gril.table7")
    assert [one["agrees"]["printed"] for one in table7["figures"]] == [True, True, True, False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gril.table8"], "no such table or figure; nearest: gril.table7; known: gril.table3-s5"),
        (["gril.eq10"], "no such table or figure"),
        (["gril.table6", "--quick", "--full"], "give one of them"),
        (["--quick"], "name the rows"),
        (["gril.table6", "--full"], "--output DIR"),
        (["gril.table6", "--output", "no-such-folder"], "no such folder"),
        (["gril.table6", "--format", "yaml"], "allowed: table, json"),
    ],
)
def test_bad_input_is_one_line(arguments, message, run: Run):
    answer = run("reproduce", *arguments)
    assert answer.code == 3 and message in one_line(answer)


def test_a_formula_is_written_on_one_line():
    assert text(expected_loss(ZERO).put("uniform")) == "a² f v/6"
    assert text(expected_loss(ZERO).put("any")) == "f m₂ v/2"


@pytest.mark.long
def test_the_page_has_the_verdicts_and_figures_of_the_command():
    page = (FOLDER.parents[2] / "docs" / "expected-losses.md").read_text("utf-8")
    for row in ROWS.values():
        assert f"### {row.id}: {report(row).verdict}" in page
    assert "`python -m scanproof.numeric.studies.reproduce docs`" in page


def test_the_page_s_python_prints_what_stands_there(capsys):
    page = (FOLDER.parents[2] / "docs" / "expected-losses.md").read_text("utf-8")
    code, told = page.split("```python\n")[1].split("```\n\n```text\n")
    exec(compile(code, "page", "exec"), {})
    assert capsys.readouterr().out == told.partition("```")[0]
    assert told.startswith("245/1188\n")
