"""Mistakes in calls of `prove` and of the library: told at the call, before the work."""

from __future__ import annotations

import traceback
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
