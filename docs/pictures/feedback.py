"""What is revealed decides: Cora with every label, with labels that are asked for, with one bit."""

import matplotlib.pyplot as plt
import numpy as np

import graphol
from graphol.report.curve import cumulative_error

PLAYERS = (
    ("molg-f", "full", "every label"),
    ("msg", "selective", "labels it asks for"),
    ("molg-b", "bandit", "right or wrong"),
)

errors, known = {}, {}
figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.4), sharey=True)
for name, feedback, told in PLAYERS:
    result = graphol.simulate(name, "cora", feedback=feedback, repeats=range(100, 110))
    mean = 100 * cumulative_error(result.traces)[0]
    revealed = np.mean([np.cumsum(trace.answered) for trace in result.traces], axis=0)
    labels = revealed
    if feedback == "bandit":  # a bit that says "right" gives the label away
        labels = np.mean([np.cumsum(trace.loss == 0) for trace in result.traces], axis=0)
    at = np.unique(np.linspace(20, len(mean) - 1, 200).astype(int))
    (line,) = left.plot(at, mean[at], label=f"{name}, {feedback}: {told}")
    right.plot(labels[at], mean[at], color=line.get_color())
    said = f"{revealed[-1]:.0f} answers, {labels[-1]:.0f} labels"
    print(f"{name} {feedback} {mean[-1]:.2f} % wrong, {said}")
    errors[name], known[name] = mean, labels
for name in ("msg", "molg-b"):
    rounds = int(known[name][-1])
    same, its = errors["molg-f"][rounds - 1], errors[name][-1]
    print(f"molg-f in its first {rounds} rounds {same:.2f} % wrong, {name} in all {its:.2f} %")
left.set(xlabel="round", ylabel="wrong so far, %", ylim=(0, 70))
right.set(xlabel="labels known so far")
left.legend(loc="upper right", fontsize="small")
figure.savefig("picture.svg")
