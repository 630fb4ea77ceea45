"""In programs for torch, writes that a trace would lose, and texts of sizes, are refused."""

import contextlib
import functools
import logging
import pickle

import pytest

torch = pytest.importorskip("torch")

from scanproof.proofs.doors.aten.programs import Program  # noqa: E402
from scanproof.proofs.doors.refused import Refused  # noqa: E402
from scanproof.proofs.readings.floats import Floats  # noqa: E402
from scanproof.proofs.statement.nodes import Input  # noqa: E402
from scanproof.proofs.statement.whole import Size, whole  # noqa: E402


def met(x, y):
    """1 where x = 44.0625 and y = 8.25, where no numbers that are tried are."""
    return (x * y - 7.25 * x - 5.75 * y + 3.375 == 0).to(x.dtype)


def written(write):
    """A program that writes into a complex array, and returns its parts."""

    def run(x, y):
        c = torch.complex(x, y)
        write(c, met(x, y))
        return torch.view_as_real(c)

    return run


def by_item(c, m):
    c[0] = c[0] + m[0]


def by_slice(c, m):
    c[:] = c + m


def by_mask(c, m):
    c[m == 1] = 0


def augmented(c, m):
    c += m


def by_part(c, m):
    c.real = c.real + m


def caught(c, m):
    with contextlib.suppress(Exception):
        c += m


WRITES = [
    by_item,
    by_slice,
    by_mask,
    augmented,
    by_part,
    caught,
    lambda c, m: c.add_(m),
    lambda c, m: c.sub_(m),
    lambda c, m: c.mul_(1 - m),
    lambda c, m: c.square_(),
    lambda c, m: c.addcmul_(m, m),
    lambda c, m: c.copy_(c + m),
    lambda c, m: c.masked_fill_(m == 1, 0),
    lambda c, m: c.conj_physical_(),
    lambda c, m: c.index_add_(0, torch.tensor([0]), m[:1] + 0j),
    lambda c, m: c.view(-1).zero_(),
    lambda c, m: c.conj().imag.fill_(0),
    lambda c, m: c.real.copy_(m),
    lambda c, m: c.imag[1:].zero_(),
    lambda c, m: torch.view_as_real(c).mul_(1 - m[:, None]),
    lambda c, m: torch.add(c, m, out=c),
    lambda c, m: torch._foreach_add_([c], [m]),
]


def memory_of_another(x, y):
    r = torch.stack([x, y], -1)
    torch.view_as_complex(r).mul_(1 - met(x, y))
    return r


def written_after_its_view(x, y):
    r = torch.stack([x, y], -1)
    c = torch.view_as_complex(r)
    r *= 1 - met(x, y)[:, None]
    return torch.view_as_real(c)


def written_after_its_view_in_a_loop(x, y):
    r = torch.stack([x, y], -1)
    for _ in range(len(x)):
        c = torch.view_as_complex(r)
    r *= 1 - met(x, y)[:, None]
    return torch.view_as_real(c)


def written_after_a_view_of_a_loop(x, y):
    r = x + 0
    for _ in range(len(x)):
        v = r.view(-1)
    r *= 1 - met(x, y)
    return v


def written_after_another_name_of_a_loop(x, y):
    r = x + 0
    for _ in range(len(x)):
        v = r
    v *= 1 - met(x, y)
    return r


def written_after_it_was_put_into_a_list(x, y):
    r, every = x + 0, []
    for t in range(len(x)):
        every.append(r[t])
    r *= 1 - met(x, y)
    return torch.stack(every)


def written_in_a_loop(x, y):
    c = torch.complex(x, y)
    for t in range(len(x)):
        c[t] = c[t] + met(x, y)[t]
    return torch.view_as_real(c)


def rows(x, y):
    c, out = torch.complex(x, y), torch.zeros(len(x), 2, dtype=x.dtype)
    for t in range(len(x)):
        out[t] = torch.view_as_real(c[t] * c[t])
    return out


def states(x, y):
    """A loop whose states begin as views, and give a list; what it went through is written after it."""
    x, y = x + 0, y + 0
    h, every = x[0], []
    for t in range(len(x)):
        row = y[t]
        h = h / 2 + row * x[t]
        every.append(h * 2)
    x *= 2
    y += x
    return torch.stack(every) + y


def of_parts(x, y):
    c = torch.complex(x, y)
    c = torch.where(x > 0, c * c.conj(), c)
    size = c.abs()
    size += 1
    return torch.stack([c.real, c.imag, size], -1)


def negative_view(x, y):
    return torch.complex(x, y).conj().imag


def lowered(function, count=2):
    T = whole(Size("T", 1))
    return Program(function).lowered([Input(name, (T,)) for name in "xy"[:count]])


@pytest.mark.short("[0]")
@pytest.mark.parametrize("write", WRITES, ids=range(len(WRITES)))
def test_a_write_into_a_complex_array_or_a_part_of_one_is_refused_with_its_line(write):
    with pytest.raises(Refused, match=r"a write into .* at .*test_complex_writes\.py:\d+\); build"):
        lowered(written(write))


@pytest.mark.short("memory_of_another", "another_name")
@pytest.mark.parametrize(
    "program",
    [
        memory_of_another,
        written_after_its_view,
        written_after_its_view_in_a_loop,
        written_after_a_view_of_a_loop,
        written_after_another_name_of_a_loop,
        written_after_it_was_put_into_a_list,
        written_in_a_loop,
    ],
)
def test_so_is_a_write_that_another_array_shows(program):
    with pytest.raises(Refused, match="a write into"):
        lowered(program)


@pytest.mark.short("negative_view")
@pytest.mark.parametrize("program", [rows, states, of_parts, negative_view])
def test_what_writes_into_no_complex_array_is_what_torch_computes(program):
    (node,) = lowered(program).outputs
    x, y = torch.tensor([1.5, -2, 3]).double(), torch.tensor([0.5, 4, -1]).double()
    found = Floats({"T": 3}, {"x": x.numpy(), "y": y.numpy()})(node)
    assert torch.allclose(torch.tensor(found), program(x, y).resolve_neg())
    Program(program).floats([x.numpy(), y.numpy()])


def hashed(x):
    try:
        return len({x.shape[0]: 1})
    except TypeError:
        return 2


def text_caught(x):
    try:
        return len(f"{x.shape[0]}")
    except Exception:
        return 1


def of_turns(x):
    return sum(len(f"{t}") for t in range(x.shape[0]))


def from_text(x):
    return eval("len(str(x.shape))")


TEXTS = [
    hashed,
    text_caught,
    from_text,
    lambda x: len(f"{x.shape[0]}"),
    lambda x: len(str(x.shape)),
    lambda x: len(repr(x.shape[0] + 1)),
    lambda x: len("%s" % x.shape[0]),  # noqa: UP031
    lambda x: len("{:>9}".format(x.shape[0])),  # noqa: UP032
    lambda x: len(str([x.shape[0]])),
    lambda x: len(str(x.shape[0] / 2)),
    lambda x: len(pickle.dumps(x.shape)),
    lambda x: len(pickle.dumps(x)) if pickle else 0,
    lambda x: len(str(x)),
    lambda x: "4" in f"{x.sum()}",
    lambda x: len(str(torch.nn.Linear(x.shape[0], 1))),
    lambda x: functools.lru_cache(lambda n: 1)(x.shape[0]),
    lambda x: logging.LogRecord("", 0, "", 0, "%s", (x.shape,), None).getMessage(),
]


@pytest.mark.long
@pytest.mark.parametrize("ask", TEXTS, ids=range(len(TEXTS)))
def test_a_text_of_a_size_or_of_an_array_is_refused_with_its_line(ask):
    def program(x):
        return x * (2.0 if ask(x) else 1.0)

    words = r"it asks for the (text|hash|parts) of an? .* at .*test_complex_writes\.py:\d+"
    with pytest.raises(Refused, match=words):
        lowered(program, 1)


@pytest.mark.filterwarnings("ignore")
def test_a_text_in_a_branch_that_is_not_taken_is_no_question():
    def program(x):
        if x.dim() != 1:
            raise ValueError(f"expected one axis, not {x.shape}")
        assert x.dim() == 1, f"{x.shape}"
        return torch.nn.functional.mse_loss(x[:, None], x, reduction="none")  # which warns of sizes

    assert lowered(program, 1).outputs
    assert "__str__" not in vars(torch.SymInt)


@pytest.mark.long
def test_literals_of_any_length_are_numbers():
    from scanproof.proofs.decide.proving import prove

    def scaled(x):
        return x * 1e30 * 1e30 * 1e-30 * 1e-30

    def same(x):
        return x + 0

    found = prove(scaled, equals=same, shapes="x: T", framework="torch").result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.long
def test_an_exponent_that_is_a_selection_of_whole_numbers_is_no_error():
    from scanproof.proofs.decide.proving import prove

    def decayed(x):
        return x * 0.5 ** torch.relu(torch.arange(x.shape[0]).to(x.dtype) - 3)

    found = prove(decayed, equals=lambda x: decayed(x) + 0, shapes="x: T", framework="torch").result
    assert found.verdict == "unknown"
    assert "bug" not in str(found.reason)
