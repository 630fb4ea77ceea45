"""Exports in transformers' own `Mamba2ForCausalLM`, loaded and run; nothing of it is changed."""

from pathlib import Path
from typing import Any

import mamba2_cases as cases
import numpy as np
import pytest
from mamba2_cases import CASES, Case, Tasks

from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.constructions.mamba2_pairs import accumulated
from scanproof.constructs.constructions.mamba2_sizes import reading_head
from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.layers.mamba2_block import Sizes
from scanproof.constructs.layouts import hf_mamba2
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.numeric.export.certificates import mamba2, stored
from scanproof.numeric.export.exporting import export

WANTED = "the target hf-mamba2 needs torch and transformers (extra: transformers)"
torch = pytest.importorskip("torch", reason=WANTED)
transformers = pytest.importorskip("transformers", reason=WANTED)
safetensors = pytest.importorskip("safetensors.numpy", reason=WANTED)

RELEASE = tuple(int(part) for part in transformers.__version__.split(".")[:2])
CHUNK = 16
"""Tokens a chunk of the module's scan, in the exports."""
CLOSE = 2e-6
"""The distance to explicit gradient descent over its norm that an export in float32 keeps."""
KINDS = [
    Case(8, 20, 4),
    Case(6, 37, 3, tokens="concatenated"),
    Case(6, 13, 3, tokens="interleaved"),
    Case(9, 24, 1, in_one_block=True),
    Case(8, 40, 1, tokens="concatenated", in_one_block=True),
    Case(5, 11, 1, tokens="interleaved", targets=2, in_one_block=True),
    Case(5, 17, 3, targets=2),
]
"""One of each construction; all start from weights other than 0."""


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class Loaded:
    """An export, and the module that transformers' own loader makes of its files."""

    def __init__(
        self,
        folder: Path,
        case: Case,
        loader: Any = None,
        made: Instance | None = None,
        **options: Any,
    ) -> None:
        self.case, self.folder = case, folder / "export"
        self.made = made or cases.instance(case)
        folder.mkdir(exist_ok=True)
        self.manifest = export(
            "mamba2.gd",
            target="hf-mamba2",
            output=self.folder,
            features=case.features,
            examples=case.examples,
            targets=case.targets,
            steps=case.steps,
            tokens=case.tokens,
            in_one_block=case.in_one_block,
            W0=self.made.W0,
            **options,
        )
        loader = loader or transformers.Mamba2ForCausalLM
        self.module, told = loader.from_pretrained(self.folder, output_loading_info=True)
        assert not any(told.values()), told
        self.module.eval()

    def embeddings(self, given: Tasks) -> np.ndarray:
        """The inputs that the encoding of the export makes of tasks, (tasks, T, M)."""
        encoding = safetensors.load_file(self.folder / "encoding.safetensors")
        raw = np.stack([self.made.layout.tokens(x, y) for x, y in zip(*given, strict=True)])
        return raw @ encoding["encode.weight"].T + encoding["encode.bias"]

    def predictions(self, given: Tasks, batch: int = 250) -> np.ndarray:
        """The last logits, (tasks, k)."""
        inputs = self.embeddings(given)
        parts = [inputs[i : i + batch] for i in range(0, len(inputs), batch)]
        return np.concatenate([logits(self.module, part)[:, -1] for part in parts])

    def distance(self, given: Tasks) -> float:
        """To explicit gradient descent, over its norm."""
        expected = cases.explicit(self.case, self.made.W0, given)
        return float(np.linalg.norm(self.predictions(given) - expected) / np.linalg.norm(expected))


def logits(module, embeddings, **more):
    with torch.no_grad():
        inputs = torch.tensor(np.asarray(embeddings, dtype=np.float32))
        return module(inputs_embeds=inputs, **more).logits.numpy().astype(np.float64)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_last_logits_are_the_predictions_of_explicit_gradient_descent(case, tmp_path):
    assert Loaded(tmp_path, case).distance(cases.tasks(case, 16)) <= CLOSE


@pytest.mark.parametrize(
    "case",
    [
        Case(4, 33, 1, tokens="labelled"),
        Case(9, 64, 2, tokens="concatenated"),
        Case(16, 10, 3, tokens="interleaved"),
        Case(4, 64, 4, tokens="concatenated"),
        Case(9, 10, 5, tokens="interleaved"),
        Case(16, 33, 6, tokens="labelled"),
    ],
    ids=str,
)
def test_sizes_from_4_to_16_features_and_from_10_to_64_examples(case, tmp_path):
    assert Loaded(tmp_path, case).distance(cases.tasks(case, 16, seed=case.steps)) <= CLOSE


@pytest.mark.parametrize("case", KINDS, ids=str)
def test_a_thousand_tasks_stay_within_the_certificate(case, tmp_path):
    given = cases.tasks(case, 1000, seed=7)
    loaded = Loaded(tmp_path, case, target_bound=float(np.abs(given.y).max()))
    expected = cases.explicit(case, loaded.made.W0, given)
    errors = np.abs(loaded.predictions(given) - expected).max(axis=1)
    assert np.linalg.norm(errors) <= CLOSE * np.linalg.norm(expected)
    assert (errors <= cases.bounds(case, loaded.made, given)).all()
    certificate = loaded.manifest["certificate"]
    assert (
        np.linalg.norm(given.x[:, :-1], ord=2, axis=(1, 2)).max() ** 2
        <= certificate["domain"]["curvature"]
    )
    assert errors.max() <= certificate["absolute"]


def test_predictions_do_not_depend_on_the_batch(tmp_path):
    loaded = Loaded(tmp_path, KINDS[0])
    given = cases.tasks(KINDS[0], 7)
    together = loaded.predictions(given)
    for batch in (1, 2, 5):
        apart = loaded.predictions(given, batch)
        assert np.abs(apart - together).max() <= CLOSE * np.abs(together).max()


def test_bfloat16_keeps_its_own_precision_and_float16_overflows(tmp_path):
    loaded, given = Loaded(tmp_path, KINDS[0]), cases.tasks(KINDS[0], 16)
    inputs = torch.tensor(loaded.embeddings(given))
    expected = cases.explicit(loaded.case, loaded.made.W0, given)
    found = {}
    for dtype in (torch.bfloat16, torch.float16):
        module = loaded.module.to(dtype)
        with torch.no_grad():
            found[dtype] = module(inputs_embeds=inputs.to(dtype)).logits[:, -1].double().numpy()
    distance = np.linalg.norm(found[torch.bfloat16] - expected) / np.linalg.norm(expected)
    assert 2.0**-16 < distance < 4 * 2.0**-8
    assert not np.isfinite(found[torch.float16]).any()


STORED = [
    Case(4, 16, 1),
    Case(8, 32, 3),
    Case(6, 16, 2, tokens="concatenated"),
    Case(5, 8, 1, targets=2, tokens="interleaved", in_one_block=True),
]
"""Cases whose step sizes bfloat16 holds."""


@pytest.mark.parametrize("case", STORED, ids=str)
def test_loaded_in_bfloat16_every_task_stays_within_the_certificate_for_its_data(case, tmp_path):
    """At random, and with data that are alike and all round one way, which use a tenth of the bound."""
    made = cases.instance(case, grid=16)
    loaded = Loaded(tmp_path, case, made=made, dtype="bfloat16")
    module = transformers.Mamba2ForCausalLM.from_pretrained(
        loaded.folder, torch_dtype=torch.bfloat16
    ).eval()
    given = cases.tasks(case, 64, seed=3)
    up = 1 + 2.0**-8 + 2.0**-20
    shape = (8, case.examples + 1, case.features)
    scales = up * 2.0 ** np.arange(-4, 4).reshape(-1, 1, 1) / 4
    alike = Tasks(
        np.broadcast_to(scales, shape),
        np.broadcast_to(-1.5 * up, (8, case.examples, case.targets)),
    )
    for tasks in (given, alike):
        expected = cases.explicit(case, made.W0, tasks)
        inputs = torch.tensor(loaded.embeddings(tasks)).to(torch.bfloat16)
        with torch.no_grad():
            found = module(inputs_embeds=inputs).logits[:, -1].double().numpy()
        errors = np.abs(found - expected).max(axis=1)
        bounds = [
            stored.mamba2(made, mamba2.domain_of(x, y, made.W0, made.eta, case.steps)).prediction
            for x, y in zip(*tasks, strict=True)
        ]
        assert (errors <= bounds).all()
    assert (errors / bounds).max() >= 0.02


def test_transformers_5_loads_bfloat16_as_it_is_stored(tmp_path):
    if RELEASE < (5, 0):
        pytest.skip("earlier releases load float32 unless they are asked")
    case = Case(4, 16, 1)
    loaded = Loaded(tmp_path, case, made=cases.instance(case, grid=16), dtype="bfloat16")
    assert {p.dtype for p in loaded.module.parameters()} == {torch.bfloat16}


def test_auto_model_for_causal_lm_loads_the_same_model(tmp_path):
    case = CASES[1]
    given = cases.tasks(case, 2)
    auto = Loaded(tmp_path / "auto", case, transformers.AutoModelForCausalLM)
    assert type(auto.module) is transformers.Mamba2ForCausalLM
    own = Loaded(tmp_path / "own", case)
    np.testing.assert_array_equal(auto.predictions(given), own.predictions(given))


@pytest.mark.parametrize("length", [1, 16, 17])
def test_any_number_of_examples_will_do_and_none_of_them_is_the_query(length, tmp_path):
    case = Case(4, 40, 3)
    loaded = Loaded(tmp_path, case)
    made, given = loaded.made, cases.tasks(case._replace(examples=length), 4)
    got = loaded.predictions(given)
    W = np.broadcast_to(made.W0, (4, *made.W0.shape))
    with_query = W
    for _ in range(case.steps):
        x, y = given.x[:, :-1], given.y
        W = W - made.eta * x.mT @ (x @ W - y)
        labels = np.concatenate([y, np.zeros((4, 1, 1))], axis=1)
        with_query = with_query - made.eta * given.x.mT @ (given.x @ with_query - labels)
    expected, other = ((given.x[:, -1:] @ weights)[:, 0] for weights in (W, with_query))
    assert np.linalg.norm(got - expected) <= CLOSE * np.linalg.norm(expected)
    assert np.linalg.norm(got - other) >= 1e-3 * np.linalg.norm(expected)


def test_padding_on_the_left_changes_nothing(tmp_path):
    case = Case(8, 20, 3)
    loaded = Loaded(tmp_path, case)
    tokens = loaded.embeddings(cases.tasks(case, 2))
    padded = np.concatenate([np.ones((2, 5, tokens.shape[2])), tokens], axis=1)
    mask = torch.tensor([[0] * 5 + [1] * tokens.shape[1]] * 2)
    alone = logits(loaded.module, tokens)[:, -1]
    found = logits(loaded.module, padded, attention_mask=mask)[:, -1]
    assert np.abs(found - alone).max() <= 1e-6


def test_save_pretrained_and_from_pretrained_keep_the_model(tmp_path):
    loaded = Loaded(tmp_path, CASES[1])
    tokens = loaded.embeddings(cases.tasks(CASES[1], 2))
    loaded.module.save_pretrained(tmp_path / "theirs")
    again = transformers.Mamba2ForCausalLM.from_pretrained(tmp_path / "theirs").eval()
    np.testing.assert_array_equal(logits(loaded.module, tokens), logits(again, tokens))


@pytest.mark.parametrize("groups", [1, 2, 8])
def test_the_definition_is_the_module_up_to_float32_rounding(groups):
    if groups == 2 and RELEASE < (4, 57):
        pytest.skip("releases before 4.57 may give head h the group h mod G")
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
    loaded, given = Loaded(tmp_path, case), cases.tasks(case, 3)
    module, made = loaded.module, loaded.made
    embedded = torch.tensor(loaded.embeddings(given).astype(np.float32))
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
    loaded, given = Loaded(tmp_path, case), cases.tasks(case, 3)
    module, made = loaded.module, loaded.made
    embedded = torch.tensor(loaded.embeddings(given).astype(np.float32))
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
    start = cases.instance(case)._replace(W0=np.zeros((case.features, 1)))
    half = Loaded(tmp_path, case, made=start, step_size="0.05")
    given = cases.tasks(case, 8)
    expected = cases.explicit(case, start.W0, given)
    np.testing.assert_allclose(2 * half.predictions(given), expected, rtol=1e-5, atol=1e-6)
