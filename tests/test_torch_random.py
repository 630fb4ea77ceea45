"""Random programs for torch, with views, writes, loops and slopes, are read as torch runs them, or refused."""

import random
import runpy

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch_read import as_it_is_read  # noqa: E402

from scanproof.proofs.doors.refused import Refused  # noqa: E402

VIEWS = (
    "{a}[0]",
    "{a}[-1]",
    "{a}[:2]",
    "{a}[:, 0]",
    "{a}[1:]",
    "{a}.reshape(-1)",
    "{a}.detach()",
    "{a}",
)
MADE = ("{a} * 2", "{a}.clone()", "{a} + {b}", "{a}.cumsum(0)", "{a}.sum(0)", "{a}.contiguous()")
WRITES = (
    "{a} += {b}", "{a} *= 0.5", "{a}.mul_(1.5)", "{a}[0] = 1.0", "{a}.copy_({b})", "{a}[0] += 2.0",
    "{a}.add_({b})", "{a}[:1] = {b}[:1]", "{a} = {a} + 1", "{a}.zero_()", "{a} -= {a}.sum()",
)  # fmt: skip
TURNS = (
    *WRITES, "{a} = {a} * 0.5 + x[t]", "{a} += x[t]", "{a} = x[t] + {b}", "o[t] = {a}", "o[t] += x[t]",
    "rows.append({a})", "rows.append({a}.clone())", "{a}, {b} = {b}, {a}", "{b} = {a}", "{a} = {b}.clone()",
    "z = {a}[:1]", "{a} = o[t] + {b}", "{a} = x[t]", "z = {a} * {b}", "o[t - 1] = {a}",
)  # fmt: skip
COUNT, READ = 20, 5
"""How many programs there are, and how many at least must be read over sizes."""


def program(seed: int) -> str:
    """A function of x (T, T) that takes views, writes in place and loops, and returns all that it has."""
    rng = random.Random(seed)
    names = ["a", "b", "z"]
    lines = ["x = x.clone()", "a, b, z = x[0], x[0].clone(), x[:, 0].clone()"]
    lines += ["o, rows = torch.zeros_like(x), []"]

    def line(choices: tuple[str, ...]) -> str:
        return rng.choice(choices).format(a=rng.choice(names), b=rng.choice(names))

    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.4:
            lines.append(f"{rng.choice(names)} = {line(VIEWS if kind < 0.25 else MADE)}")
        elif kind < 0.6:
            lines.append(line(WRITES))
        else:
            lines.append("for t in range(x.shape[0]):")
            lines += [f"    {line(TURNS)}" for _ in range(rng.randint(1, 3))]
    stacked = ", torch.stack(rows)" if any("append" in one for one in lines) else ""
    lines.append(f"return x, a, b, z, o{stacked}")
    return f"def f{seed}(x):\n" + "\n".join(f"    {one}" for one in lines) + "\n\n\n"


@pytest.mark.long
def test_random_programs_are_read_as_torch_runs_them_or_refused(tmp_path):
    file = tmp_path / "random_torch.py"
    file.write_text("import torch\n\n\n" + "".join(map(program, range(COUNT))))
    programs = runpy.run_path(str(file))
    read = 0
    for seed in range(COUNT):
        x = np.random.default_rng(seed).uniform(-2, 2, (3, 3))
        try:
            wanted = [one.numpy() for one in programs[f"f{seed}"](torch.tensor(x))]
        except (RuntimeError, IndexError):
            continue  # torch does not run it
        for over_sizes in (False, True):
            try:
                found = as_it_is_read(programs[f"f{seed}"], [x], over_sizes, square=True)
            except Refused:
                continue
            read += over_sizes
            for ours, theirs in zip(found, wanted, strict=True):
                np.testing.assert_allclose(ours, theirs, atol=1e-9, err_msg=program(seed))
    assert read >= READ


OF_ONE = (
    "{a}.relu()", "{a}.abs()", "{a}.clamp(-1, 0.5)", "{a}.detach()", "({a} * 1).data", "F.leaky_relu({a}, 0.25)",
    "{a} ** 2", "{a}.cumsum(0)", "{a}.amax() * {a}", "{a}.min() + {a}", "{a} / ({a}.norm() + 1)", "{a}.std() * {a}",
    "F.softplus({a})", "{a}.masked_fill({a} < 0, 0.5)", "constant({a})", "{a}.flip(0)", "-{a}", "{a}.clone().mul_(2)",
    "F.normalize({a}, dim=0)", "{a}.softmax(0)", "{a}.prod() - {a}", "{a}.double() / 2", "({a} > 0) * {a}",
    "{a}[1:].sum() * {a}",
)  # fmt: skip
OF_TWO = (
    "{a} + {b}", "{a} * {b}", "{a} - 2 * {b}", "torch.maximum({a}, {b})", "torch.minimum({a}, {b})",
    "torch.where({a} >= {b}, {a}, {b})", "torch.add({a}, {b}, alpha=3)", "torch.outer({a}, {b}).sum(0)",
    "torch.lerp({a}, {b}, 0.25)", "torch.logaddexp({a}, {b})",
)  # fmt: skip
SLOPES, SLOPES_READ = 60, 55


def slope(seed: int) -> str:
    """The gradient of a function with kinks, parts of which are not recorded."""
    rng = random.Random(seed)
    names, lines = ["z"], []
    for k in range(rng.randint(2, 5)):
        choices = OF_ONE if rng.random() < 0.6 else OF_TWO
        line = f"v{k} = " + rng.choice(choices).format(a=rng.choice(names), b=rng.choice(names))
        unrecorded = rng.random() < 0.2
        lines += ["with torch.no_grad():"] * unrecorded + [unrecorded * "    " + line]
        names.append(f"v{k}")
    weights = " + ".join(f"{k + 1} * {name}" for k, name in enumerate(names))
    lines.append(f"return ({weights}).sum()")
    body = "\n".join(f"        {one}" for one in lines)
    return f"def g{seed}(x):\n    def loss(z):\n{body}\n\n    return grad(loss)(x)\n\n\n"


HEAD = """import torch
import torch.nn.functional as F
from torch.func import grad


@torch.no_grad()
def constant(a):
    return a * 3


"""


@pytest.mark.long
def test_random_slopes_are_torchs_at_zeros_ties_and_bounds(tmp_path):
    file = tmp_path / "random_slopes.py"
    file.write_text(HEAD + "".join(map(slope, range(SLOPES))))
    programs = runpy.run_path(str(file))
    read = 0
    for seed in range(SLOPES):
        x = np.random.default_rng(seed).integers(-2, 3, 4) / 2
        wanted = programs[f"g{seed}"](torch.tensor(x)).numpy()
        try:
            (found,) = as_it_is_read(programs[f"g{seed}"], [x])
        except Refused:
            continue
        read += 1
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9, err_msg=slope(seed))
    assert read >= SLOPES_READ
