"""Error over the rounds of five learners on Cora, every label shown after the prediction."""

import graphol

LEARNERS = ("gpa", "oslg", "molg-f", "walk", "fastonl")

results = {}
for name in LEARNERS:
    result = graphol.simulate(name, "cora", repeats=range(100, 110))
    results[f"{name}, {100 * result.error_rate_mean:.1f} % in all"] = result
    print(f"{name} {100 * result.error_rate_mean:.2f} % wrong")
axes = graphol.plot(results)
axes.set_ylim(0.1, 0.5)
axes.figure.set_size_inches(7, 3.8)
axes.figure.savefig("picture.svg")
