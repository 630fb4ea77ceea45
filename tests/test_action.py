"""What other repositories use of this one: the action, the pre-commit hook, the image of the checker."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_jsonschema import main as validate
from command_line import FALSE, TRUE, UNKNOWN, Write

ROOT = Path(__file__).resolve().parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
FIRST, SECOND = FALSE.replace("square", "linear"), TRUE
PRINTING = """
    print("::error::printed by a file of claims")
"""


class Runner:
    """A machine of GitHub Actions, as far as the action's script sees it."""

    def __init__(self, folder: Path) -> None:
        self.temp = folder / "temp"
        self.temp.mkdir()
        self.base = ""
        self.path = ""

    def git(self, *arguments: str) -> str:
        names = (
            "-c",
            "user.name=n",
            "-c",
            "user.email=n@example.org",
            "-c",
            "commit.gpgsign=false",
        )
        done = subprocess.run(
            ["git", *names, *arguments], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, *, base: bool = False) -> None:
        """Commit everything; what is proposed is to be merged into the commit that is the base."""
        if not Path(".git").exists():
            self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "m")
        if base:
            self.base = self.git("rev-parse", "HEAD")

    def __call__(self, folder: str = ".", **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run the script with these inputs as GitHub does, and the others as they are by default."""
        given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
        given |= inputs
        step = STEPS["Check claims"]
        for name in ("output", "summary.md"):
            (self.temp / name).write_text("")
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "CI": "true",
            "GITHUB_WORKSPACE": str(Path.cwd()),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.temp / "output"),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary.md"),
            "RUNNER_TEMP": str(self.temp),
            **{name: self._filled(text, given) for name, text in step["env"].items()},
        }
        environment["PYTHONPATH"] = self.path
        script = self.temp / "script.sh"
        script.write_text(step["run"])
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )

    def _filled(self, text: str, given: dict[str, str]) -> str:
        known = {f"inputs.{name}": value for name, value in given.items()}
        known["github.event.pull_request.base.sha"] = self.base
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: known[found[1]], text)

    @property
    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in (self.temp / "output").read_text().splitlines())

    @property
    def summary(self) -> str:
        return (self.temp / "summary.md").read_text("utf-8")

    @property
    def results(self) -> list[Any]:
        log = json.loads(Path(self.outputs["sarif"]).read_text("utf-8"))
        return log["runs"][0]["results"]


@pytest.fixture
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("machine"))


def followed(log: str) -> list[str]:
    """The commands that GitHub follows: those that are not between stop-commands and its token."""
    found, token = [], None
    for line in log.splitlines():
        if token is not None:
            token = None if line == f"::{token}::" else token
        elif line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
        elif line.startswith("::"):
            found.append(line)
    assert token is None
    return found


@pytest.mark.long
def test_a_pull_request_is_compared_with_what_it_is_merged_into(runner: Runner, write: Write):
    write(TRUE, UNKNOWN, PRINTING)
    runner.commit(base=True)
    write(FIRST, UNKNOWN, PRINTING)
    runner.commit()
    done = runner(targets="*.py")
    assert done.returncode == 1, done.stdout
    line, known = followed(done.stdout)
    assert known.startswith("::notice title=scanproof::open or wrong as in the baseline: mine.open")
    assert line.startswith("::error file=mine.py,line=")
    assert "title=mine.linear was proved%2C is refuted::" in line
    assert "| proved → refuted | N = 2 |" in runner.summary
    (result,) = runner.results
    assert result["baselineState"] == "updated"
    assert runner.outputs["exit-code"] == "1"
    assert "<testsuites" in Path(runner.outputs["junit"]).read_text("utf-8")
    assert json.loads(Path(runner.outputs["report"]).read_text("utf-8"))["claims"]
    assert runner.git("status", "--porcelain", "--ignored=no", "--untracked-files=no") == ""
    assert len(runner.git("worktree", "list").splitlines()) == 1


@pytest.mark.long
def test_good_news_is_no_alert(runner: Runner, write: Write):
    write(FIRST)
    runner.commit(base=True)
    write(SECOND)
    write(TRUE, name="new")
    runner.commit()
    done = runner(targets="mine.py new.py")
    assert done.returncode == 0, done.stdout
    assert runner.results == []
    assert [line.split(" ")[0] for line in followed(done.stdout)] == ["::notice"] * 2
    assert "| refuted → proved |" in runner.summary
    assert "| new → proved |" in runner.summary


@pytest.mark.long
def test_the_base_is_checked_with_its_own_modules(runner: Runner, write: Write):
    Path("src").mkdir()
    Path("src/factor.py").write_text("FACTOR = 1\n")
    claim = TRUE.replace("total(x) * c", "total(x) * c * FACTOR").replace(
        "@paper", "from factor import FACTOR\n\n    @paper", 1
    )
    write(claim)
    runner.commit(base=True)
    Path("src/factor.py").write_text("FACTOR = 2\n")
    runner.commit()
    runner.path = str(Path("src").resolve())  # what is installed is the pull request's
    done = runner(targets="mine.py")
    assert done.returncode == 1, done.stdout
    assert "| proved → refuted |" in runner.summary


@pytest.mark.long
def test_in_a_folder_below_paths_are_named_from_the_root(runner: Runner, write: Write):
    write(UNKNOWN)
    runner.commit(base=True)
    write(FALSE, file="below/mine.py", name="below")
    runner.commit()
    done = runner("below", targets="mine.py")
    (line,) = followed(done.stdout)
    assert line.startswith("::error file=below/mine.py,line=")
    assert "is new%3A refuted" in line


@pytest.mark.long
def test_without_a_pull_request_nothing_is_compared(runner: Runner, write: Write):
    done = runner(targets=write(TRUE, UNKNOWN), arguments="--strict")
    assert done.returncode == 2
    assert "was → now" in runner.summary
    assert [result["kind"] for result in runner.results] == ["fail"]


@pytest.mark.long
def test_a_report_given_is_the_baseline(runner: Runner, write: Write):
    file = write(TRUE)
    assert runner(targets=file).returncode == 0
    kept = shutil.copy(runner.outputs["report"], "kept.json")
    assert runner(targets=file, baseline=kept).returncode == 0
    assert "No verdict has changed." in runner.summary


@pytest.mark.short(4)
@pytest.mark.parametrize(
    ("inputs", "complaint"),
    [
        ({"targets": " "}, "::error title=scanproof::targets is empty"),
        ({"targets": "mine.py", "arguments": "--nonsense"}, "nothing was checked (exit code 3)"),
        ({"targets": "mine.py", "baseline": "absent.json"}, "nothing was checked (exit code 3)"),
        ({"targets": "absent.py"}, "::error title=scanproof::absent.py: no such file"),
    ],
)
def test_what_cannot_be_done_is_an_annotation(
    runner: Runner, write: Write, inputs: dict[str, str], complaint: str
):
    write(TRUE)
    done = runner(**inputs)
    assert done.returncode == 3
    assert any(complaint in line for line in followed(done.stdout)), done.stdout


@pytest.mark.long
@pytest.mark.parametrize("repository", [True, False])
def test_a_base_that_cannot_be_had_is_a_warning(runner: Runner, write: Write, repository: bool):
    write(TRUE)
    if repository:
        runner.commit()
    runner.base = "0123456789" * 4
    done = runner(targets="mine.py")
    assert done.returncode == 0, done.stdout
    (line,) = followed(done.stdout)
    assert line.startswith(f"::warning title=scanproof::commit {runner.base}")


def test_no_input_is_written_into_the_script():
    for step in STEPS.values():
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"


# What describes them is as GitHub's and pre-commit's schemas want it


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", "action.yml"),
        ("vendor.github-workflows", "docs/examples/scanproof.yml"),
    ],
)
def test_action_and_workflow_are_valid(schema: str, file: str):
    with pytest.raises(SystemExit) as ended:
        validate(["--builtin-schema", schema, str(ROOT / file)])
    assert ended.value.code in (0, None)


def test_the_workflow_uses_inputs_and_outputs_that_the_action_has():
    workflow = yaml.safe_load((ROOT / "docs/examples/scanproof.yml").read_text("utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    own = [step for step in steps if step.get("uses", "").startswith("OWNER/scanproof@")]
    assert own
    for step in own:
        assert set(step["with"]) <= set(ACTION["inputs"])
        wanted = {name for name, one in ACTION["inputs"].items() if one.get("required")}
        assert wanted <= set(step["with"])
    text = (ROOT / "docs/examples/scanproof.yml").read_text("utf-8")
    assert set(re.findall(r"steps\.scanproof\.outputs\.([\w-]+)", text)) <= set(ACTION["outputs"])


@pytest.mark.long
def test_the_hook_checks_the_files_that_it_is_given(write: Write):
    (hook,) = HOOKS
    assert {"id", "name", "entry", "language", "files"} <= set(hook)
    chosen = re.compile(hook["files"])
    assert all(
        map(chosen.search, ("claims.py", "a/claims.py", "my_claims.py", "claims_of_mine.py"))
    )
    assert not any(
        map(chosen.search, ("disclaims.py", "claims.txt", "claims/layer.py", "setup.py"))
    )
    entry, *arguments = hook["entry"].split()
    command = [str(Path(sys.executable).parent / entry), *arguments]
    files = [write(TRUE, name="true", file="claims.py"), write(FALSE, file="my_claims.py")]
    for given, code in ((files[:1], 0), (files, 1)):
        done = subprocess.run([*command, *given], capture_output=True, check=False)
        assert done.returncode == code, done.stderr


# The image of the checker, built by hand


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE)
    return [(name, rest) for name, rest in re.findall(r"^([A-Z]+) (.*)$", text, flags=re.MULTILINE)]


@pytest.fixture
def image(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Copies what the image holds, and runs what it runs, in a folder of certificates."""
    environment, entry, command = {}, [], []
    for name, rest in instructions():
        if name == "COPY":
            source, target = rest.split()
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / source, tmp_path / "image" / target.strip("/"), ignore=ignore)
        elif name == "ENV":
            environment |= dict(pair.split("=") for pair in rest.split())
        elif name in ("ENTRYPOINT", "CMD"):
            (entry if name == "ENTRYPOINT" else command)[:] = json.loads(rest)
    environment["PYTHONPATH"] = str(tmp_path / "image" / environment["PYTHONPATH"].strip("/"))
    assert entry[0] == "python"

    def run(folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-S", *entry[1:], *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def test_the_image_is_pinned_and_runs_as_nobody():
    given = dict(instructions())
    assert re.fullmatch(r"python:3\.\d+\.\d+-alpine[\d.]+@sha256:[0-9a-f]{64}", given["FROM"])
    user = given["USER"].split(":")
    assert all(part.isdecimal() and int(part) > 0 for part in user)
    names = [name for name, _ in instructions()]
    assert names.count("FROM") == 1
    assert "RUN" not in names  # nothing is fetched


@pytest.mark.long
def test_the_image_checks_certificates_and_takes_no_module_from_their_folder(
    image: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
):
    folder = tmp_path / "certificates"
    folder.mkdir()
    (folder / "json.py").write_text("raise SystemExit('taken from the folder')\n")
    kept = ROOT / "proofs" / "claims" / "gril" / "certificates"
    chosen = next(p for p in sorted(kept.glob("*.json")) if p.name.startswith("gril.eq10"))
    shutil.copy(chosen, folder)
    done = image(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 " in done.stdout
    text = chosen.read_text("utf-8")
    (folder / chosen.name).write_text(text.replace('"problem"', '"problems"', 1))
    assert image(folder).returncode != 0


def test_the_context_of_the_image_is_what_it_copies():
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    copied = [rest.split()[0] for name, rest in instructions() if name == "COPY"]
    assert lines == ["*", *(f"!{folder}/*.py" for folder in copied)]
