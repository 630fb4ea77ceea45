"""The layout for state-spaces/mamba, and its own model and kernels on it, these in Triton's interpreter."""

import contextlib
import importlib
import importlib.util
import json
import sys
import types
import warnings
from typing import Any, NamedTuple

import mamba2_cases as cases
import numpy as np
import pytest
from mamba2_cases import CASES, Case

import scanproof
from scanproof.constructs.layouts import hf_mamba2, mamba_ssm
from scanproof.numeric.export.certificates import mamba2
from scanproof.numeric.export.exporting import export

safetensors = pytest.importorskip("safetensors.numpy", reason="needs the extra export")
WANTED = "the target mamba-ssm needs torch, triton and mamba-ssm"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tensors_are_those_for_transformers_under_other_names(case):
    made = cases.instance(case)
    settings, state = mamba_ssm.layout(np, made, chunk_size=32)
    assert json.loads(json.dumps(settings, allow_nan=False)) == settings
    back, renamed = mamba_ssm.for_transformers(settings, state)
    expected, tensors = hf_mamba2.layout(np, made, chunk_size=32)
    assert back == {key: expected[key] for key in back}
    assert hf_mamba2.shapes(back) == hf_mamba2.shapes(expected)
    assert renamed.keys() == tensors.keys()
    for key, array in tensors.items():
        np.testing.assert_array_equal(renamed[key], array)


def test_a_head_width_that_does_not_divide_the_inner_width_is_named():
    settings, state = mamba_ssm.layout(np, cases.instance(CASES[0]))
    settings["ssm_cfg"] |= {"headdim": 3}
    with pytest.raises(ValueError, match="headdim=3"):
        mamba_ssm.for_transformers(settings, state)


class Theirs(NamedTuple):
    """What a test takes from torch and from the package."""

    torch: Any
    MambaConfig: Any
    MambaLMHeadModel: Any


@pytest.fixture(scope="module")
def theirs():
    """The package on a CPU: kernels interpreted, and one configuration of each instead of the fastest one.

    The package as it is imports a CUDA extension for the layers of Mamba-1, and asks torch for a current GPU.
    """
    torch = pytest.importorskip("torch", reason=WANTED)
    if not all(map(importlib.util.find_spec, ("triton", "mamba_ssm"))):
        pytest.skip(WANTED)
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Deterministic mode", UserWarning)
        for name in ("TRITON_INTERPRET", "MAMBA_DETERMINISTIC"):
            patch.setenv(name, "1")
        if importlib.util.find_spec("selective_scan_cuda") is None:
            absent = types.ModuleType("selective_scan_cuda")
            patch.setitem(sys.modules, "selective_scan_cuda", absent)
        patch.setattr(torch.cuda, "device", lambda index: contextlib.nullcontext())
        config = importlib.import_module("mamba_ssm.models.config_mamba")
        model = importlib.import_module("mamba_ssm.models.mixer_seq_simple")
        torch.set_num_threads(1)
        yield Theirs(torch, config.MambaConfig, model.MambaLMHeadModel)
        torch.set_num_threads(threads)


def predictions(theirs, folder, case, given, chunk_size):
    """The last logits of its model on an export, after its `load_state_dict` found every key."""
    made = cases.instance(case)
    export(
        "mamba2.gd",
        target="mamba-ssm",
        output=folder / "export",
        features=case.features,
        examples=case.examples,
        targets=case.targets,
        steps=case.steps,
        tokens=case.tokens,
        in_one_block=case.in_one_block,
        W0=made.W0,
    )
    settings = json.loads((folder / "export" / "config.json").read_text())
    settings["ssm_cfg"]["chunk_size"] = chunk_size
    module = theirs.MambaLMHeadModel(theirs.MambaConfig(**settings))
    state = safetensors.load_file(folder / "export" / "model.safetensors")
    module.load_state_dict({key: theirs.torch.tensor(array) for key, array in state.items()})
    module.backbone.embedding = theirs.torch.nn.Identity()
    embeddings = theirs.torch.tensor(np.float32(cases.embeddings(made, given)))
    with theirs.torch.no_grad():
        return module.eval()(embeddings).logits[:, -1].numpy().astype(np.float64)


@pytest.mark.parametrize(
    ("case", "chunk_size"),
    [
        (Case(4, 10, 1), 256),
        (Case(4, 20, 2), 16),
        (Case(4, 9, 6), 16),
        (Case(5, 13, 2, targets=2), 16),
        (Case(4, 10, 1, tokens="concatenated", targets=2, in_one_block=True), 16),
        (Case(8, 9, 1, tokens="interleaved"), 16),
    ],
    ids=str,
)
def test_its_last_logits_are_the_predictions_of_explicit_gradient_descent(
    case, chunk_size, theirs, tmp_path
):
    made, given = cases.instance(case), cases.tasks(case, 1)
    got = predictions(theirs, tmp_path, case, given, chunk_size)
    expected = cases.explicit(case, made.W0, given)
    assert np.linalg.norm(got - expected) <= 2e-6 * np.linalg.norm(expected)
    domain = mamba2.domain_of(*given, made.W0, made.eta, case.steps)
    assert np.abs(got - expected).max() <= mamba2.bound(made, domain).prediction


def test_fifty_tasks_stay_within_the_bound(theirs, tmp_path):
    case = Case(2, 2, 1, in_one_block=True)
    made, given = cases.instance(case), cases.tasks(case, 50, seed=7)
    got = predictions(theirs, tmp_path, case, given, 16)
    errors = np.abs(got - cases.explicit(case, made.W0, given)).max(axis=1)
    assert (errors <= cases.bounds(case, made, given)).all()


def test_conform_finds_its_model_within_the_bound_in_every_way_that_it_offers(theirs, tmp_path):
    out = tmp_path / "export"
    export("mamba2.gd", target="mamba-ssm", output=out, features=2, examples=4)
    found = scanproof.conform(out)
    assert found.holds, found.rows
    ran = {row.way for row in found.rows if row.status == "within"}
    assert {"padded on the right", "a cache, the query apart", "a cache, token by token"} <= ran
