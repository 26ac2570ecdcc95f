"""The game in one diagram: a node arrives, the learner predicts, a protocol reveals, it learns."""

import matplotlib.pyplot as plt
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

INK, SOFT, BLUE, ORANGE, GREEN = "#1b1f24", "#5b626b", "#2f7fc1", "#c8641a", "#2a9257"
NODES = {
    "ann": (0.5, 2.9), "bob": (1.5, 3.3), "cyd": (1.25, 2.2), "dan": (2.1, 1.5),
    "eve": (1.2, 0.9), "fay": (0.4, 1.5),
}  # fmt: skip
EDGES = ("ann bob", "ann cyd", "bob cyd", "cyd dan", "dan eve", "eve fay", "dan fay")
KNOWN = {"ann": BLUE, "bob": BLUE, "fay": ORANGE, "eve": ORANGE}


def box(axes, x, y, title, lines, colour):
    axes.add_patch(
        FancyBboxPatch((x, y), 3.0, 1.65, boxstyle="round,pad=0.05", fc="none", ec=colour, lw=1.8)
    )
    axes.text(x + 1.5, y + 1.35, title, ha="center", va="center", color=INK, weight="bold")
    axes.text(x + 1.5, y + 0.6, lines, ha="center", va="center", color=INK)


def arrow(axes, start, end, text="", at=(0, 0), bend=0.0):
    axes.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle="-|>", mutation_scale=14, color=SOFT, lw=1.4,
            connectionstyle=f"arc3,rad={bend}",
        )
    )  # fmt: skip
    x, y = (start[0] + end[0]) / 2 + at[0], (start[1] + end[1]) / 2 + at[1]
    axes.text(x, y, text, ha="center", va="center", color=SOFT)


figure, axes = plt.subplots(figsize=(6.8, 3.0))
for pair in EDGES:
    (x, y), (u, v) = (NODES[name] for name in pair.split())
    axes.plot([x, u], [y, v], color=SOFT, lw=1.2, zorder=1)
for name, place in NODES.items():
    asked = name == "cyd"
    inside, width = KNOWN.get(name, "#ffffff"), 2.4 if asked else 1.2
    axes.add_patch(Circle(place, 0.24, fc=inside, ec=INK if asked else SOFT, lw=width, zorder=2))
    if asked:
        axes.text(*place, "?", ha="center", va="center", color=INK, zorder=3, weight="bold")
axes.text(1.25, 0.25, "a graph; labels cost money", ha="center", color=SOFT)
box(axes, 3.15, 2.35, "learner", "predicts a class\nfrom what it has learnt", BLUE)
told = "full: the label\nbandit: right or wrong\nselective: if it pays"
box(axes, 7.6, 2.35, "protocol", told, ORANGE)
then = "the model changes,\nmicroseconds later the\nnext node arrives"
box(axes, 5.4, -0.1, "update", then, GREEN)
arrow(axes, (1.55, 2.3), (3.05, 3.0), "1. arrives", (0.3, -0.55))
arrow(axes, (6.25, 3.2), (7.5, 3.2), "2. “tea”", (0, 0.28))
arrow(axes, (9.1, 2.25), (8.55, 0.85), "3. reveals", (1.05, -0.1))
arrow(axes, (5.3, 0.85), (4.6, 2.25), "4. learns", (-1.0, -0.1))
axes.set(xlim=(-0.3, 10.75), ylim=(-0.25, 4.15), aspect="equal")
axes.set_axis_off()
figure.savefig("picture.svg")
print("a picture without figures")
