"""Labelings that switch: one game on a block model, with a thin line at every switch."""

import graphol

results = {}
for name in ("kernel-perceptron", "matrix-winnow", "auto-winnow"):
    result = graphol.simulate(name, "switching-sbm", repeats=range(300, 301))
    (trace,) = result.traces
    results[f"{name}: {trace.n_mistakes} mistakes"] = result
    print(name, trace.n_mistakes, "mistakes")
axes = graphol.plot(results, window=50)
for mark in trace.meta["marks"]:
    axes.axvline(mark + 0.5, color="#5b626b", linewidth=0.5, zorder=0)
axes.set_ylim(0, 0.8)
axes.figure.set_size_inches(7, 3.6)
axes.figure.savefig("picture.svg")
