"""The site is not built from what is missing or wrong: the build stops and names the line."""

import importlib
import json
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the extra [docs] is not installed: `make docs` installs it")
pytest.importorskip("myst_parser")
pytest.importorskip("furo")
ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:.*Check CHANGES for Sphinx API"),  # myst-parser's
]
if not (ROOT / "build" / "node" / "node_modules" / "katex").is_dir():
    pytest.skip("KaTeX is not installed: `make docs` installs it", allow_module_level=True)


@pytest.fixture(scope="module")
def site():
    """The modules that build it."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        yield importlib.import_module("_site.__main__")
    finally:
        sys.path.remove(str(ROOT / "docs"))


@pytest.fixture(scope="module")
def ledger(site):
    """Two claims, one of them refuted and mended, as the build sees them."""
    return site.gather(["gd-ssm.prop1-construction", "gd-ssm.eq9"])


def built(site, ledger, tmp_path, text, capfd):
    """The exit code of a site of one page, and what it says."""
    pages = tmp_path / "pages"
    pages.mkdir()
    shutil.copyfile(ROOT / "docs" / "_site" / "conf.py", pages / "conf.py")
    (pages / "ledger.json").write_text(json.dumps(site._for_sphinx(ledger)), encoding="utf-8")
    site.write_derivations(ledger, pages)
    (pages / "index.md").write_text(f"# A page\n\n{text}\n", encoding="utf-8")
    for id, claim in ledger.claims.items():
        (pages / "claims").mkdir(exist_ok=True)
        shown = site.page(ledger, claim, {}).replace("../", "https://example.org/")
        (pages / "claims" / f"{id}.md").write_text(shown, encoding="utf-8")
    code = site.sphinx(pages, tmp_path / "site")
    return code, capfd.readouterr().err


def test_a_page_with_formulas_and_ids_is_built(site, ledger, tmp_path, capfd):
    text = (
        "```math\n\\sum_{i < t} x_i\n```\n\nSee `gd-ssm.eq9` and `gd-ssm.prop1-construction+sign`."
    )
    code, said = built(site, ledger, tmp_path, text, capfd)
    assert code == 0, said
    shown = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "<math" in shown and 'href="claims/gd-ssm.eq9.html"' in shown
    assert 'href="claims/gd-ssm.prop1-construction.html#amended-sign"' in shown


@pytest.mark.parametrize(
    "formula", [r"\sum_{i < t x_i", r"\nosuchthing{x}", r"\frac{1}", r"a^b^c", r"\left( a"]
)
def test_a_formula_that_does_not_parse_stops_the_build_at_its_line(
    site, ledger, tmp_path, capfd, formula
):
    code, said = built(site, ledger, tmp_path, f"```math\n{formula}\n```", capfd)
    assert code != 0
    assert "index.md:3: WARNING: KaTeX parse error" in said and formula in said


def test_an_id_that_is_not_in_the_ledger_stops_the_build_at_its_line(site, ledger, tmp_path, capfd):
    code, said = built(site, ledger, tmp_path, "By\n`gd-ssm.eq999` it holds.", capfd)
    assert code != 0
    assert "index.md:3: WARNING: gd-ssm.eq999 is not a claim of the ledger" in said


def test_a_link_to_a_page_that_is_not_there_stops_the_build(site, ledger, tmp_path, capfd):
    code, said = built(site, ledger, tmp_path, "[here](nowhere.md)", capfd)
    assert code != 0 and "index.md:3: WARNING" in said and "nowhere.md" in said


def test_a_claim_without_its_certificate_stops_the_build_at_its_line(site, tmp_path, capfd):
    from scanproof.proofs.decide import certificates

    mine = pytest.MonkeyPatch()
    with mine.context() as patch:
        patch.setattr(certificates.Certificates, "file", lambda self, claim: tmp_path / "none.json")
        code = site.main(["gd-ssm.eq9"])
    said = capfd.readouterr().err
    assert code == 1
    assert "proofs/claims/gd_ssm/" in said and "gd-ssm.eq9: there is no certificate" in said
    assert "scanproof check --save" in said


def test_a_claim_with_anothers_certificate_stops_the_build(site, tmp_path, capfd):
    from scanproof.proofs.decide import certificates

    other = ROOT / "proofs/claims/gd_ssm/certificates/gd-ssm.eq10.json"
    mine = pytest.MonkeyPatch()
    with mine.context() as patch:
        patch.setattr(certificates.Certificates, "file", lambda self, claim: other)
        code = site.main(["gd-ssm.eq9"])
    assert code == 1 and "gd-ssm.eq9" in capfd.readouterr().err


def test_an_unknown_claim_is_answered_in_a_line(site, capfd):
    assert site.main(["gd-ssm.eq999"]) == 1
    assert "no claim matches 'gd-ssm.eq999'" in capfd.readouterr().err
