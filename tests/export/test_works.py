"""What works with an export in transformers beyond one forward pass: the rows of "What works" in docs/export.md."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import mamba2_cases as cases
import numpy as np
import pytest
from mamba2_cases import Case

from scanproof.constructs.errors import UsageError
from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.loading import load

WANTED = "the target hf-mamba2 needs torch and transformers (extra: transformers)"
torch = pytest.importorskip("torch", reason=WANTED)
transformers = pytest.importorskip("transformers", reason=WANTED)
pytest.importorskip("safetensors", reason=WANTED)

CASE = Case(4, 12, 2)
RELEASE = int(transformers.__version__.split(".")[0])


class Given(NamedTuple):
    folder: Path
    model: Any
    embeddings: Any
    """(tasks, T, M)."""
    wanted: np.ndarray
    """Explicit gradient descent's predictions, (tasks, k)."""
    bound: float


@pytest.fixture(scope="module")
def given(tmp_path_factory) -> Given:
    out = tmp_path_factory.mktemp("works") / "export"
    made, tasks = cases.instance(CASE), cases.tasks(CASE, 3)
    told = export(
        "mamba2.gd", target="hf-mamba2", output=out, features=CASE.features, examples=CASE.examples,
        steps=CASE.steps, W0=made.W0,
    )  # fmt: skip
    model = transformers.Mamba2ForCausalLM.from_pretrained(out, torch_dtype=torch.float32).eval()
    embeddings = torch.tensor(cases.embeddings(made, tasks), dtype=torch.float32)
    wanted = cases.explicit(CASE, made.W0, tasks)
    return Given(out, model, embeddings, wanted, told["certificate"]["absolute"])


def holds(logits: Any, given: Given) -> bool:
    """Whether the last logits are within the certificate of gradient descent."""
    return bool(np.abs(logits[:, -1].detach().double().numpy() - given.wanted).max() <= given.bound)


def test_masks_of_padding_on_the_left(given: Given):
    length, padding = given.embeddings.shape[1], 5
    junk = torch.randn(len(given.embeddings), padding, given.embeddings.shape[2])
    mask = torch.cat([torch.zeros(len(junk), padding), torch.ones(len(junk), length)], dim=1).long()
    padded = torch.cat([0 * junk, given.embeddings], dim=1)
    with torch.no_grad():
        assert holds(given.model(inputs_embeds=padded, attention_mask=mask).logits, given)


def test_a_cache_goes_on_token_by_token(given: Given):
    with torch.no_grad():
        first = given.model(inputs_embeds=given.embeddings[:, :-1], use_cache=True)
        options: dict[str, Any] = {"cache_params": first.cache_params, "use_cache": True}
        if RELEASE < 5:
            options["cache_position"] = torch.tensor([given.embeddings.shape[1] - 1])
        last = given.model(inputs_embeds=given.embeddings[:, -1:], **options)
    assert holds(last.logits, given)


def test_generate_runs_and_its_first_scores_are_the_prediction(given: Given):
    with torch.no_grad():
        made = given.model.generate(
            inputs_embeds=given.embeddings, max_new_tokens=1, do_sample=False, output_logits=True,
            return_dict_in_generate=True,
        )  # fmt: skip
    assert holds(made.logits[0][:, None], given)


def test_files_in_shards_are_loaded_by_transformers_and_refused_by_us(given: Given, tmp_path):
    given.model.save_pretrained(tmp_path, max_shard_size="20KB")
    shards = sorted(tmp_path.glob("model-*.safetensors"))
    assert len(shards) > 1
    again = transformers.Mamba2ForCausalLM.from_pretrained(tmp_path, torch_dtype=torch.float32)
    with torch.no_grad():
        assert holds(again(inputs_embeds=given.embeddings).logits, given)
    (tmp_path / "encoding.safetensors").write_bytes(
        (given.folder / "encoding.safetensors").read_bytes()
    )
    with pytest.raises(UsageError, match="weights in several files are not read, save them as one"):
        load(tmp_path)


def test_training_goes_on_from_it_in_small_steps(given: Given):
    model = transformers.Mamba2ForCausalLM.from_pretrained(given.folder, torch_dtype=torch.float32)
    model.train()
    other = torch.tensor(given.wanted, dtype=torch.float32) + 0.5

    def loss_now() -> Any:
        return ((model(inputs_embeds=given.embeddings).logits[:, -1] - other) ** 2).mean()

    loss = loss_now()
    loss.backward()
    trained = [p for p in model.parameters() if p.grad is not None]
    assert all(torch.isfinite(p.grad).all() for p in trained)
    (head,) = (p for name, p in model.named_parameters() if "lm_head" in name)
    with torch.no_grad():  # the constant channels make gradients large, and steps small
        step = loss / 2 / (head.grad**2).sum()
        head -= step * head.grad
        assert step < 1e-9
        assert loss_now() < 0.9 * loss


@pytest.mark.long
def test_torch_compile_keeps_the_certificate(given: Given):
    compiled = torch.compile(given.model, backend="aot_eager")
    with torch.no_grad():
        assert holds(compiled(inputs_embeds=given.embeddings).logits, given)


def test_the_page_names_each_of_these_tests():
    page = (Path(__file__).resolve().parents[2] / "docs" / "export.md").read_text("utf-8")
    section = page.partition("## What works")[2].partition("\n## ")[0]
    names = [name for name in globals() if name.startswith("test_")][:-1]
    assert names and all(name in section for name in names), json.dumps(names)
