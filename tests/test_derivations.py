"""Derivations say what the proofs say: formulas are computed, a proof is read line by line, pages are current."""

import functools
import re
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Run
from derivation_values import Values

from scanproof.constructs.arrays.definition import definition
from scanproof.proofs.check.certificate import AllSizes, Argument
from scanproof.proofs.decide.certificates import Certificates
from scanproof.proofs.decide.ledger import Ledger, built_in
from scanproof.proofs.decide.row_verdicts import check, homes
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.inequalities.written import FORMAT, check_written
from scanproof.proofs.interpret.terms import equal_indices, indicator, inverse, number, total
from scanproof.proofs.kernel.checker import Refused
from scanproof.proofs.kernel.index import position, size
from scanproof.proofs.kernel.term import apply, entry
from scanproof.proofs.language.source import Source
from scanproof.proofs.language.statements import equal
from scanproof.proofs.report.derivation.bounds import WRITING, BoundWriter
from scanproof.proofs.report.derivation.derive import breaking, derive
from scanproof.proofs.report.derivation.document import Derivation
from scanproof.proofs.report.derivation.expression import Addition
from scanproof.proofs.report.derivation.latex import LATEX, as_latex
from scanproof.proofs.report.derivation.markdown import as_markdown
from scanproof.proofs.report.derivation.normal_forms import normal_form
from scanproof.proofs.report.derivation.printing import TEXT
from scanproof.proofs.report.derivation.rendering import render
from scanproof.proofs.report.derivation.replaying import replayed, session_of
from scanproof.proofs.report.derivation.terms import Reader
from scanproof.proofs.report.derivation.text import as_text
from scanproof.proofs.report.derivation.writer import Writer
from scanproof.proofs.search.all_sizes import find
from scanproof.proofs.search.proving import proving
from scanproof.proofs.search.session import resumed

ROOT = Path(__file__).resolve().parent.parent
HOMES = homes(built_in())
CLAIMS = {c.id: c for row in built_in().rows for c in (row.claim, *row.amendments)}
QUICK = [
    "gd-ssm.eq9",
    "gd-ssm.prop1-construction+sign",
    "gd-ssm.prop2-construction+transpose+sign",
    "gd-ssm.prop3",
    "gril.prop4.1",
    "gril.def4.2",
    "gril.eq16",
    "gril.a2-construction+last",
    "ssd.eq3",
    "ssd.def3.2",
    "ssd.lsa",
    "ssd.thm4.1-eq4+recurrence",
    "ch9.euler",
    "ch9.linear-attention",
    "ch9.icl",
]


@functools.cache
def derivation(id):
    proof = find(CLAIMS[id])
    assert not isinstance(proof, str), proof
    return derive(CLAIMS[id], proof)


@pytest.fixture
def small():
    """A session with sizes N and f, positions t < N and a, b < f, and a reader of its terms."""
    with proving() as current:
        N, f = size("N", 1), size("f", 1)
        places = position("t", 0, N), position("a", 0, f), position("b", 0, f)
        yield current, Reader(current, {}, ("x", "y", "N", "f")), N, f, *places


def printed(reader, term, *positions):
    scope = reader.scope([v.terms[0][0] for v in positions])
    shown = reader.term(term, scope)
    return TEXT.addition(shown), LATEX.addition(shown)


def test_the_range_of_an_index_becomes_the_bound_of_its_sum(small):
    _, reader, _, f, t, a, _ = small
    s, c = position("s", 0, t), position("c", 0, f)
    term = total(total(entry("x", s, c) * entry("y", s), c), s)
    text, latex = printed(reader, term, t, a)
    assert text == "Σ_{i < t, b < f} x[i, b] y[i]"
    assert latex == r"\sum_{i < t} \sum_{b < f} x_{i,b}\, y_{i}"


def test_a_sum_that_ends_with_its_bound_is_said_with_at_most(small):
    _, reader, _, _, t, _, _ = small
    s = position("s", 0, t + 1)
    assert printed(reader, total(entry("y", s), s), t)[0] == "Σ_{i ≤ t} y[i]"
    s = position("s", 2, t + 3)
    assert printed(reader, total(entry("y", s), s), t)[0] == "Σ_{2 ≤ i ≤ t + 2} y[i]"


def test_other_guards_become_brackets(small):
    _, reader, _, _, t, a, b = small
    text, latex = printed(reader, equal_indices(a, b) * entry("x", t, a), t, a, b)
    assert text == "[a = b] x[t, a]"
    assert latex == r"[a = b]\, x_{t,a}"
    assert printed(reader, indicator(b - a) * entry("x", t, a), t, a, b)[0] == "[a ≤ b] x[t, a]"
    assert printed(reader, indicator(b - a - 1), a, b)[0] == "[a < b]"
    assert printed(reader, indicator(a - 1, b - a), a, b)[0] == "[1 ≤ a ≤ b]"


def test_numbers_of_indices_stand_in_fractions(small):
    _, reader, N, _, t, _, _ = small
    scale = entry("eta") * inverse(number(t) + 1, [t])
    text, latex = printed(reader, scale * entry("y", t) * 2, t)
    assert (text, latex) == ("2 η/(t + 1) y[t]", r"\frac{2\, \eta}{t + 1}\, y_{t}")
    assert printed(reader, inverse(number(N) * 3, []) * -1)[0] == "−1/(3 N)"
    assert printed(reader, number(N) * number(N) - 1)[0] == "N² − 1"


def test_common_signs_and_factors_stand_before_a_bracket(small):
    _, reader, _, f, t, a, _ = small
    c = position("c", 0, f)
    terms = total(entry("x", t, c), c) * entry("y", t) * -1 - entry("x", t, a) * entry("y", t)
    assert printed(reader, terms, t, a)[0] == "−y[t] (x[t, a] + Σ_{b < f} x[t, b])"


def test_sums_over_one_range_with_a_common_factor_are_one_sum(small):
    _, reader, _, f, t, a, _ = small
    s, c = position("s", 0, t), position("c", 0, f)
    predicted = total(total(entry("w", c) * entry("x", s, c) * entry("x", s, a), c), s)
    term = predicted - total(entry("y", s) * entry("x", s, a), s)
    assert printed(reader, term, t, a)[0] == "Σ_{i < t} x[i, a] (Σ_{b < f} w[b] x[i, b] − y[i])"


def test_functions_are_printed_with_what_they_are_taken_of(small):
    _, reader, _, f, t, _, _ = small
    c = position("c", 0, f)
    score = total(entry("x", t, c) * entry("y", c), c)
    text, latex = printed(reader, apply("exp", score, [t]) * inverse(score, [t]), t)
    assert text == "1/(Σ_{a < f} x[t, a] y[a]) exp(Σ_{a < f} x[t, a] y[a])"
    assert latex.endswith(r"\, \exp\left(\sum_{a < f} x_{t,a}\, y_{a}\right)")


def test_a_normal_form_joins_a_sum_with_its_last_term(small):
    current, reader, _, _, t, _, _ = small
    s = position("s", 0, t)
    term = total(entry("y", s), s) + entry("y", t)
    assert printed(reader, term, t)[0] == "y[t] + Σ_{i < t} y[i]"
    assert printed(reader, normal_form(term, current), t)[0] == "Σ_{i ≤ t} y[i]"


def test_letters_of_indices_are_never_those_of_symbols():
    with proving() as current:
        n = size("n", 1)
        t = position("t", 0, n)
        reader = Reader(current, {}, ("i", "j", "t", "n"))
        s = position("s", 0, n)
        assert printed(reader, total(entry("i", s), s))[0] == "Σ_{s < n} i[s]"
        assert printed(reader, entry("j", t), t)[0] == "j[s]"


GOLDEN = """
   4. Z_0[a, b] = 0   (0 ≤ a, b < f)
      Z_{t+1}[a, b] = Z_t[a, b] + x[t, b] y[t, a]   (0 ≤ t < N; 0 ≤ a, b < f)
   5. Z_t[a, b] = Σ_{i < t} x[i, b] y[i, a]   (0 ≤ t ≤ N; 0 ≤ a, b < f)
          — Lemma 1, by induction on t
   6. Z_0[a, b] = 0 = Σ_{i < 0} x[i, b] y[i, a]   (0 ≤ a, b < f)
          — start, t = 0 (4)
   7. Z_{t+1}[a, b] = Z_t[a, b] + x[t, b] y[t, a]   (0 ≤ t < N; 0 ≤ a, b < f)
          — step from t to t + 1: the definition (4)
   8. Z_{t+1}[a, b] = x[t, b] y[t, a] + Σ_{i < t} x[i, b] y[i, a]   (0 ≤ t < N; 0 ≤ a, b < f)
          — the induction hypothesis (5)
   9. Z_{t+1}[a, b] = Σ_{i ≤ t} x[i, b] y[i, a]   (0 ≤ t < N; 0 ≤ a, b < f)
  11. right[t, a]
        = η/(t + 1) Σ_{i ≤ t, b < f} x[i, b] x[t + 1, b] y[i, a]
          — the right side, as read
  12. left[t, a]
        = η/(t + 1) Σ_{i ≤ t, b < f} x[i, b] x[t + 1, b] y[i, a]
          — normal form of the left side (10)
  13. left[t, a] = right[t, a]   (0 ≤ t < N; 0 ≤ a < f)
          — both sides have the same normal form (12, 11)
  14. For all N ≥ 1, f ≥ 1 and all x, y, η, the equation holds. ∎
"""


@pytest.mark.long
def test_proposition_4_1_of_gril_reads_as_one_would_prove_it():
    shown = as_text(derivation("gril.prop4.1-construction"))
    (name,) = re.findall(r"definition of (\S+?):?(?: |$)", shown, re.M)
    place = 0
    for line in GOLDEN.strip("\n").splitlines():
        wanted = line.replace("Z", name.rstrip(":"))
        assert wanted in shown[place:], f"{wanted!r} in\n{shown[place:]}"
        place += shown[place:].index(wanted)


@pytest.mark.long
def test_every_line_of_proposition_4_1_rests_on_earlier_lines():
    found = derivation("gril.prop4.1-construction")
    assert [line.number for line in found.lines] == list(range(1, len(found.lines) + 1))
    for line in found.lines:
        assert all(number < line.number for number in line.rests_on)
        assert line.reason and (line.formulas or line.words)
    (lemma,) = (line.number for line in found.lines if line.reason.startswith("Lemma"))
    read = {line.reason: line.rests_on for line in found.lines if line.reason.endswith("as read")}
    assert read == {"the left side, as read": (lemma,), "the right side, as read": ()}


@pytest.mark.long
@pytest.mark.parametrize("id", QUICK[1::3])
def test_formulas_of_a_derivation_are_true_at_small_sizes(id):
    claim, found = CLAIMS[id], derivation(id)
    for value in (1, 2):
        sizes = {name: max(value, min(values)) for name, values in claim.ranges.items()}
        assert not Values(claim, found, sizes).wrong()
    sizes = {name: 1 + n % 2 + min(v) for n, (name, v) in enumerate(claim.ranges.items())}
    assert not Values(claim, found, sizes).wrong()


def printed_from_certificate(id):
    return derive(CLAIMS[id], replayed(CLAIMS[id], certificate(id)))


def certificate(id):
    found = Certificates(homes=HOMES).load(CLAIMS[id])
    assert isinstance(found, Argument)
    (own,) = [one for one in found.by if isinstance(one, AllSizes)]
    return own


@pytest.mark.short("ch9.euler")
@pytest.mark.parametrize("id", [*QUICK[::3], *QUICK[2::3]])
def test_formulas_printed_from_a_certificate_are_true_and_rest_on_earlier_lines(id):
    claim, found = CLAIMS[id], printed_from_certificate(id)
    assert len(found.lines) > 3
    for line in found.lines:
        assert all(number < line.number for number in line.rests_on)
    sizes = {name: 1 + n % 2 + min(v) for n, (name, v) in enumerate(claim.ranges.items())}
    assert not Values(claim, found, sizes).wrong()


def has_bounds(id):
    file = Certificates(homes=HOMES).file(CLAIMS[id])
    return file is not None and file.is_file() and f'"{FORMAT}"' in file.read_text()


BOUNDS = ["rounding.gamma", "rounding.readout", "ssd.thm5.1+error", "ssd.thm5.2-qnorm"]
OTHERS = [id for id in CLAIMS if has_bounds(id) and id not in BOUNDS]


@pytest.mark.short(*BOUNDS)
@pytest.mark.parametrize("id", [*BOUNDS, *OTHERS[::4]])
def test_a_derivation_of_bounds_ends_with_the_claim_s(id):
    """Every line rests on earlier ones, and the last inequality is the last bound of the claim, with both sides."""
    claim, own = CLAIMS[id], certificate(id)
    proof = replayed(claim, own)
    found = derive(claim, proof)
    assert all(format(found) for format in (as_text, as_latex, as_markdown))
    assert "…" not in as_text(found).partition("Definitions")[2]  # no term that its reader needs
    for line in found.lines:
        assert all(number < line.number for number in line.rests_on)
    conditions = ", ".join(str(one.number) for one in found.lines if one.reason == "hypothesis")
    assert f" with ({conditions}), " in found.lines[-1].words or not conditions
    said = [line.formulas[-1] for line in found.lines if line.formulas]
    checked = check_written(own.bounds)
    with resumed(session_of(proof.session, checked.equations)) as session:
        session.left = WRITING
        writer = Writer(claim, session, Derivation(id, found.sections[:-1]))
        writer.definitions()
        goals = [
            BoundWriter(writer, checked.shown).formula(one, whole=True)
            for one in checked.shown.problem.goals
        ]
    assert said[-1] == goals[-1]
    assert {*goals} <= {*said}
    assert found.lines[-1].words.endswith("∎")


@pytest.mark.long
def test_a_certificate_says_by_which_lemma_the_state_is_read():
    said = as_text(printed_from_certificate("gril.prop4.1-construction"))
    assert re.search(r"Lemma 1, by induction on t", said)
    assert re.search(r"normal form of the left side \(\d+, \d+\)", said)


@pytest.mark.long
def test_a_changed_certificate_prints_no_derivation():
    claim, own = CLAIMS["gd-ssm.eq9"], certificate("gd-ssm.eq9")
    assert own.trace is not None
    lines = own.trace["theorems"][:-1]
    with pytest.raises(Refused):
        replayed(claim, replace(own, trace={**own.trace, "theorems": lines}))


@pytest.mark.long
def test_a_formula_with_another_sign_is_found_out():
    id = "gril.prop4.1-construction"
    claim, found = CLAIMS[id], derivation.__wrapped__(id)  # which no other test sees
    for section in found.sections:
        for n, line in enumerate(section.lines):
            if line.reason.startswith("Lemma"):
                (said,) = line.formulas
                (piece,) = said.parts[1].pieces
                turned = replace(piece, coefficient=-piece.coefficient)
                wrong = replace(said, parts=(said.parts[0], Addition((turned,))))
                section.lines[n] = replace(line, formulas=(wrong,))
                number = line.number
    (problem, *_) = Values(claim, found, {"N": 1, "f": 1}).wrong()
    assert problem.startswith(f"line {number} ")


def test_a_sign_error_is_what_is_left_over():
    claim = CLAIMS["gd-ssm.prop1-construction"]
    example = {
        "sizes": {"N": 1, "f": 1},
        "inputs": {"x": [["1"], ["1"]], "y": ["1"], "eta": "1"},
    }
    found = breaking(claim, example)
    assert found is not None
    shown = as_text(found)
    assert "left = −η/N Σ_{i < N, a < f} x[N, a] x[i, a] y[i]" in shown
    assert "right = η/N Σ_{i < N, a < f} x[N, a] x[i, a] y[i]" in shown
    assert "left − right = −2 η/N Σ_{i < N, a < f} x[N, a] x[i, a] y[i]" in shown


def test_where_an_example_shows_no_difference_nothing_is_said_to_break():
    example = {
        "sizes": {"N": 1, "f": 1},
        "inputs": {"x": [["0"], ["0"]], "y": ["0"], "eta": "0"},
    }
    assert breaking(CLAIMS["gd-ssm.prop1-construction"], example) is None


@pytest.mark.parametrize("id", ["ssd.def3.2", "ch9.icl"])
def test_latex_is_balanced(id):
    fragment = as_latex(derivation(id))
    depth = 0
    for mark in re.findall(r"(?<!\\)[{}]", fragment):
        depth += 1 if mark == "{" else -1
        assert depth >= 0
    assert depth == 0
    assert fragment.count(r"\left(") == fragment.count(r"\right)")
    assert fragment.count(r"\begin{aligned}") == fragment.count(r"\end{aligned}")
    assert fragment.count(r"\[") == fragment.count(r"\]")
    fences = re.findall(r"^```(math)?$", as_markdown(derivation(id)), re.M)
    assert fences == ["math", ""] * (len(fences) // 2)


@pytest.mark.long
def test_the_page_of_a_source_s_derivations_is_the_same_every_time(run: Run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("derivations", "--source", "lanes", "--output", "pages").code == 0
    answer = run("derivations", "--source", "lanes", "--output", "pages", "--check")
    assert answer.code == 0, answer.err


@definition
def doubled(u):
    return u + u


@pytest.mark.long
def test_a_claim_that_is_another_one_on_symbols_is_not_proved_and_is_told_no_derivation():
    source = Source("mine", title="Mine")

    @source.claim("mine.two-faced", says="2 f(u) = f(2u)", given={"u": "n"})
    def two_faced(u):
        if type(u).__name__ == "Recorded":
            return equal(doubled(u), doubled(u))
        return equal(doubled(u) * 2, doubled(u * 2))

    claim = source.rows[0].claim
    result = decide(claim, ENGINES["all"])
    assert (result.verdict, result.scope, result.broken) == ("unknown", None, False)
    assert "not the claim's own" in (result.reason or "")
    report = check(Ledger([source]), jobs=1)
    told = render(claim, report["claims"][0]["as_stated"])
    assert told.proof is None
    assert "not the claim's own" in told.why
