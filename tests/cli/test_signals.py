"""Ctrl-C, SIGTERM and a kill: one line where one can be said, and no process is left."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from graphol.cli.signals import heard

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

CALL = [sys.executable, "-c", "import sys; from graphol.cli import main; sys.exit(main())"]
DEAF = "import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"
STUBBORN = """
        while True:
            try:
                import time; time.sleep(0.1)
            except BaseException:
                pass
"""


def default_signals():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # even under nohup
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.fixture
def started(plugin_file, tmp_path):
    """A run in whose first update some code stands; it leaves the numbers of its processes."""
    running = []

    def start(code="time.sleep(0.05)", *more, preexec_fn=default_signals):
        before = "import os, time; open(f'pid-{os.getpid()}', 'w').close(); "
        path = plugin_file("slow", ("state.counts[", f"{before}{code}\n        state.counts["))
        call = ("simulate", "--learner", "slow", "--plugin", path, "--out", "results", *more)
        process = subprocess.Popen(
            [*CALL, *call], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
            preexec_fn=preexec_fn,
        )  # fmt: skip
        running.append(process)
        wanted = 2 if "--jobs" in more else 1
        wait_until(lambda: len(list(tmp_path.glob("pid-*"))) >= wanted)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def wait_until(true):
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until, "not within a minute"
        time.sleep(0.02)


def alive(number):
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def assert_interrupted(process, tmp_path):
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "graphol: interrupted\n")
    workers = [int(path.name.partition("-")[2]) for path in tmp_path.glob("pid-*")]
    wait_until(lambda: not any(alive(number) for number in workers))


@pytest.mark.parametrize(
    ("number", "jobs"),
    [
        (signal.SIGINT, ()),
        (signal.SIGTERM, ()),
        (signal.SIGTERM, ("--jobs", "2")),
        pytest.param(signal.SIGINT, ("--jobs", "2"), marks=pytest.mark.once),
    ],
)
def test_either_signal_ends_the_run_and_its_workers(started, tmp_path, number, jobs):
    process = started("time.sleep(0.05)", *jobs)
    process.send_signal(number)
    assert_interrupted(process, tmp_path)
    assert not (tmp_path / "results").exists()


def test_ctrl_c_in_a_terminal_reaches_the_workers_too(started, tmp_path):
    def own_group():
        default_signals()
        os.setpgrp()

    process = started("time.sleep(0.05)", "--jobs", "2", preexec_fn=own_group)
    os.killpg(process.pid, signal.SIGINT)
    assert_interrupted(process, tmp_path)


@pytest.mark.parametrize("code", [DEAF, pytest.param(STUBBORN, marks=pytest.mark.once)])
def test_what_hears_no_signal_ends_after_a_while(started, tmp_path, code):
    process = started(code)
    process.send_signal(signal.SIGTERM)
    assert_interrupted(process, tmp_path)


def test_a_second_signal_is_heeded_at_once(started, tmp_path):
    process = started(STUBBORN)
    start = time.monotonic()
    while process.poll() is None and time.monotonic() < start + 2:  # less than the first is given
        process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
    assert_interrupted(process, tmp_path)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="no /proc here")
def test_workers_of_a_killed_run_end(started, tmp_path):
    process = started(STUBBORN, "--jobs", "2")
    process.kill()
    process.wait()
    workers = [int(path.name.partition("-")[2]) for path in tmp_path.glob("pid-*")]
    assert len(workers) == 2
    wait_until(lambda: not any(alive(number) for number in workers))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_given_back(number, monkeypatch):
    monkeypatch.setattr("graphol.cli.signals.GRACE", 60)
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {each: signal.signal(each, handler) for each, handler in usual.items()}
    threads = threading.active_count()
    try:
        with pytest.raises(KeyboardInterrupt), heard():
            os.kill(os.getpid(), number)
        assert {each: signal.getsignal(each) for each in usual} == usual
        assert signal.set_wakeup_fd(-1) == -1 and threading.active_count() == threads
        cleaned, end = [], contextlib.ExitStack()
        end.callback(cleaned.append, "all")
        end.callback(os.kill, os.getpid(), number)  # `timeout` sends two; clean-up goes on
        with pytest.raises(KeyboardInterrupt), heard(), end:
            os.kill(os.getpid(), number)
        assert cleaned
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def test_who_handles_a_signal_goes_on(monkeypatch):
    monkeypatch.setattr("graphol.cli.signals.GRACE", 0.05)
    came = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: came.append(number))
    try:
        with heard():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.2)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert came == [signal.SIGTERM]


def test_who_ignores_a_signal_is_not_bothered():
    before = {each: signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        with heard():
            for each in before:
                os.kill(os.getpid(), each)
        assert all(signal.getsignal(each) is signal.SIG_IGN for each in before)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
