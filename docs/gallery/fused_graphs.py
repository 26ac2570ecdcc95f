"""Three graphs over the same nodes, one of which says nothing: added up, and weighed."""

import matplotlib.pyplot as plt
import numpy as np

import graphol

rng = np.random.default_rng(0)
topic = rng.integers(3, size=150)
same = topic[:, None] == topic


def draw(p_same, p_other, name):
    upper = np.triu(rng.random(same.shape) < np.where(same, p_same, p_other), 1)
    return graphol.Graph((upper | upper.T).astype(float), name=name).labelled(topic)


layers = [draw(0.10, 0.015, "cites"), draw(0.06, 0.01, "authors"), draw(0.12, 0.12, "venues")]
errors = {}
for layer in layers:
    errors[layer.name] = graphol.simulate("molg-f", layer, repeats=5)
three = graphol.NodeTask(tuple(layers), name="three graphs")
errors["added up"] = graphol.simulate("molg-f", three, repeats=5)
errors["weighed by 30 labels"] = graphol.simulate("molg-f", three, repeats=5, fuse=30)
for name, result in errors.items():
    print(f"{name}: {100 * result.error_rate_mean:.1f} % wrong")

axes = plt.subplots(figsize=(6, 3))[1]
names = list(errors)[::-1]
axes.barh(names, [100 * errors[name].error_rate_mean for name in names])
axes.set_xlabel("wrong, %")
axes.figure.savefig("picture.svg")
