"""`scanproof export`: what it prints and writes, and what it refuses in one line before anything is written."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Run, command, one_line

from scanproof.numeric.export import folder, tensors
from scanproof.numeric.export.loading import load

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")


SIZES = ("--features", "2", "--examples", "3")
HF = ("--target", "hf-mamba2", *SIZES, "--output", "out")
FLA = ("--target", "fla-linear-attention", *SIZES, "--output", "out")
NUMPY = ("--target", "numpy", *SIZES, "--output", "out")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.long
def test_the_table_has_what_was_exported_how_closely_and_how_to_load_it(run: Run):
    answer = run("export", "mamba2.gd", *HF, "--steps", "3", "--w0-seed", "4", "--step-size", "1/8")
    assert answer.code == 0 and answer.err == ""
    names = [line.split("  ")[0] for line in answer.out.splitlines()]
    wanted = "statement learner η sizes tokens target bound for written load"
    assert set(wanted.split()) <= set(names)
    assert "mamba2.gd: proved\n" in answer.out
    assert "3 steps of gradient descent from W0 = weights drawn with seed 4" in answer.out
    assert "1/8, of the summed gradient" in answer.out
    assert "labelled: x (2), y (1), is_query (1); predicts for the query" in answer.out
    assert 0 < float(answer.out.split("|prediction − learner| ≤ ")[1].split(",")[0]) < 1e-3
    assert 'transformers.Mamba2ForCausalLM.from_pretrained("out")' in answer.out
    for name in (*folder.NAMES, "bytes"):
        assert name in answer.out


@pytest.mark.long
def test_json_is_the_manifest(run: Run):
    answer = run("export", "gril.prop4.1", *NUMPY, "--format", "json")
    assert answer.code == 0 and answer.err == ""
    assert answer.out.encode() == Path("out/manifest.json").read_bytes()
    assert json.loads(answer.out)["construction"]["id"] == "gril.prop4.1"


@pytest.mark.long
def test_the_output_can_be_piped_and_the_reader_may_stop():
    shell = f"{' '.join(command('export', 'mamba2.gd', *HF))} | head -1"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "" and done.stdout.startswith("statement")
    assert load("out").target == "hf-mamba2"


@pytest.mark.long
def test_an_amendment_is_exported_as_it_is_and_a_row_says_what_it_stands_for(run: Run):
    answer = run("export", "gd-ssm.prop1-construction", *NUMPY)
    assert "gd-ssm.prop1-construction+sign, for gd-ssm.prop1-construction: proved" in answer.out
    amended = run("export", "gd-ssm.prop1-construction+sign", *NUMPY, "--force")
    assert "statement  gd-ssm.prop1-construction+sign: proved" in amended.out


@pytest.mark.long
def test_as_stated_says_refuted_and_gives_no_bound(run: Run):
    answer = run("export", "gd-ssm.prop1-construction", *NUMPY, "--as-stated")
    assert answer.code == 0
    assert "gd-ssm.prop1-construction: refuted" in answer.out
    assert "bound      nothing: the statement is refuted" in answer.out


@pytest.mark.long
def test_what_goes_beyond_the_statement_is_said(run: Run):
    answer = run("export", "mamba2.gd", *HF, "--targets", "3")
    assert "mamba2.gd-vector, for mamba2.gd: proved" in answer.out
    assert "beyond it  mamba2.gd-vector is about k = 2, here k = 3" in answer.out


@pytest.mark.long
def test_the_bounds_of_the_domain_are_the_users(run: Run):
    def absolute(*more: str) -> float:
        answer = run("export", "mamba2.gd", *HF, "--force", "--format", "json", *more)
        return json.loads(answer.out)["certificate"]["absolute"]

    usual = absolute()
    assert absolute("--input-bound", "1", "--target-bound", "1.4142135623730951") == usual
    assert absolute("--target-bound", "0.5") < usual < absolute("--input-bound", "2")


@pytest.mark.parametrize("largest", ["1e9", "1e99"])
def test_where_no_finite_bound_is_known_it_says_so(run: Run, largest):
    answer = run("export", "mamba2.gd", *HF, "--steps", "4", "--input-bound", largest)
    assert answer.code == 0 and "no finite one is known" in answer.out
    certificate = json.loads(Path("out/manifest.json").read_bytes())["certificate"]
    assert certificate["absolute"] is None and certificate["relative"] is None


def test_what_is_too_large_for_a_bound_says_so_with_the_limit(run: Run):
    """A GRIL layer has no numbers for each example, so that it is made for any number of them."""
    answer = run("export", "gril.prop4.1", *NUMPY, "--examples", "1000000000")
    assert answer.code == 0
    assert "nothing: the states of all tokens have 8,000,000,004 numbers" in answer.out
    assert "and 16,777,216 are the most for which a bound is derived" in answer.out
    assert "no finite one" not in answer.out


@pytest.mark.long
def test_a_bound_that_exceeds_the_predictions_is_said_to(run: Run):
    answer = run("export", "mamba2.gd", *HF, "--step-size", "1e-36")
    assert answer.code == 0 and ": more than any prediction is" in answer.out


def test_a_long_step_size_is_rounded_in_the_table_and_exact_in_the_manifest(run: Run):
    answer = run("export", "gril.prop4.1", *NUMPY, "--step-size", "1e99")
    assert "9.9999999999999997e+98, of the summed gradient" in answer.out
    assert json.loads(Path("out/manifest.json").read_bytes())["learner"]["step_size"] == str(10**99)


BAD = [
    (("mamba2.gdd", *HF), "no claim matches 'mamba2.gdd'; nearest: mamba2.gd"),
    (("mamba2.silu-pair", *HF), "no export is made of it; rows with one: .*gril.prop4.1.*mamba2.gd,"),
    (("mamba2.state", *HF), "no export is made of it; rows with one"),
    (("gril.eq10", *NUMPY), "export gril.eq10: .*; rows .*gril.prop4.1.*mamba2.gd,.*linear-attention.gd,"),
    (("gril.longhorn", *NUMPY), "export gril.longhorn: .*; rows .*mamba2.gd,.*linear-attention.gd,"),
    (("ssd.thm5.1", *NUMPY), "export ssd.thm5.1: .*; rows .*gril.prop4.1"),
    (("gril.prop*", *NUMPY), r"export gril.prop\*: .*not a pattern"),
    (("mamba2.*", *HF), r"export mamba2.\*: .*rows with one"),
    (("", *HF), "no claim matches ''"),
    (("mamba2.gd", *HF, "--target", "pytorch"), "--target pytorch: no such target; nearest: torch; targets: numpy"),
    (("mamba2.gd", *NUMPY), "--target numpy: mamba2.gd is exported for hf-mamba2"),
    (("gril.prop4.1", *HF), "--target hf-mamba2: gril.prop4.1 is exported for numpy"),
    (("mamba2.gd", *HF, "--features", "0"), "--features 0: give a whole number ≥ 1"),
    (("mamba2.gd", *HF, "--features", "-1"), "--features -1: give a whole number ≥ 1"),
    (("mamba2.gd", *HF, "--features", "2.5"), "features"),
    (("mamba2.gd", *HF, "--examples", "0"), "--examples 0: give a whole number ≥ 1"),
    (("mamba2.gd", *HF, "--targets", "0"), "--targets 0: give a whole number ≥ 1"),
    (("mamba2.gd", *HF, "--steps", "0"), "--steps 0: give a whole number ≥ 1"),
    (("mamba2.gd", *HF, "--steps", str(10**30)), "--steps"),
    (("mamba2.gd", *HF, "--features", "100000"), "make weights of .* GiB in float64, and 1 GiB is the most"),
    (("mamba2.gd", *HF, "--steps", "1000000000"), "make weights of .* GiB"),
    (("mamba2.gd", *HF, "--targets", "100000"), "make weights of .* GiB"),
    (("gril.prop4.1", *NUMPY, "--features", "100000"), "exact numbers, and .* are the most"),
    (("gril.propA.1", *NUMPY, "--steps", "100000000"), "exact numbers, and .* are the most"),
    (("ssd.thm4.1", *NUMPY, "--examples", "100000000"), "exact numbers, and .* are the most"),
    (("gril.prop4.1", *NUMPY, "--steps", "2"), "about one step, got 2"),
    (("gd-ssm.prop1", *NUMPY, "--targets", "2"), "about one target, got 2"),
    (("mamba2.one-step", *HF, "--steps", "2"), "one block does one step; leave --steps out"),
    (("mamba2.gd", *HF, "--steps", "2", "--in-one-block"), "one block does one step; leave --in-one-block out"),
    (("gril.prop4.1", *NUMPY, "--in-one-block"), "--in-one-block: only stacks of blocks, of mamba2 and linear"),
    (("linear-attention.one-step", *FLA, "--steps", "2"), "one layer does one step; leave --steps out"),
    (("linear-attention.one-step", *FLA, "--w0-seed", "1"), "it takes W0 = 0: one layer counts the query"),
    (("linear-attention.gd", *FLA, "--tokens", "concatenated"), "it takes --in-one-block: tokens without a flag"),
    (("linear-attention.gd", *FLA, "--tokens", "interleaved"), "takes one of labelled, concatenated"),
    (("linear-attention.gd", *FLA, "--features", "10000"), "exact numbers, and .* are the most"),
    (("linear-attention.gd", *FLA, "--target", "hf-mamba2"), "is exported for numpy, jax, torch, fla-linear-attention"),
    (("linear-attention.layer", *FLA), "no export is made of it; rows with one"),
    (("mamba2.gd", *HF, "--tokens", "chunked"), "--tokens chunked: mamba2.gd takes one of labelled, concatenated"),
    (("gril.prop4.1", *NUMPY, "--tokens", "labelled"), "--tokens labelled: gril.prop4.1 takes interleaved tokens"),
    (("mamba2.gd", *HF, "--step-size", "0"), "--step-size 0: give a positive number, such as 0.025 or 1/40"),
    (("mamba2.gd", *HF, "--step-size", "-1"), "--step-size -1: give a positive number"),
    (("mamba2.gd", *HF, "--step-size", "nan"), "--step-size nan: give a positive number"),
    (("mamba2.gd", *HF, "--step-size", "inf"), "--step-size inf: give a positive number"),
    (("mamba2.gd", *HF, "--step-size", "1/0"), "--step-size 1/0: give a positive number"),
    (("mamba2.gd", *HF, "--step-size", "1e999999999"), "--step-size 1e999999999: give a positive number"),
    (("mamba2.gd", *HF, "--step-size", "exec(1)"), r"--step-size exec\(1\): give a positive number"),
    (("mamba2.gd", *HF, "--step-size", "1e60"), "entries that float32 does not hold"),
    (("mamba2.gd", *HF, "--step-size", "1e-60"), r"mixer.in_proj.weight has entries that are too small for float32"),
    (("mamba2.gd", *HF, "--step-size", "1e-39"), "entries that are too small for float32"),
    (("mamba2.gd", *HF, "--input-bound", "0"), "--input-bound 0: give a positive number"),
    (("mamba2.gd", *HF, "--target-bound", "x"), "--target-bound x: give a positive number"),
    (("mamba2.gd", *HF, "--w0-seed", "-1"), "--w0-seed -1: give a whole number ≥ 0"),
    (("gd-ssm.prop1", *NUMPY, "--w0-seed", "1"), "starts from W0 = 0; leave W0 out"),
    (("mamba2.gd", *HF, "--dtype", "float16"), "--dtype float16: hf-mamba2 takes float32 or bfloat16: its constant"),
    (("mamba2.gd", *HF, "--dtype", "int8"), "--dtype int8: hf-mamba2 takes float32 or bfloat16"),
    (("gril.prop4.1", *NUMPY, "--dtype", "float8"), "--dtype float8: numpy takes float64 or float32"),
    (("mamba2.gd", *HF, "--format", "xml"), "--format xml: no such value; allowed: table, json"),
    (("mamba2.gd", *HF, "--output", "a/b"), "--output a/b: .*/a does not exist; make it, or name another"),
    (("mamba2.gd", *HF, "--output", "/dev/null"), "--output /dev/null: it exists; --force replaces"),
    (("mamba2.gd", *HF, "--output", "/dev/null", "--force"), "--force replaces exports only, and this is not a folder"),
    (("mamba2.gd", *HF, "--output", "/", "--force"), "--force replaces exports only, and this one holds"),
    (("mamba2.gd", "--target", "hf-mamba2", *SIZES), "Missing option '--output'"),
    (("mamba2.gd", *SIZES, "--output", "out"), "Missing option '--target'"),
    (("mamba2.gd", "--target", "hf-mamba2", "--examples", "3", "--output", "out"), "Missing option '--features'"),
]  # fmt: skip


@pytest.mark.short(8)
@pytest.mark.parametrize(
    ("arguments", "complaint"), BAD, ids=[" ".join(a).replace("/", "|")[:90] for a, _ in BAD]
)
def test_what_cannot_be_exported_is_refused_in_one_line_and_nothing_is_written(
    run: Run, arguments, complaint
):
    message = one_line(run("export", *arguments))
    assert re.search(complaint, message), message
    assert os.listdir() == []


@pytest.mark.long
def test_what_exists_is_kept_and_with_force_replaced_whole(run: Run):
    assert run("export", "mamba2.gd", *HF).code == 0
    before = Path("out/manifest.json").read_bytes()
    assert "it exists; --force replaces an export" in one_line(
        run("export", "mamba2.one-step", *HF)
    )
    assert Path("out/manifest.json").read_bytes() == before
    assert run("export", "gril.prop4.1", *NUMPY, "--force").code == 0
    assert load("out").target == "numpy"
    assert not Path("out/config.json").exists()
    assert os.listdir() == ["out"]


def test_without_safetensors_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch):
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    message = one_line(run("export", "mamba2.gd", *HF))
    assert "safetensors is not installed: pip install 'scanproof[export]'" in message
    assert os.listdir() == []


@pytest.mark.long
def test_a_full_disk_leaves_the_old_export(run: Run):
    assert run("export", "mamba2.gd", *HF).code == 0
    before = {file.name: file.read_bytes() for file in Path("out").iterdir()}
    limited = ["sh", "-c", 'ulimit -f 2; exec "$@"', "sh"]  # files of 1 or 2 kB
    done = subprocess.run(
        [*limited, *command("export", "mamba2.gd", *HF, "--force", "--steps", "4")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 3 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "cannot write there: File too large; nothing was changed" in line
    assert {file.name: file.read_bytes() for file in Path("out").iterdir()} == before
    assert os.listdir() == ["out"]


@pytest.mark.long
@pytest.mark.usefixtures("hears")
def test_ctrl_c_while_it_is_written_leaves_nothing(run: Run, monkeypatch: pytest.MonkeyPatch):
    write = Path.write_bytes

    def interrupted(self: Path, data: bytes) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    answer = run("export", "mamba2.gd", *HF)
    assert (answer.code, answer.out, answer.err) == (130, "", "")
    assert os.listdir() == []


@pytest.mark.long
def test_help_tells_what_the_step_size_means(run: Run):
    text = " ".join(run("export", "--help").out.split())
    assert "the factor of the summed gradient: W ← W − η Σ_j x_j (Wᵀx_j − y_j)ᵀ" in text
    assert "1/N by default" in text


@pytest.mark.long
def test_weights_change_with_every_option_that_is_about_them(run: Run):
    seen = set()
    for more in (
        (),
        ("--steps", "2"),
        ("--step-size", "0.1"),
        ("--w0-seed", "1"),
        ("--examples", "4"),
    ):
        assert run("export", "mamba2.gd", *HF, "--force", *more).code == 0
        arrays = {**tensors.read(Path("out/model.safetensors")).arrays, **load("out").encoding}
        seen.add(b"".join(array.tobytes() for array in arrays.values()))
    assert len(seen) == 5
