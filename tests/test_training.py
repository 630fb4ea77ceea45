"""Training layers: what they learn, that training goes on bit by bit, and what is said when it cannot."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import Run

from scanproof.constructs.constructions import gril as gril_constructions
from scanproof.constructs.constructions.gd_ssm import prop1
from scanproof.constructs.constructions.ssd import theorem4_1
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import gril, s5
from scanproof.constructs.tokens import Windows
from scanproof.numeric.export import tensors
from scanproof.numeric.jax_arrays import JaxArray, Namespace, plain
from scanproof.numeric.studies.training import checkpoints, gated, models, own, rows
from scanproof.numeric.studies.training.evaluation import evaluate, reference_loss
from scanproof.numeric.studies.training.experiments import EXPERIMENTS, find, smaller
from scanproof.numeric.studies.training.parameters import beside_construction
from scanproof.numeric.studies.training.references import best_step_size, descent, two_rates
from scanproof.numeric.studies.training.results import differing, identified, records
from scanproof.numeric.studies.training.settings import Settings
from scanproof.numeric.studies.training.tasks import (
    Classification,
    Expressions,
    Recall,
    Regression,
    Sine,
)
from scanproof.numeric.studies.training.training import Diverged, train
from scanproof.proofs.expected.recorded import FOLDER, file_of, results_of

F, N = 2, 2
TASK = Regression(N, F, F)
TINY = Settings(40, batch=4, seeds=(0, 1), block=10)
XP = Namespace(None)


def arrays(parameters, names, **more):
    """A construction's parameters as a model's arrays, for one seed."""
    found = {name: getattr(parameters, name.rpartition(".")[2]) for name in names}
    return {name: np.asarray(plain(a), np.float32)[None] for name, a in {**found, **more}.items()}


def same(one, other) -> bool:
    """Whether two trained models agree in every bit."""
    names = one.arrays.keys() == other.arrays.keys()
    curves = one.curve.tobytes() == other.curve.tobytes()
    bits = all(one.arrays[k].tobytes() == other.arrays[k].tobytes() for k in one.arrays)
    return names and curves and bits


def learned(task, reference, eta, drawn) -> float:
    """The mean loss of a learner."""
    return reference_loss(reference, task, eta, drawn)[0]


@pytest.mark.long
def test_a_trained_block_reaches_the_loss_of_gradient_descent():
    model = models.gril_block(F, N)
    trained = train(model, TASK, Settings(300, batch=32, rate=0.03, seeds=(0, 1), block=100))
    found = evaluate(model, trained.arrays, TASK, descent(TASK), tasks=1_000)
    assert found.loss.mean <= 1.03 * found.beside.loss < 0.8 * found.zero


@pytest.mark.long
@pytest.mark.parametrize("case", ["block", "network", "ssd"])
def test_with_the_construction_for_its_arrays_a_model_is_gradient_descent(case: str):
    if case == "block":
        task, model = TASK, models.gril_block(F, N)
        own_arrays = arrays(gril_constructions.a2(XP, F, N, 0.7), model.starts)
    elif case == "network":
        task = Regression(N, F)
        model = models.scalar_network(F, N, hidden=F)
        own_arrays = arrays(prop1(XP, F, N, 0.7, ("sign",)), model.starts)
    else:
        task, model = Regression(N, F, None, "normal"), models.ssd_layers(F, 1, states=F + 1)
        made = theorem4_1(XP, N, F, 0.7)
        decay = {"layers.0.decay": np.float32(-40.0)}  # a = exp(−softplus(−40)) is 1
        own_arrays = arrays(made, [n for n in model.starts if "decay" not in n], **decay)
    found = evaluate(model, own_arrays, task, descent(task), tasks=50)
    expected = learned(task, descent(task), 0.7, task.fresh(50, 1_000))
    assert found.loss.mean == pytest.approx(expected, rel=1e-4)
    assert found.beside.sensitivity_cosine.mean == pytest.approx(1, abs=1e-4)


@pytest.mark.long
def test_identify_finds_the_rule_of_weights_as_they_are_trained():
    model = models.gril_block(F, N)
    (found,) = identified(model, arrays(gril_constructions.a2(XP, F, N, 0.75), model.starts))
    assert found["verdict"].startswith("exactly 1 step of gradient descent with η = 3/8")
    assert found["step_size"] == pytest.approx(0.375)


@pytest.mark.long
def test_without_its_readout_a_block_does_not_see_the_query_but_in_its_last_window():
    model = models.ablated_block(F, N, window=False, readout=False)
    import jax

    begun = model.start(jax.random.key(0))
    x, y = np.ones((N + 1, F), np.float32), np.ones((N, F), np.float32)
    flipped = x.copy()
    flipped[-1] *= -1  # s sᵀ does not see a sign
    assert np.array_equal(model(begun, x, y), model(begun, flipped, y))


@pytest.mark.long
def test_s5_is_the_convolution_of_its_poles():
    rng = np.random.default_rng(0)
    P, H, T = 3, 2, 5
    shapes = {"input_real": (P, H), "input_imag": (P, H), "output_real": (H, P)}
    shapes |= {"output_imag": (H, P), "skip": (H,)}
    parts = {
        k: rng.normal(size=shapes.get(k, (P,))).astype(np.float32) for k in s5.Parameters._fields
    }
    u = rng.normal(size=(T, H)).astype(np.float32)
    made = s5.Parameters(*(JaxArray(np.asarray(a)) for a in parts.values()))
    out = plain(s5.LAYER.outputs(s5.discrete(made), JaxArray(u)))
    pole = -np.exp(parts["log_rate"]) + 1j * parts["frequency"]
    step = np.exp(parts["log_step"])
    B = parts["input_real"] + 1j * parts["input_imag"]
    C = parts["output_real"] + 1j * parts["output_imag"]
    held = ((np.exp(step * pole) - 1) / pole)[:, None] * B
    expected = [
        sum(2 * (C @ (np.exp(step * pole * (t - s)) * (held @ u[s]))).real for s in range(t + 1))
        + parts["skip"] * u[t]
        for t in range(T)
    ]
    assert np.allclose(out, expected, atol=1e-4)


@pytest.mark.long
@pytest.mark.parametrize(
    "task",
    [Regression(3, 2, 2, scale=0.5), Regression(3, 2, None, "normal"), Classification(3, 2, 3)],
    ids=["uniform", "normal", "classes"],
)
def test_what_is_trained_on_is_drawn_as_what_is_evaluated_on(task):
    import jax

    count = 4_000
    own_draw = jax.vmap(task.draw)(jax.random.split(jax.random.key(0), count))
    house = task.fresh(count, 0)
    for one, other in zip(jax.tree.leaves(own_draw), jax.tree.leaves(house), strict=True):
        assert one.shape == other.shape
        spread = float(np.std(other)) / np.sqrt(count)
        assert abs(float(np.mean(one)) - float(np.mean(other))) < 6 * spread
        assert float(np.var(one)) == pytest.approx(float(np.var(other)), rel=0.1)


@pytest.mark.long
def test_a_recalled_key_was_seen_with_the_value_that_is_asked_for():
    drawn = Recall(3, 5).fresh(20, 0)
    for tokens, target in zip(np.asarray(drawn.inputs[0]), np.asarray(drawn.target), strict=True):
        keys, values = tokens[:-1:2].tolist(), tokens[1::2].tolist()
        assert len(set(keys)) == 3 and values[keys.index(tokens[-1])] - 5 == target


@pytest.mark.long
def test_the_best_rate_is_where_the_loss_is_least():
    drawn = TASK.fresh(500, 0)
    reference = descent(TASK)
    best: Any = best_step_size(reference, TASK, drawn)

    losses = [learned(TASK, reference, k * best, drawn) for k in (0.95, 1, 1.05)]
    assert losses[1] == min(losses)


@pytest.mark.long
def test_two_rates_are_better_than_one_for_two_steps():
    drawn = TASK.fresh(500, 0)
    one, two = descent(TASK, 2), two_rates(TASK)
    losses = [learned(TASK, r, best_step_size(r, TASK, drawn), drawn) for r in (one, two)]
    assert losses[1] < losses[0]


def interrupted_after(folder: Path, blocks: int) -> None:
    """Train until so many blocks are done, and stop as Ctrl-C does."""
    told = []

    def stop(words: str, done: int, total: int) -> None:
        told.append(done)
        if len(told) == blocks:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(models.gril_block(F, N), TASK, TINY, folder=folder, on_progress=stop)


@pytest.mark.long
def test_interrupted_training_goes_on_to_the_same_bits(tmp_path: Path):
    model = models.gril_block(F, N)
    interrupted_after(tmp_path, 2)
    assert checkpoints.load(tmp_path / checkpoints.NAME)[1]["blocks"] == 2
    assert same(train(model, TASK, TINY, folder=tmp_path), train(model, TASK, TINY))


SCRIPT = """
import sys
from pathlib import Path
from scanproof.numeric.studies.training import models
from scanproof.numeric.studies.training.settings import Settings
from scanproof.numeric.studies.training.tasks import Regression
from scanproof.numeric.studies.training.training import train

settings = Settings(2_000, batch=4, seeds=(0, 1), block=10)
for folder in sys.argv[1:]:
    train(models.gril_block(2, 2), Regression(2, 2, 2), settings, folder=Path(folder), pause=0)
"""


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_killed_process_is_taken_up_bit_by_bit(tmp_path: Path):
    script, folders = tmp_path / "script.py", [tmp_path / "killed", tmp_path / "whole"]
    script.write_text(SCRIPT)
    with subprocess.Popen([sys.executable, script, folders[0]]) as process:
        file, deadline = folders[0] / checkpoints.NAME, time.monotonic() + 60
        while not (file.exists() and checkpoints.load(file)[1]["blocks"] >= 3):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert checkpoints.load(file)[1]["blocks"] < 200
    subprocess.run([sys.executable, script, *folders], check=True)
    (one, about), (other, _) = (checkpoints.load(f / checkpoints.NAME) for f in folders)
    assert about["blocks"] == 200 and one.keys() == other.keys()
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)


@pytest.mark.long
def test_a_checkpoint_of_another_configuration_is_refused_by_what_differs(tmp_path: Path):
    train(models.gril_block(F, N), TASK, TINY, folder=tmp_path)
    with pytest.raises(UsageError, match=r"batch is 4 there and 8 here") as error:
        train(models.gril_block(F, N), TASK, TINY.with_(batch=8), folder=tmp_path)
    assert "rate" not in str(error.value)


@pytest.mark.long
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path):
    (tmp_path / checkpoints.NAME).write_bytes(b"\x80\x04pickled")
    with pytest.raises(UsageError, match="pickle"):
        train(models.gril_block(F, N), TASK, TINY, folder=tmp_path)


@pytest.mark.long
def test_diverging_training_says_so_and_keeps_the_last_good_checkpoint(tmp_path: Path):
    model = models.ssd_layers(F, 4)
    task = Regression(N, F, None, "normal", 3.0)
    wild = Settings(400, batch=4, rate=1e3, seeds=(0, 1), block=1, clip=None, schedule="constant")
    with pytest.raises(Diverged, match=r"SSD, 4 layers diverged .* smaller step size than 1000"):
        train(model, task, wild, folder=tmp_path)
    kept = tmp_path / checkpoints.NAME
    if kept.exists():  # none, if the very first step diverged
        assert all(np.isfinite(array).all() for array in checkpoints.load(kept)[0].values())


def rewritten(folder: Path, told: dict | str | None = None, **arrays: np.ndarray | None) -> None:
    """Write a checkpoint again, with other metadata or arrays; None leaves one out."""
    path = folder / checkpoints.NAME
    found, about = checkpoints.load(path)
    if isinstance(told, dict):
        about = {k: v for k, v in {**about, **told}.items() if v is not None}
        told = json.dumps(about)
    kept = {k: v for k, v in {**found, **arrays}.items() if v is not None}
    metadata = {checkpoints.KEY: json.dumps(about) if told is None else told}
    path.write_bytes(tensors.pack(kept, metadata))


@pytest.fixture(scope="module")
def half_trained(tmp_path_factory) -> bytes:
    """A checkpoint after 2 of 4 blocks."""
    folder = tmp_path_factory.mktemp("half")
    interrupted_after(folder, 2)
    return (folder / checkpoints.NAME).read_bytes()


@pytest.mark.long
@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"blocks": None}, "number of blocks is None"),
        ({"blocks": "x"}, "number of blocks is 'x'"),
        ({"blocks": True}, "number of blocks is True"),
        ({"blocks": 99}, "number of blocks is 99, and not one of 1 to 4"),
        ({"blocks": -5}, "number of blocks is -5"),
        ({"blocks": 1}, r"curve is of shape \(2, 2\), not \(1, 2\)"),
        ({"seconds": "long"}, "seconds are 'long'"),
        ({"configuration": []}, "without the configuration"),
        ({"configuration": None}, "without the configuration"),
        ("[" * 100_000, "says nothing of its settings"),
        ('{"blocks": 1, "blocks": 2}', "says nothing of its settings"),
        ("[]", "says nothing of its settings"),
    ],
)
def test_a_checkpoint_that_tells_nonsense_is_refused(told, message, half_trained, tmp_path: Path):
    (tmp_path / checkpoints.NAME).write_bytes(half_trained)
    rewritten(tmp_path, told)
    with pytest.raises(UsageError, match=message):
        train(models.gril_block(F, N), TASK, TINY, folder=tmp_path)


@pytest.mark.short(7)
@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("curve", np.ones((2, 5), np.float32), r"curve is of shape \(2, 5\), not \(2, 2\)"),
        ("curve", None, "without curve"),
        ("mixing']", np.ones((2, 9), np.float32), "mixing.* is of shape"),
        ("mixing']", None, "without state.*mixing"),
        ("more", np.ones(3, np.float32), "'more', which is no part of this training"),
        ("count", np.full(2, 2.5), "numbers that are none of int32"),
        ("count", np.full(2, 1e300), "numbers that are none of int32"),
    ],
)
def test_a_checkpoint_with_other_arrays_is_refused(
    name, array, message, half_trained, tmp_path: Path
):
    (tmp_path / checkpoints.NAME).write_bytes(half_trained)
    held = checkpoints.load(tmp_path / checkpoints.NAME)[0]
    name = next((one for one in held if one.endswith(name)), name)
    rewritten(tmp_path, **{name: array})
    with pytest.raises(UsageError, match=message):
        train(models.gril_block(F, N), TASK, TINY, folder=tmp_path)


@pytest.mark.long
def test_a_rewritten_checkpoint_that_is_right_is_taken_up(half_trained, tmp_path: Path):
    (tmp_path / checkpoints.NAME).write_bytes(half_trained)
    rewritten(tmp_path)
    model = models.gril_block(F, N)
    assert same(train(model, TASK, TINY, folder=tmp_path), train(model, TASK, TINY))


@pytest.mark.long
def test_squares_that_overflow_before_the_loss_does_leave_no_unreadable_checkpoint(tmp_path: Path):
    large = Regression(N, F, F, scale=1e4)
    model, calm = models.gril_block(F, N), TINY.with_(block=1)
    settings = replace(calm, clip=None, rate=1e-6)
    with pytest.raises(Diverged, match="optimiser's averages are not finite"):
        train(model, large, settings, folder=tmp_path, pause=0)
    kept = tmp_path / checkpoints.NAME
    assert not kept.exists() or checkpoints.load(kept)


def test_a_folder_that_cannot_be_written_to_is_refused_before_training(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"--output .*file.*cannot write there"):
        rows.train_row("vector", "quick", tmp_path / "file")


def test_an_unknown_row_is_refused_by_what_is_known():
    with pytest.raises(
        UsageError, match=r"trained for it; nearest: gril\.table\d; known: .*gril\.table6"
    ):
        find("gril.table99")


@pytest.mark.long
def test_a_row_leaves_json_csv_weights_and_its_record(tmp_path: Path):
    short = smaller(EXPERIMENTS["scalar"], TINY)
    kept = replace(short, rows={"gd-ssm.fig1": {"gd-ssm": ("GRIL", None)}})
    found = rows.train_row(kept, "quick", tmp_path, tasks=250, brief=True)
    names = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert names == {
        *("scalar.quick.csv", "scalar.quick.json", "scalar.quick.safetensors"),
        "gd-ssm.fig1.quick.json",
    }
    lines = list(csv.DictReader(io.StringIO((tmp_path / "scalar.quick.csv").read_text())))
    assert [line["seed"] for line in lines] == ["0", "1"]
    written = json.loads((tmp_path / "scalar.quick.json").read_text())
    assert written["versions"]["jax"] and written["device"].startswith("cpu")
    record = json.loads((tmp_path / "gd-ssm.fig1.quick.json").read_text())
    values = found.models[0].evaluation["loss"]["each"]
    assert record["figures"]["gd-ssm"]["values"] == pytest.approx(values, rel=1e-5)


@pytest.mark.long
def test_other_settings_than_the_preset_s_leave_no_record_of_a_row(tmp_path: Path):
    own = replace(
        smaller(EXPERIMENTS["scalar"], TINY), rows={"gd-ssm.fig1": {"gd-ssm": ("GRIL", None)}}
    )
    seconds = {"tasks": 250, "brief": True, "changes": lambda s: s.with_(steps=10)}
    found = rows.train_row(own, "quick", tmp_path, **seconds)
    assert not file_of("gd-ssm.fig1", "quick", tmp_path).exists()
    assert differing(own, found.written()) == ["GRIL"]


RECORDED = rows.with_results()


def result_of(id: str, preset: str = "quick") -> dict[str, Any]:
    found = rows.recorded(id, preset_name=preset)
    assert found is not None
    return found


@pytest.mark.short("attention-quick")
@pytest.mark.parametrize(("id", "preset"), RECORDED)
def test_recorded_settings_are_those_of_the_preset(id: str, preset: str):
    assert differing(EXPERIMENTS[id], result_of(id, preset)) == []


def test_each_recorded_row_is_what_its_experiment_s_result_says():
    expected = {}
    for id, preset in RECORDED:
        found = records(EXPERIMENTS[id], result_of(id, preset))
        expected |= {(row, preset): record for row, record in found.items()}
    for (row, preset), record in expected.items():
        assert json.loads(file_of(row, preset).read_text("utf-8")) == record, row
    kept = {path.name for path in FOLDER.glob("*.json")}
    assert kept == {f"{name}.{preset}.json" for name, preset in (*RECORDED, *expected)}


@pytest.mark.parametrize("changed", [{"steps": 1}, {"rate": 0.02}, {"seeds": [0]}])
def test_a_result_of_other_settings_than_the_preset_s_speaks_for_no_row(changed: dict):
    found = result_of("vector")
    assert records(EXPERIMENTS["vector"], found)
    found["models"][1]["settings"].update(changed)
    assert records(EXPERIMENTS["vector"], found) == {}


def test_a_full_run_of_one_step_speaks_for_no_row():
    found = result_of("vector")
    assert records(EXPERIMENTS["vector"], {**found, "preset": "full"}) == {}


def test_a_record_tells_steps_seeds_and_likeness_of_each_figure():
    record = records(EXPERIMENTS["two-step"], result_of("two-step"))["gd-ssm.fig4"]
    told = {name: (one["steps"], len(one["seeds"])) for name, one in record["figures"].items()}
    assert told == {"gd-ssm-2": (1_500, 3), "s5-1": (4_000, 5), "gd-ssm-1": (4_000, 5)}
    one = record["figures"]["gd-ssm-1"]
    assert one["cosine"] > 0.99 and one["relative_l2"] < 0.1
    assert record["settings"]["S5, 1 layer"]["steps"] == 4_000


@pytest.mark.long
def test_the_others_are_trained_and_recorded_where_one_model_diverges(tmp_path: Path):
    wild = replace(TINY, rate=1e30, clip=None)
    own = smaller(EXPERIMENTS["ssd"], TINY, (0, 1))
    task = Regression(N, F, None, "normal", 3.0)
    runs = (own.runs[0], replace(own.runs[1], quick=wild, task=task))
    figures = {"ssd.fig2": dict(EXPERIMENTS["ssd"].rows["ssd.fig2"])}
    own = replace(own, runs=runs, rows=figures, task=task, contexts=())
    found = rows.train_row(own, "quick", tmp_path, tasks=250, brief=True)
    assert [model.name for model in found.models] == ["SSD, 1 layer"]
    assert "SSD, 4 layers" in found.diverged and differing(own, found.written()) == []
    told = results_of("ssd.fig2", tmp_path)
    assert told is not None and set(told.figures) == {"layers-1"}
    assert told.diverged["layers-4"].startswith("between steps 0 and ")
    assert str(tmp_path) not in file_of("ssd.fig2", "quick", tmp_path).read_text("utf-8")


@pytest.mark.parametrize("id", ["scalar", "vector"])
def test_an_ablation_is_trained_as_long_as_the_whole_model(id: str):
    for preset in ("quick", "full"):
        settings = {run.settings(preset) for run in EXPERIMENTS[id].runs}
        assert len(settings) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 100_000, "nested deeper"),
        (b'{"schema": NaN}', "NaN is not a JSON number"),
        (b"\xff", "not UTF-8"),
        (b" " * (rows.LARGEST + 1), "are more than the"),
        (b"{}", "no result of training"),
    ],
)
def test_a_result_that_cannot_be_read_is_refused(content, message, tmp_path: Path):
    (tmp_path / "vector.quick.json").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        rows.recorded("vector", tmp_path)


SEEN = [of for of in RECORDED if of[0] not in ("s5", "expressions", "features")]
"""Their models are those of two-step, recall and vector."""


@pytest.mark.sample(3)
@pytest.mark.long
@pytest.mark.parametrize(("id", "preset"), SEEN)
def test_recorded_weights_have_the_recorded_loss_on_tasks_drawn_anew(id: str, preset: str):
    told = {model["name"]: model["evaluation"] for model in result_of(id, preset)["models"]}
    evaluated = rows.checked(id, preset_name=preset, tasks=1_000)
    assert evaluated.keys() == told.keys()
    for name, found in evaluated.items():
        error = 1e-3 + 5 * np.hypot(found.loss_error, told[name]["loss_error"])
        assert found.loss.mean == pytest.approx(told[name]["loss"]["mean"], abs=error), name


def test_recorded_results_are_small():
    folder = FOLDER
    assert all(path.stat().st_size < 2_000_000 for path in folder.iterdir())


@pytest.mark.long
def test_a_layer_of_ones_own_is_trained_and_compared():
    def start(random):
        mixing, query = random.normal(size=(3, 3)), random.normal(size=3)
        return gril.Block(np.ones((F, F)), mixing, query, np.array(0.3), np.array([1.0, 0.0]))

    def predict(parameters, x, y):
        return gril.BLOCK.outputs(parameters, Windows()(x, y))[-1]

    found = own.train(
        predict, start, features=F, examples=N, targets=F, steps=20, seeds=(0,), tasks=250
    )
    assert isinstance(found.parameters[0], gril.Block)
    assert found.parameters[0].mixing.shape == (3, 3) and len(found.evaluation.loss.each) == 1


def test_a_prediction_of_another_shape_is_refused():
    with pytest.raises(UsageError, match=r"a prediction of shape \(2,\) is expected, got \(\)"):
        own.train(lambda p, x, y: p[0], lambda r: np.ones(3), features=2, examples=3, targets=2)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"steps": 15}, {"seeds": ()}, {"seeds": (1, 1)}),
        *({"rate": rate} for rate in (0.0, -1.0, float("inf"), float("nan"))),
    ],
)
def test_settings_that_mean_nothing_are_refused(wrong: dict):
    with pytest.raises(UsageError):
        TINY.with_(**wrong)


@pytest.mark.long
def test_the_command_prints_a_line_for_each_model_and_seed(run: Run, monkeypatch):
    own = replace(smaller(EXPERIMENTS["scalar"], TINY, (0, 1)), task=Regression(N, F))
    trained = partial(rows.train_row, tasks=250, brief=True)
    monkeypatch.setattr(rows, "train_row", lambda row, *a, **more: trained(own, *a, **more))
    found = run("train", "scalar", "--steps", "10", "--seeds", "2", "--format", "csv")
    assert found.code == 0 and len(found.out.splitlines()) == 1 + 2 * 2
    assert found.out.startswith("experiment,preset,model,seed")


def test_the_command_names_what_can_be_trained(run: Run):
    found = run("train", "gril.table99")
    assert found.code == 3 and "gril.table6" in found.err


def test_the_command_takes_the_name_of_each_preset_and_not_both(run: Run):
    found = run("train", "vector", "--quick", "--full")
    assert found.code == 3 and "give one of them" in found.err
    assert "--quick" in run("train", "--help").out
    found = run("train", "vector", "--quick", "--step-size", "inf")
    assert found.code == 3 and "finite" in found.err


def test_rows_of_one_experiment_train_it_once_and_show_the_preset_that_was_trained(
    run: Run, tmp_path: Path, monkeypatch
):
    told = []

    def trained(experiment: str, preset: str, out: Path, **_) -> None:
        told.append((experiment, preset))

    monkeypatch.setattr(rows, "train_row", trained)
    for row in ("gril.table6", "gril.table7"):
        record = json.loads(file_of(row, "quick", FOLDER).read_text("utf-8"))
        for preset in ("quick", "full"):
            written = json.dumps({**record, "preset": preset})
            file_of(row, preset, tmp_path).write_text(written, encoding="utf-8")
    asked = ("reproduce", "gril.table6", "gril.table7", "--output", str(tmp_path))
    assert run(*asked, "--quick").out.count("preset quick") == 2
    assert told == [("vector", "quick")]
    assert run(*asked, "--full").out.count("preset full") == 2


def value(words: list[str], digits: int) -> int:
    """What an expression in words comes to: read from the left, by a stack."""
    held: list[list[Any]] = [[]]
    for word in words:
        if word == "]":
            name, *operands = held.pop()
            found = {"MAX": max, "MIN": min, "SUM": lambda of: sum(of) % digits}[name](operands)
            held[-1].append(found)
        elif word.isdigit():
            held[-1].append(int(word))
        else:
            held.append([word])
    ((found,),) = held
    return found


@pytest.mark.long
def test_an_expression_is_well_formed_and_its_target_is_its_value():
    digits = 4
    task = Expressions(digits)
    names = [*map(str, range(digits)), "MAX", "MIN", "SUM", "]", "_"]
    drawn = task.fresh(60, 0)
    lengths = set()
    for tokens, target in zip(np.asarray(drawn.inputs[0]), np.asarray(drawn.target), strict=True):
        words = [names[token] for token in tokens]
        said = [word for word in words if word != "_"]
        assert len(words) == task.length and words[-len(said) :] == said
        assert value(said, digits) == target
        lengths.add(len(said))
    assert min(lengths) == 4 and max(lengths) > 12


def test_a_sine_target_is_the_sine_of_the_linear_one():
    import jax

    key, linear, sine = jax.random.key(0), Regression(3, 2, 2), Sine(3, 2, 2)
    for one, other in (
        (linear.draw(key), sine.draw(key)),
        (linear.fresh(20, 0), sine.fresh(20, 0)),
        (linear.fresh(20, 0, 2.0), sine.fresh(20, 0, 2.0)),
    ):
        assert np.array_equal(one.inputs[0], other.inputs[0])
        assert np.allclose(np.sin(one.inputs[1]), other.inputs[1], atol=1e-6)
        assert np.allclose(np.sin(one.target), other.target, atol=1e-6)


@pytest.mark.long
def test_with_the_construction_fixed_the_unit_alone_is_trained_and_sees_one_step_of_gradient_descent():
    import jax

    whole = models.gril_block(F, N)
    model = gated.gated_block(F, N, constructed=True)
    assert {name.partition(".")[0] for name in model.starts} == {"mlp"}
    assert set(gated.gated_block(F, N).starts) == {*whole.starts, *model.starts}
    drawn = TASK.fresh(5, 0)
    step = learned(TASK, descent(TASK), 1.0, drawn)
    hidden = 4 * F  # a unit that leaves its rows as they are
    own_arrays = {
        "mlp.up": np.eye(hidden, F, dtype=np.float32),
        "mlp.bias": np.zeros(hidden, np.float32),
        "mlp.gate": np.zeros((hidden, hidden), np.float32),  # σ(0) = ½
        "mlp.down": 2 * np.eye(F, hidden, dtype=np.float32),
    }
    found = [model(own_arrays, *one) for one in zip(*drawn.inputs, strict=True)]
    loss = np.mean([TASK.loss(p, t) for p, t in zip(found, drawn.target, strict=True)])
    assert loss == pytest.approx(step, rel=1e-4)
    begun = model.start(jax.random.key(0))
    trained = train(model, Sine(N, F, F), TINY)
    assert trained.arrays.keys() == begun.keys()


@pytest.mark.long
def test_a_stack_of_general_layers_sees_what_came_before_and_no_order_without_window_and_gate():
    import jax

    model = gated.gril_stack(9, 4, layers=1, width=6, window=1)
    begun = model.start(jax.random.key(0))
    begun["layers.0.gate"] = np.ones((6, 6), np.float32)
    one, other, third = (np.array(t) for t in ([0, 1, 2, 3], [1, 0, 2, 3], [1, 1, 2, 3]))
    assert np.allclose(model(begun, one), model(begun, other), atol=1e-5)
    assert not np.allclose(model(begun, one), model(begun, third), atol=1e-3)
    ordered = gated.gril_stack(9, 4, layers=1, width=6)
    begun = ordered.start(jax.random.key(0))
    assert not np.allclose(ordered(begun, one), ordered(begun, other), atol=1e-4)


@pytest.mark.long
def test_parameters_are_compared_up_to_the_factors_that_leave_the_function_as_it_is():
    model = models.gril_block(F, N)
    made = arrays(gril_constructions.a2(XP, F, N, 0.7), model.starts)
    own_arrays = {name: array.copy() for name, array in made.items()}
    own_arrays["layers.0.mixing"] *= -3
    own_arrays["layers.0.query"] *= 0.5
    own_arrays["layers.0.beta"] /= -1.5
    (near,) = beside_construction(model, own_arrays)
    assert near == pytest.approx({"mixing": 0, "gate": 0, "query": 0}, abs=1e-6)
    own_arrays["layers.0.gate"] *= 0.5
    own_arrays["layers.0.query"][:] = [[1, 0, 0]]
    own_arrays["layers.0.mixing"] *= 0
    (far,) = beside_construction(model, own_arrays)
    assert far == pytest.approx({"mixing": 1, "gate": 0.5, "query": 2**0.5})
    for other in (models.scalar_network(F, N), models.gril_layers(F, N, 2)):
        import jax

        begun = other.start(jax.random.key(0))
        assert beside_construction(other, {name: a[None] for name, a in begun.items()}) == []


def test_answers_are_counted_beside_the_most_frequent_one():
    (made, _) = EXPERIMENTS["expressions"].made("quick")
    assert isinstance(made.task, Expressions)
    told = {m["name"]: m["evaluation"] for m in result_of("expressions")["models"]}
    whole, without = told["GRIL"], told["GRIL without window"]
    assert min(whole["accuracy"]["each"]) > max(without["accuracy"]["each"])
    assert min(without["accuracy"]["each"]) > whole["majority"] > 1 / made.task.digits
