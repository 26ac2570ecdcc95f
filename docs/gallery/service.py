"""A service that recommends, hears a click or none, late, and survives a restart."""

import matplotlib.pyplot as plt
import numpy as np

import graphol

rng = np.random.default_rng(0)
graph = graphol.make("dataset", "sbm:nodes=400,classes=4").load(rng).graph
liked, shops = graph.labels, ["books", "music", "garden", "games"]
predictor = graphol.Predictor("molg-b", graph.unlabelled, classes=shops, max_age=3600)

clicks, waiting = [], []
for i, node in enumerate(rng.permutation(graph.n)):
    ticket = predictor.ask(graph.ids[node])
    waiting.append((ticket, shops.index(ticket.label) == liked[node]))
    clicks.append(waiting[-1][1])
    if len(waiting) > 20:  # answers come twenty visitors late
        late, clicked = waiting.pop(0)
        predictor.tell(late, correct=bool(clicked))
    if i == 200:
        predictor.save("state.npz")
        predictor = graphol.Predictor.load("state.npz")  # as after a restart

first, last = np.mean(clicks[:100]), np.mean(clicks[-100:])
print(f"{first:.2f} of the first hundred visitors clicked, {last:.2f} of the last")
print(len(predictor.waiting), "questions wait for their answer")
axes = plt.subplots(figsize=(6, 3))[1]
axes.plot(np.arange(40, 401), np.convolve(clicks, np.ones(40) / 40, "valid"))
axes.set(xlabel="visitors so far", ylabel="clicked, of the last 40", ylim=(0, 1.05))
axes.figure.savefig("picture.svg")
