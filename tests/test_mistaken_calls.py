"""Mistakes in calls of `prove` and of the library: told at the call, before the work."""

import traceback
import warnings
from pathlib import Path

import pytest
from command_line import Run, one_line

import scanproof
from scanproof.constructs.errors import UsageError

pytest.importorskip("jax")


def twice(x, factor):
    return factor * x


def twice_again(x, factor):
    return x * factor


@pytest.mark.parametrize("call", [scanproof.prove, scanproof.assert_equal])
def test_a_mistake_in_a_call_is_raised_there_and_names_the_arguments(call):
    with pytest.raises(UsageError, match="shapes='x: …, factor: …'") as caught:
        call(twice, equals=twice_again)
    files = [
        Path(frame.filename).name for frame in traceback.extract_tb(caught.value.__traceback__)
    ]
    assert files == ["test_mistaken_calls.py", "_library.py"] and caught.value.__suppress_context__


def test_a_script_that_cannot_be_written_is_refused_before_the_work(run: Run):
    """Nothing is imported: there is no module of these names."""
    said = one_line(run("prove", "a:f", "--equals", "a:g", "--script", "nowhere/at_all.py"))
    assert "--script nowhere/at_all.py: cannot write there" in said


@pytest.mark.long
def test_a_program_that_draws_numbers_is_not_said_to_agree(tmp_path: Path, run: Run):
    pytest.importorskip("torch")
    file = tmp_path / "drawing.py"
    file.write_text(
        "import torch\n\n\ndef dropped(x):\n    return torch.nn.functional.dropout(x, 0.5)\n\n\n"
        "def kept(x):\n    return x\n"
    )
    answer = run("prove", f"{file}:dropped", "--equals", f"{file}:kept", "--shapes", "x: n")
    assert answer.code == 0 and "agree" not in answer.out
    assert "dropped gives other numbers each time it is run" in answer.out


@pytest.mark.long
def test_a_module_whose_parameters_are_forgotten_is_a_line_that_names_them(
    tmp_path: Path, run: Run
):
    pytest.importorskip("torch")
    file = tmp_path / "layer.py"
    file.write_text(
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.lin = torch.nn.Linear(4, 4)\n\n"
        "    def forward(self, x):\n        return self.lin(x)\n\n\ndef kept(x):\n    return x\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = one_line(
            run("prove", f"{file}:Net", "--equals", f"{file}:kept", "--shapes", "x: n 4")
        )
    assert "takes x, lin_weight, lin_bias; --shapes names x" in said
