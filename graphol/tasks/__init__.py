"""What is played: the kinds of game, and the scores of a linear model beyond its error rate."""

from graphol.tasks.kinds import LARGEST_NUMBER, NodeTask, OneVsRest, SignalTask
from graphol.tasks.switching import SequenceTask, SwitchTask

__all__ = [
    "LARGEST_NUMBER", "NodeTask", "OneVsRest", "SequenceTask", "SignalTask", "SwitchTask",
]  # fmt: skip
