"""The constructed weights in transformers' own `Mamba2ForCausalLM`, saved, loaded and run; nothing of it is changed."""

from __future__ import annotations

import json

import mamba2_cases as cases
import numpy as np
import pytest
from mamba2_cases import CASES, Case

from scanproof.constructs.constructions import mamba2_gd
from scanproof.constructs.constructions.mamba2_pairs import accumulated
from scanproof.constructs.constructions.mamba2_sizes import reading_head
from scanproof.constructs.export import hf_mamba2
from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.layers.mamba2_block import Sizes
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.numeric.certificates import mamba2

WANTED = "the target hf-mamba2 needs torch, transformers and safetensors (extra: export)"
torch = pytest.importorskip("torch", reason=WANTED)
transformers = pytest.importorskip("transformers", reason=WANTED)
safetensors = pytest.importorskip("safetensors.numpy", reason=WANTED)

RELEASE = tuple(int(part) for part in transformers.__version__.split(".")[:2])
# Releases before 4.48 carry states from chunk to chunk wrongly; one chunk they compute as later ones do.
CHUNK = 16 if RELEASE >= (4, 48) else 128


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def loaded(folder, made, chunk_size=CHUNK):
    """The module that transformers' own loader makes of the tensors."""
    settings, state = hf_mamba2.layout(np, made, chunk_size=chunk_size)
    (folder / "config.json").write_text(json.dumps(settings))
    safetensors.save_file(
        {key: np.ascontiguousarray(array, dtype=np.float32) for key, array in state.items()},
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )
    module, told = transformers.Mamba2ForCausalLM.from_pretrained(folder, output_loading_info=True)
    assert not any(told.values()), told
    return module.eval()


def logits(module, embeddings, **more):
    with torch.no_grad():
        inputs = torch.tensor(np.asarray(embeddings, dtype=np.float32))
        return module(inputs_embeds=inputs, **more).logits.numpy().astype(np.float64)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_last_logits_are_the_predictions_of_explicit_gradient_descent(case, tmp_path):
    made, given = cases.instance(case), cases.tasks(case, 16)
    got = logits(loaded(tmp_path, made), cases.embeddings(made, given))[:, -1]
    expected = cases.explicit(case, made.W0, given)
    assert np.linalg.norm(got - expected) <= 2e-6 * np.linalg.norm(expected)
    domain = mamba2.domain_of(*given, made.W0, made.eta, case.steps)
    assert np.abs(got - expected).max() <= mamba2.bound(made, domain).prediction


def test_a_thousand_tasks_stay_within_the_bound(tmp_path):
    case = Case(4, 10, 2)
    made, given = cases.instance(case), cases.tasks(case, 1000, seed=7)
    got = logits(loaded(tmp_path, made), cases.embeddings(made, given))[:, -1]
    errors = np.abs(got - cases.explicit(case, made.W0, given)).max(axis=1)
    bounds = [
        mamba2.bound(made, mamba2.domain_of(x, y, made.W0, made.eta, case.steps)).prediction
        for x, y in zip(*given, strict=True)
    ]
    assert (errors <= bounds).all()


@pytest.mark.parametrize("length", [1, 15, 16, 17, 33])
def test_any_number_of_examples_will_do_and_none_of_them_is_the_query(length, tmp_path):
    case = Case(4, 40, 3)
    made = cases.instance(case)
    given = cases.tasks(case._replace(examples=length), 4)
    got = logits(loaded(tmp_path, made), cases.embeddings(made, given))[:, -1]
    W = np.broadcast_to(made.W0, (4, *made.W0.shape))
    with_query = W
    for _ in range(case.steps):
        x, y = given.x[:, :-1], given.y
        W = W - made.eta * x.mT @ (x @ W - y)
        labels = np.concatenate([y, np.zeros((4, 1, 1))], axis=1)
        with_query = with_query - made.eta * given.x.mT @ (given.x @ with_query - labels)
    expected, other = ((given.x[:, -1:] @ weights)[:, 0] for weights in (W, with_query))
    assert np.linalg.norm(got - expected) <= 2e-6 * np.linalg.norm(expected)
    assert np.linalg.norm(got - other) >= 1e-3 * np.linalg.norm(expected)


def test_padding_on_the_left_changes_nothing(tmp_path):
    case = Case(8, 20, 3)
    made = cases.instance(case)
    module = loaded(tmp_path, made)
    tokens = cases.embeddings(made, cases.tasks(case, 2))
    padded = np.concatenate([np.ones((2, 5, tokens.shape[2])), tokens], axis=1)
    mask = torch.tensor([[0] * 5 + [1] * tokens.shape[1]] * 2)
    alone = logits(module, tokens)[:, -1]
    assert np.abs(logits(module, padded, attention_mask=mask)[:, -1] - alone).max() <= 1e-6


def test_save_pretrained_and_from_pretrained_keep_the_model(tmp_path):
    case = CASES[1]
    made = cases.instance(case)
    tokens = cases.embeddings(made, cases.tasks(case, 2))
    (tmp_path / "ours").mkdir()
    first = loaded(tmp_path / "ours", made)
    first.save_pretrained(tmp_path / "theirs")
    second = transformers.Mamba2ForCausalLM.from_pretrained(tmp_path / "theirs").eval()
    np.testing.assert_array_equal(logits(first, tokens), logits(second, tokens))


@pytest.mark.parametrize("groups", [1, 2])
def test_the_definition_is_the_module_up_to_float32_rounding(groups):
    if groups > 1 and RELEASE < (4, 57):
        pytest.skip(
            "releases before 4.57 may map heads to groups in another way than the definition"
        )
    torch.manual_seed(0)
    config = transformers.Mamba2Config(
        hidden_size=32,
        num_heads=8,
        head_dim=8,
        expand=2,
        n_groups=groups,
        state_size=12,
        num_hidden_layers=1,
        vocab_size=3,
        chunk_size=CHUNK,
        time_step_min=1e-30,
        pad_token_id=0,
        bos_token_id=0,
        eos_token_id=0,
    )
    module = transformers.Mamba2ForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    state = {key: tensor.double().numpy() for key, tensor in module.state_dict().items()}
    (block,) = hf_mamba2.blocks(config.to_dict(), state)
    rows = np.random.default_rng(0).standard_normal((37, 32)).astype(np.float32)
    with torch.no_grad():
        got = module.backbone.layers[0](torch.tensor(rows)[None])[0].numpy()
    sizes, eps = Sizes(8, groups, 8, 12), config.layer_norm_epsilon
    per_group = hasattr(module.backbone.layers[0].mixer.norm, "group_size")
    expected = mamba2_block.block(block, sizes, np.float64(rows), eps, per_group=per_group)
    # about 100 roundings on the way to an entry; they add up like independent ones
    assert np.abs(got - expected).max() <= 16 * 2.0**-24 * np.abs(expected).max()


def test_weights_in_the_tokens_are_those_of_gradient_descent_after_every_block(tmp_path):
    case = Case(6, 12, 4)
    made, given = cases.instance(case), cases.tasks(case, 3)
    module = loaded(tmp_path, made)
    embedded = torch.tensor(cases.embeddings(made, given).astype(np.float32))
    with torch.no_grad():
        streams = module.backbone(inputs_embeds=embedded, output_hidden_states=True).hidden_states
    W = np.broadcast_to(made.W0, (3, *made.W0.shape))
    x = given.x[:, :-1]
    for stream in streams[: case.steps]:
        W = W - made.eta * x.mT @ (x @ W - given.y)
        np.testing.assert_allclose(stream[:, -1, :6].numpy(), W[..., 0], rtol=2e-6, atol=2e-6)


def recurrent_state(cache, layer):
    """The state (tasks, H, P, S) after the last token; releases keep it under several names."""
    if hasattr(cache, "ssm_states"):
        return cache.ssm_states[layer].numpy()
    states = cache.layers[layer].recurrent_states
    return (states[0] if isinstance(states, dict) else states).numpy()


def test_the_modules_recurrent_state_is_the_accumulated_gradient(tmp_path):
    case = Case(6, 12, 1, targets=2, in_one_block=True)
    made, given = cases.instance(case), cases.tasks(case, 3)
    module = loaded(tmp_path, made)
    embedded = torch.tensor(cases.embeddings(made, given).astype(np.float32))
    with torch.no_grad():
        cache = module(inputs_embeds=embedded, use_cache=True).cache_params
    states = recurrent_state(cache, 0)[:, reading_head(made.widths, 0)]
    got = accumulated(states, 2 * case.targets, case.features)
    for head, x, y in zip(got, *given, strict=True):
        gradient = unscaled_gradient(made.W0, x[:-1], y)
        expected = -made.eta * gradient.T
        found = head[: case.targets] + head[case.targets :]
        np.testing.assert_allclose(found, expected, atol=2e-6 * np.abs(expected).max())


def test_half_the_step_size_is_told_from_the_whole(tmp_path):
    case = CASES[0]
    given, W0 = cases.tasks(case, 8), np.zeros((4, 1))
    half = mamba2_gd.instance(np, 4, 1, 0.5 / case.examples, W0)
    got = logits(loaded(tmp_path, half), cases.embeddings(half, given))[:, -1]
    expected = cases.explicit(case, W0, given)
    np.testing.assert_allclose(2 * got, expected, rtol=1e-5, atol=1e-6)
