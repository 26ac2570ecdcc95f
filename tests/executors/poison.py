"""A plugin file with tasks that harm their process; workers load it before they play."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import graphol


def square(x):
    return x * x


def pid():
    return os.getpid()


def wait_for(path, seconds=60.0):
    """Until the file is there."""
    end = time.monotonic() + seconds
    while not Path(path).exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    return str(path)


def begun(path):
    """Leaves its process's number, whole, and stays."""
    Path(f"{path}.new").write_text(str(os.getpid()))
    os.rename(f"{path}.new", path)
    time.sleep(600)


def begun_with_the_lock(path):
    """The same, and never lets go of the interpreter's lock."""
    Path(f"{path}.new").write_text(str(os.getpid()))
    os.rename(f"{path}.new", path)
    re.match("(a+)+$", "a" * 60 + "b")


def begun_with_a_child(path):
    """The same, with a program that it has started."""
    child = subprocess.Popen(["sleep", "600"])
    Path(f"{path}.new").write_text(str(child.pid))
    os.rename(f"{path}.new", path)
    time.sleep(600)


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def crash():
    ctypes.string_at(0)


def end(code):
    os._exit(code)


def leave(code):
    sys.exit(code)


def hang():
    time.sleep(600)


def allocate(size):
    return int(np.ones(size, dtype=np.uint8)[-1])


def refuse(text):
    raise graphol.InputError(text)


class Odd(Exception):
    """Can be packed, and not unpacked."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def odd():
    raise Odd(1, 2)


def unsendable():
    return lambda: None


def threads():
    from threadpoolctl import threadpool_info

    return max(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")


def play(learner, seed):
    found = graphol.simulate(learner, "sbm:nodes=60", repeats=1, seed=seed, compiled=False)
    return found.traces[0].predicted.tobytes()


def kill_who_started_it():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)


def begun_then(path, go):
    """Leaves the number of the process that started its own, and waits."""
    Path(f"{path}.new").write_text(str(os.getppid()))
    os.rename(f"{path}.new", path)
    return wait_for(go)


POISON = {
    "kill": (kill, (), "killed"),
    "crash": (crash, (), "killed"),
    "end": (end, (3,), "killed"),
    "hang": (hang, (), "timeout"),
    "allocate": (allocate, (8 * 10**9,), "memory"),
    "leave": (leave, (0,), None),
}
"""Tasks, their arguments, and why their futures say that they died (None: they only failed)."""
