"""No member of the zoo is proved at the sizes at which it fails."""

from __future__ import annotations

from contextlib import nullcontext
from math import prod

import pytest

from scanproof import Source, UsageError
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.doors.jaxpr import tracing
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.interpret import questions

from .c_quantifiers import KNOWING
from .case import ZOO, Program
from .members import FAMILIES  # noqa: F401  imports every file of members

pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"  # a member that asks in a thread
)


SEEN_WHERE_THEY_RUN = (
    "p_bounds-blocks_that_forget",  # which shows at 65 rows
    "p_eager-a_class_that_traces_have",
    "p_jax_transforms-a_type_without_an_array",
    "p_tracing-a_stack_without_an_export",
    "p_tracing-a_state_without_a_trace",
)
"""Programs that ask whether they are traced, or that are the specification where they are read."""


@pytest.mark.short(8, without=("[p-", "-and_is", "-and_has"))  # dear
@pytest.mark.long_cases(
    "at_short_sizes_only",
    "knows_less_at_long_sizes",
    "determines_its_terms",
    "a_reset_in_log_space",
    "an_index_into_all_elements",
)
@pytest.mark.parametrize("one", ZOO, ids=str)
def test_a_false_statement_is_refuted_or_unknown_with_its_line_or_an_error(one, request):
    if one.name not in SEEN_WHERE_THEY_RUN:
        request.getfixturevalue("only_read")
    verdict, reason = _decided(one)
    assert verdict in ("refuted", "unknown", "error"), reason
    assert reason


@pytest.mark.long
@pytest.mark.parametrize("one", ZOO[::16], ids=str)
def test_where_no_question_is_noticed_larger_sizes_find_it_alone(one, monkeypatch):
    monkeypatch.setattr(questions, "noticed", lambda noted: False)
    monkeypatch.setattr(tracing, "refused", lambda dimensions: nullcontext())
    verdict, reason = _decided(one)
    assert verdict in ("refuted", "unknown", "error"), reason


@pytest.mark.parametrize("given, knowing, body", KNOWING.values(), ids=KNOWING)
def test_parameters_that_know_the_inputs_are_no_witness(given, knowing, body):
    row = Source("zoo", title="False claims").claim(
        "zoo.knowing", says="it is false", given=given, kind="existence", parameters=knowing
    )
    with pytest.raises(UsageError, match="has to serve all inputs"):
        row(body)


def _decided(one):
    if not isinstance(one, Program):
        found = decide(one.claim, ENGINES["all"])
        return found.verdict, found.reason
    try:
        found = prove(one.function, shapes=one.shapes, equals=one.equals, sizes=one.sizes).result
    except UsageError as error:
        return "error", str(error)
    leaves_out = [
        condition
        for entry in found.evidence
        for condition in entry.get("conditions", ())
        if not _met(condition, one.fails)
    ]
    if found.verdict == "proved" and leaves_out:
        return "unknown", f"proved where {leaves_out}, which leaves out {one.fails}"
    return found.verdict, found.reason


def _met(condition, sizes):
    value = sum(
        times * prod(sizes[name] for name in names.split("·"))
        for names, times in condition["sizes"].items()
    )
    return value + condition["plus"] <= condition["at_most"]
