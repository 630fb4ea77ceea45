"""Programs for torch as people hand them over, in cases where they ask something of sizes, and within claims."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import torch_questions as asking  # noqa: E402

from scanproof import Source, equal, program  # noqa: E402
from scanproof._main import run  # noqa: E402
from scanproof.proofs.check.instances.stated import stated  # noqa: E402
from scanproof.proofs.decide.proving import prove  # noqa: E402
from scanproof.proofs.doors.aten.programs import Program  # noqa: E402
from scanproof.proofs.doors.refused import Refused  # noqa: E402
from scanproof.proofs.statement.nodes import Input  # noqa: E402
from scanproof.proofs.statement.whole import Size, whole  # noqa: E402

SCALED = asking.Scaled()
PAIRS = [
    (asking.by_parity, asking.twice, "x: T"),
    (asking.by_length, asking.twice, "x: T"),
    (asking.padded, asking.total, "x: T"),
    (asking.shifted, asking.shifted_at_once, "x: T d"),
    (asking.tripled, lambda x: x + 2 * x, "x: T"),
    (asking.by_a_table, asking.twice, "x: T"),
    (asking.by_numbers_made_of_numbers, lambda x: x * 4, "x: T"),
    (SCALED, lambda x, by: by * x, "x: T 3, by: 3"),
    ("torch_questions:Scaled", lambda x, by: x * by, "x: T 3, by: 3"),
]


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)


@pytest.mark.long
@pytest.mark.parametrize("case", PAIRS, ids=range(len(PAIRS)))
def test_a_program_for_torch_is_proved_at_all_sizes(case):
    one, other, shapes = case
    found = prove(one, equals=other, shapes=shapes, framework="torch").result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


NOT_KNOWN = (
    *("by_what_it_wrote", "by_a_draw", "by_zeros_of_its_length"),
    *("by_a_diagonal", "by_memory_of_another", "by_a_count_of_calls"),
)


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_a_number_that_inputs_sizes_or_chance_may_determine_is_not_known(name):
    with pytest.raises(Refused, match="a number of an array is asked"):
        Program(getattr(asking, name)).lowered([Input("x", (whole(Size("T", 1)),))])


@pytest.mark.long
def test_what_differs_in_one_case_is_refuted():
    found = prove(asking.by_length_otherwise, equals=asking.twice, shapes="x: T").result
    assert found.verdict == "refuted"
    assert found.counterexample is not None and found.counterexample.sizes["T"] <= 2


@pytest.mark.long
def test_a_claim_calls_a_program_for_torch():
    twice = program(asking.twice)
    claim = Source("mine", title="Mine").claim("mine.twice", says="2x", given={"x": "T d"})(
        lambda x: equal(twice(x), x + x)
    )
    assert stated(claim.claim) is not None


@pytest.mark.long
def test_what_depends_on_sizes_says_which_have_to_be_told_apart():
    T = whole(Size("T", 1))
    with pytest.raises(Refused, match=r"at .*torch_questions\.py:\d+, which depends") as caught:
        Program(asking.by_length).lowered([Input("x", (T,))])
    assert caught.value.depends is not None and caught.value.depends.number == T - 3


def test_the_operations_that_have_a_rule_are_listed(capsys):
    run(["prove", "--operations"])
    of_jax, of_torch, of_triton = capsys.readouterr().out.splitlines()
    assert of_jax.startswith("JAX: ") and ", dot_general," in of_jax
    assert of_torch.startswith("PyTorch: ") and ", aten.cumsum," in of_torch
    assert of_triton.startswith("Triton: ") and ", tt.dot," in of_triton
