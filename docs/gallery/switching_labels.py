"""Labels that switch without a word: who follows, and who has to unlearn."""

import graphol

results = {}
for name in ("kernel-perceptron", "perceptron-bank", "gaussian-bank"):
    result = graphol.simulate(name, "switching-sbm:nodes=200,T=800,S=6", repeats=1)
    results[name] = result
    (trace,) = result.traces
    print(f"{name}: {trace.n_mistakes} mistakes in {len(trace)} rounds")
axes = graphol.plot(results, window=40)
for mark in trace.meta["marks"]:
    axes.axvline(mark + 0.5, color="#5b626b", linewidth=0.8)
axes.figure.set_size_inches(6, 3.4)
axes.figure.savefig("picture.svg")
