"""A graph that grows: new nodes join with their edges while the predictor plays."""

import matplotlib.pyplot as plt
import numpy as np

import graphol

rng = np.random.default_rng(1)
whole = graphol.make("dataset", "sbm:nodes=300,classes=3").load(rng).graph
names = [f"class {k}" for k in whole.labels]
start = whole.subgraph(np.arange(150))
A = whole.adjacency

predictor = graphol.Predictor("molg-f", start.unlabelled, classes=sorted(set(names)))
wrong = []


def play(nodes):
    for node in nodes:
        ticket = predictor.ask(int(node))
        wrong.append(ticket.label != names[node])
        predictor.tell(ticket, label=names[node])


play(rng.permutation(150))
joined = []
for first in range(150, 300, 50):
    new = np.arange(first, first + 50)
    pairs = [(i, int(j)) for i in new for j in A.indices[A.indptr[i] : A.indptr[i + 1]] if j < i]
    growth = predictor.add_nodes(
        [int(i) for i, _ in pairs], [j for _, j in pairs], ids=[int(i) for i in new]
    )
    joined.append(len(wrong))
    print(f"{growth.nodes} nodes and {growth.edges} edges joined; asked anew: {growth.replayed}")
    play(rng.permutation(new))
first, rest = 100 * np.mean(wrong[:150]), 100 * np.mean(wrong[150:])
print(f"{first:.1f} % of the first 150 wrong, {rest:.1f} % of those that joined")

axes = plt.subplots(figsize=(6, 3))[1]
axes.plot(np.arange(39, 300), 100 * np.convolve(wrong, np.ones(40) / 40, "valid"))
for t in joined:
    axes.axvline(t, color="#5b626b", linewidth=0.8)
axes.set(xlabel="node", ylabel="wrong, % of the last 40")
axes.figure.savefig("picture.svg")
