"""Where tasks are played: one executor per file, each starts a ``concurrent.futures.Executor``."""

from graphol.executors.died import TaskDied

__all__ = ["TaskDied"]
