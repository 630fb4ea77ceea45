"""What a page's button does in Chromium: the checker accepts that page's certificate, and refuses a changed one."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROVED = "gril.prop4.1"
BOUND = "ssd.thm5.1-e2+bound"
REFUTED = "gd-ssm.prop1-construction"
MINUTES = 5 * 60_000


@pytest.fixture
def tab(browser, served):
    """A page that asks nothing of other sites."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    one = context.new_page()
    asked: list[str] = []
    one.on("request", lambda request: asked.append(request.url))
    yield one
    assert [url for url in asked if not url.startswith((served, "file:", "blob:"))] == []
    context.close()


def place(tab, name):
    """The part of a page with a button that runs this file."""
    return tab.locator(".check").filter(has=tab.locator(f'a[href$="/{name}"]'))


def answer(tab, name):
    """Whether what the button ran is good or bad, in a word, and what the page says then."""
    found = place(tab, name)
    found.locator("button").click()
    found.and_(tab.locator("[data-state=good], [data-state=bad]")).wait_for(timeout=MINUTES)
    said = [found.locator(part).text_content() for part in (".status", "pre")]
    return found.get_attribute("data-state"), "\n".join(said)


def test_the_button_accepts_a_certificate_and_shows_its_theorem(tab, served):
    tab.goto(f"{served}/claims/{PROVED}.html")
    state, said = answer(tab, f"{PROVED}.json")
    assert state == "good" and "Accepted" in said, said
    assert "For all whole numbers" in said and "⊢" in said and "1 theorem shown" in said
    assert place(tab, f"{PROVED}.json").locator("pre").is_visible()


def test_the_theorem_of_a_bound_is_an_inequality(tab, served):
    page = BOUND.split("+")[0]
    tab.goto(f"{served}/claims/{page}.html")
    state, said = answer(tab, f"{BOUND}.json")
    assert state == "good" and re.search(r"⊢ .* ≤ ", said), said


def false(text):
    """A certificate whose first statement has another factor on its right side."""
    value = json.loads(text)
    proof = next(one["equations"] for one in value["by"] if "equations" in one)
    proof["problem"]["statements"][0][1][1][0][0] = "17"
    return json.dumps(value)


def test_a_certificate_that_a_reader_changes_is_refused_and_the_right_one_accepted_again(
    tab, served
):
    tab.goto(f"{served}/claims/gd-ssm.eq9.html")
    found = place(tab, "gd-ssm.eq9.json")
    found.locator("summary").click()
    text = found.locator("textarea")
    tab.wait_for_function("text => text.value", arg=text.element_handle())
    right = text.input_value()
    text.fill(false(right))
    state, said = answer(tab, "gd-ssm.eq9.json")
    assert state == "bad" and "Refused" in said and "0 theorems shown, 1 proof refused" in said
    text.fill(right)
    found.evaluate("one => delete one.dataset.state")
    state, said = answer(tab, "gd-ssm.eq9.json")
    assert state == "good" and "2 theorems shown, 0 proofs refused" in said


def test_a_certificate_that_is_changed_where_it_is_served_is_refused(tab, served):
    def changed(route):
        route.fulfill(body=false(route.fetch().text()), content_type="application/json")

    tab.route("**/certificates/gd-ssm.eq9.json", changed)
    tab.goto(f"{served}/claims/gd-ssm.eq9.html")
    state, said = answer(tab, "gd-ssm.eq9.json")
    assert state == "bad" and "Refused" in said, said


def test_a_counterexample_runs_and_shows_both_sides(tab, served):
    tab.goto(f"{served}/claims/{REFUTED}.html")
    state, said = answer(tab, f"{REFUTED}.py")
    assert state == "good" and "actual:  -24\nclaimed: 24" in said, said


def test_a_program_that_is_stopped_can_be_run_again(tab, served):
    tab.goto(f"{served}/claims/{REFUTED}.html")
    found = place(tab, f"{REFUTED}.py")
    found.locator("summary").click()
    text = found.locator("textarea")
    tab.wait_for_function("text => text.value", arg=text.element_handle())
    text.fill("while True: pass")
    found.locator("button").click()
    tab.wait_for_function(
        "e => e.textContent == 'Stop'", arg=found.locator("button").element_handle()
    )
    found.locator("button").click()
    assert found.locator(".status").text_content() == "Stopped."
    text.fill("print('again')")
    found.evaluate("one => delete one.dataset.state")
    assert "again" in answer(tab, f"{REFUTED}.py")[1]


def test_from_a_file_the_button_says_why_it_cannot(tab, site):
    complaints: list[str] = []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto((site / "claims" / f"{PROVED}.html").as_uri())
    state, said = answer(tab, f"{PROVED}.json")
    assert state == "bad" and "opened from a file" in said and "make docs-serve" in said
    assert complaints == []


def test_every_certificate_on_the_site_is_accepted_by_the_checker_beside_it(site):
    folder = site / "certificates"
    command = [sys.executable, str(folder / "scanproof_checker.pyz"), "--quiet", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    named = {Path(line.split(": ")[0]).name for line in done.stdout.splitlines() if ": " in line}
    assert named == {path.name for path in folder.glob("*.json")}
    assert "nothing is said" not in done.stdout


def test_python_for_the_browser_has_its_licences_beside_it(site):
    folder = site / "_static" / "pyodide"
    assert "Mozilla Public License, version 2.0" in (folder / "LICENSE-MPL-2.0").read_text()
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in (folder / "LICENSE-PSF").read_text()
    assert (folder / "NOTICE").read_text().startswith("Pyodide 3")
