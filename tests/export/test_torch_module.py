"""The torch modules: exported tensors loaded by name, run in batches, differentiated, within the bound."""

from itertools import cycle

import linear_cases as cases
import numpy as np
import pytest
from linear_cases import CASES, Case

from scanproof.constructs.constructions import linear_attention
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.fla_linear_attention import neutral_model
from scanproof.numeric.export.certificates import linear
from scanproof.numeric.identify.identifying import identify
from scanproof.numeric.identify.report import DESCENT

WANTED = "the target torch needs torch and safetensors (extra: torch)"
torch = pytest.importorskip("torch", reason=WANTED)
safetensors = pytest.importorskip("safetensors.torch", reason=WANTED)

from scanproof.numeric.modules.recurrence import GRIL, SSD, Recurrence, from_tensors  # noqa: E402

LARGE = [
    Case("gril.prop4.1", 16, 64, targets=2),
    Case("ssd.thm4.1", 16, 64),
    Case("gril.propA.1", 16, 64, steps=6, targets=2),
    Case("gd-ssm.prop1", 16, 64),
]


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def saved(folder, model, dtype):
    """The files of an export."""
    tensors = {
        name: torch.tensor(a, dtype=dtype).contiguous()
        for name, a in neutral.tensors(model).items()
    }
    encoding = {name: torch.tensor(a) for name, a in neutral.encoding(model).items()}
    safetensors.save_file(tensors, folder / "model.safetensors")
    safetensors.save_file(encoding, folder / "encoding.safetensors")
    return folder


def loaded(folder):
    """The module of the files."""
    names = ("model.safetensors", "encoding.safetensors")
    return from_tensors(*(safetensors.load_file(folder / name) for name in names))


@pytest.mark.sample(3)
@pytest.mark.long
@pytest.mark.parametrize(
    ("case", "dtype"), [*zip([*CASES, *LARGE], cycle(["float32", "float64"]))], ids=str
)
def test_a_thousand_tasks_stay_within_the_bound(case, dtype, tmp_path):
    count = 1000 if case in CASES else 32
    made, given = cases.made(case, dyadic=False), cases.tasks(case, count, seed=6)
    module = loaded(saved(tmp_path, made.tensors, getattr(torch, dtype)))
    with torch.no_grad():
        got = module.predict(torch.tensor(cases.raw(made, given)))
    assert got.dtype is getattr(torch, dtype)
    domain = linear.domain_of(given.x, given.y, made.W0.astype(float), made.eta, made.steps)
    errors = np.abs(got.double().numpy() - cases.expected(made, given))
    assert errors.max() <= linear.bound(made.model, domain, dtype).prediction
    for error, x, y in zip(errors[:5], *given, strict=False):
        assert (error <= linear.bound_at(made.model, x, y, dtype)).all()


@pytest.mark.long
def test_linear_attention_runs_from_its_neutral_form(tmp_path):
    dtype = "float32"
    case, W0 = Case("linear-attention", 4, 10, steps=2, targets=2), np.full((4, 2), 0.25)
    made = linear_attention.instance(np, 4, 2, 0.1, W0)
    model, given = neutral_model(made), cases.tasks(case, 1000)
    module = loaded(saved(tmp_path, model, getattr(torch, dtype)))
    assert module.family.name == "linear-attention"
    raw = np.stack([made.layout.tokens(x, y) for x, y in zip(*given, strict=True)])
    with torch.no_grad():
        got = module.predict(torch.tensor(raw)).double().numpy()
    domain = linear.domain_of(given.x, given.y, W0, 0.1, 2)
    errors = np.abs(got - cases.explicit(*given, 0.1, W0, 2))
    assert errors.max() <= linear.bound(model, domain, dtype).prediction


def test_half_the_step_size_is_told_from_the_whole(tmp_path):
    made, given = cases.made(CASES[0]), cases.tasks(CASES[0], 8)
    block = made.tensors.layers[0]
    half = made.tensors._replace(layers=(block._replace(beta=block.beta / 2),))
    module = loaded(saved(tmp_path, half, torch.float64))
    got = module.predict(torch.tensor(cases.raw(made, given))).detach().numpy()
    np.testing.assert_allclose(2 * got, cases.expected(made, given), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_is_the_definition_to_the_last_bits_batched_or_not(case, tmp_path):
    made, given = cases.made(case), cases.tasks(case, 3)
    module, raw = loaded(saved(tmp_path, made.tensors, torch.float64)), cases.raw(made, given)
    embeddings = raw @ made.tensors.encode_weight.T + made.tensors.encode_bias
    wanted = [neutral.outputs(made.tensors, rows) for rows in embeddings]
    with torch.no_grad():
        np.testing.assert_allclose(module(torch.tensor(embeddings)), wanted, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(
            module(torch.tensor(embeddings[0])), wanted[0], rtol=1e-13, atol=1e-15
        )
        batch, one = (module.predict(torch.tensor(tokens)) for tokens in (raw, raw[0]))
    assert (batch.shape, one.shape) == ((3, case.targets), (case.targets,))
    np.testing.assert_allclose(batch[0], one, rtol=1e-13, atol=1e-15)
    assert type(batch) is type(one) is torch.Tensor


def test_parameters_have_the_names_of_the_tensors(tmp_path):
    for case, kind in ((CASES[0], GRIL), (CASES[6], SSD), (CASES[8], Recurrence)):
        model = cases.made(case).tensors
        module = loaded(saved(tmp_path, model, torch.float32))
        assert type(module) is kind
        names = {**neutral.tensors(model), **neutral.encoding(model)}
        assert set(dict(module.named_parameters())) == set(names)
        assert all(p.shape == names[name].shape for name, p in module.named_parameters())
        assert module.dtype is torch.float32
        assert module.encode.weight.dtype is torch.float64


def test_a_module_made_from_sizes_loads_the_files_strictly(tmp_path):
    folder = saved(tmp_path, cases.made(CASES[1]).tensors, torch.float32)
    state = {
        **safetensors.load_file(folder / "model.safetensors"),
        **safetensors.load_file(folder / "encoding.safetensors"),
    }
    module = GRIL(7, raw=8, targets=2)
    module.load_state_dict(state, strict=True)
    raw = torch.tensor(cases.raw(cases.made(CASES[1]), cases.tasks(CASES[1], 2)))
    assert torch.equal(module.predict(raw), loaded(folder).predict(raw))
    del state["layers.0.gate"]
    with pytest.raises(RuntimeError, match=r"Missing key\(s\) in state_dict: \"layers.0.gate\""):
        GRIL(7, raw=8, targets=2).load_state_dict(state, strict=True)


@pytest.mark.long
@pytest.mark.parametrize("case", [CASES[0], CASES[6], CASES[10]], ids=str)
def test_gradients_are_those_of_the_definition(case, tmp_path):
    made, given = cases.made(case), cases.tasks(case, 2)
    module = loaded(saved(tmp_path, made.tensors, torch.float64))
    raw = torch.tensor(cases.raw(made, given))
    module.predict(raw).sum().backward()
    step = 2.0**-20
    for name, parameter in module.named_parameters():
        grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        for place in [0, parameter.numel() - 1]:
            moved = [
                _moved(loaded(tmp_path), name, place, sign * step).predict(raw).sum().item()
                for sign in (1, -1)
            ]
            slope = grad.reshape(-1)[place].item()
            assert (moved[0] - moved[1]) / (2 * step) == pytest.approx(slope, rel=1e-6, abs=1e-7)


def _moved(module, name, place, by):
    with torch.no_grad():
        dict(module.named_parameters())[name].view(-1)[place] += by
    return module


@pytest.mark.long
def test_a_block_that_is_trained_from_scratch_gets_better():
    torch.manual_seed(0)
    case = Case("gril.prop4.1", 2, 6)
    made, given = cases.made(case), cases.tasks(case, 64)
    raw, wanted = torch.tensor(cases.raw(made, given)), torch.tensor(cases.expected(made, given))
    module = GRIL(3, raw=raw.shape[2], targets=1, dtype=torch.float64)
    optimiser = torch.optim.Adam(module.parameters(), lr=0.03)
    losses = []
    for _ in range(40):
        optimiser.zero_grad()
        loss = (module.predict(raw) - wanted).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


@pytest.mark.long
@pytest.mark.parametrize("case", [CASES[0], CASES[6], CASES[8]], ids=str)
def test_a_module_is_saved_as_a_folder_that_identify_reads(case, tmp_path):
    model = cases.made(case).tensors
    module = from_tensors(
        *(
            {name: torch.tensor(a) for name, a in arrays.items()}
            for arrays in (neutral.tensors(model), neutral.encoding(model))
        )
    )
    module.save(tmp_path / "out")
    report = identify(tmp_path / "out")
    assert (report.rule, report.family, report.asserted) == (DESCENT, model.family, False)
    again = loaded(tmp_path / "out").state_dict()
    assert all(torch.equal(again[name], tensor) for name, tensor in module.state_dict().items())
    with pytest.raises(UsageError, match="it exists"):
        module.save(tmp_path / "out")
    with torch.no_grad():
        for parameter in module.layers.parameters():
            parameter.mul_(0.9)
    module.save(tmp_path / "out", force=True)
    assert identify(tmp_path / "out").step_size != report.step_size


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_stays_half_precision_within_its_bound(dtype, tmp_path):
    case = Case("gril.prop4.1", 2, 4)
    made, given = cases.made(case), cases.tasks(case, 50)
    module = loaded(saved(tmp_path, made.tensors, dtype))
    with torch.no_grad():
        got = module.predict(torch.tensor(cases.raw(made, given)))
    assert got.dtype is dtype
    errors = np.abs(got.double().numpy() - cases.expected(made, given))
    domain = linear.domain_of(*given)
    assert errors.max() <= linear.bound(made.model, domain, str(dtype)[6:]).prediction


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: Recurrence("mamba", {}, raw=1), "no such family; families: gril, "),
        (lambda: Recurrence("gril", {}, raw=1), "takes sizes f ≥ 1"),
        (lambda: Recurrence("ssd", {"D": 2, "N": 0, "T": 3}, raw=3), "takes sizes D, N, T ≥ 1"),
        (lambda: Recurrence("gril", {"f": 2}, raw=3, layers=2), "one layer"),
        (lambda: GRIL(2, raw=3)(torch.zeros(4, 3)), r"expects embeddings \(B, T, 2\)"),
        (lambda: GRIL(2, raw=3)(torch.zeros(2)), r"got \(2,\)"),
        (lambda: GRIL(2, raw=3).predict(torch.zeros(4, 5, 2)), r"expects raw tokens \(B, T, 3\)"),
        (lambda: from_tensors({"a": torch.zeros(1)}, {}), "got tensors that are not a model"),
    ],
)
def test_wrong_sizes_shapes_and_tensors_are_refused(call, told):
    with pytest.raises(UsageError, match=told):
        call()
