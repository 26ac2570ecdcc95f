"""What is played: the kinds of game, and the scores of a linear model beyond its error rate."""

from graphol.tasks.kinds import LARGEST_NUMBER, NodeTask, OneVsRest, SignalTask, SwitchTask

__all__ = ["LARGEST_NUMBER", "NodeTask", "OneVsRest", "SignalTask", "SwitchTask"]
