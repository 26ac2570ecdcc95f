"""A bandit whose answers are sometimes false: how much noise is too much?"""

import matplotlib.pyplot as plt

import graphol

NOISE = (0.0, 0.15, 0.3)
axes = plt.subplots(figsize=(6, 3.2))[1]
for learner in ("molg-b", "oslg-bandit"):
    errors = []
    for p in NOISE:
        result = graphol.simulate(learner, "sbm:nodes=400", noise=p, repeats=range(100, 103))
        errors.append(100 * result.error_rate_mean)
    axes.plot(NOISE, errors, "o-", label=learner)
    print(learner, *(f"{error:.1f}" for error in errors))
axes.set(
    xlabel="probability that the answer is about another class", ylabel="wrong, %", ylim=(0, None)
)
axes.legend()
axes.figure.savefig("picture.svg")
