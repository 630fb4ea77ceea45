"""The command line under signals, closed pipes and full disks."""

import gc
import os
import signal
import subprocess
import time
import weakref
from pathlib import Path

import pytest
from command_line import TRUE, Write, command, interrupted, left_behind

from scanproof._interrupts import heard

SLOW = """
    import pathlib, time

    @definition
    def wait(x):
        pathlib.Path("started").touch()
        time.sleep(60)
        return x

    for number in range(COUNT):
        @paper.claim("{name}." + str(number), says="x", given=dict(x=""))
        def body(x):
            return equal(wait(x), x)
"""


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("count", [1, 8], ids=["one worker", "workers"])
def test_interrupt_exits_130_without_a_word_or_a_file(write: Write, count: int):
    file = write(SLOW.replace("COUNT", str(count)))
    found = interrupted("check", file, "--jobs", "2", "--output", "report")
    assert found == (130, "", "")
    assert left_behind() == {file, "started"}


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.usefixtures("hears")
def test_an_interrupt_in_a_callback_of_the_garbage_collector_is_not_lost():
    came = []

    def callback(phase: str, info: dict) -> None:
        if not came:
            came.append(phase)
            signal.raise_signal(signal.SIGINT)

    gc.callbacks.append(callback)
    try:
        with pytest.raises(KeyboardInterrupt), heard():
            gc.collect()
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                time.sleep(0.01)
    finally:
        gc.callbacks.remove(callback)
    assert came and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.usefixtures("hears")
def test_an_interrupt_in_a_callback_of_a_weak_reference_is_not_lost():
    class Watched:
        pass

    class Raising(weakref.WeakKeyDictionary):
        def __getattribute__(self, name: str):  # Python's own callback asks for its fields
            if name == "_iterating" and armed:
                armed.clear()
                signal.raise_signal(signal.SIGINT)
            return super().__getattribute__(name)

    armed: list[bool] = []
    seen, watched = Raising(), Watched()
    seen[watched] = 1
    armed.append(True)
    with pytest.raises(KeyboardInterrupt), heard():
        del watched
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.01)
    assert not armed


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_reader_that_stops_reading_is_no_error(write: Write):
    process = subprocess.Popen(
        command("check", write(TRUE)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("option", [[], ["--output", "/dev/full"]])
def test_full_disk_is_one_line(write: Write, option: list[str]):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("check", write(TRUE), *option), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "No space left" in line


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_of_prove_exits_130_without_a_word(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sleeping.py").write_text(
        "import pathlib, time\npathlib.Path('started').touch()\n\n\ndef forward(x):\n    time.sleep(60)\n    return x\n"
    )
    sides = "sleeping:forward", "--shapes", "x: T", "--equals", "sleeping:forward"
    assert interrupted("prove", *sides, after=1.0) == (130, "", "")
