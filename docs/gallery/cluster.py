"""Many games on many processes; the same program plays on a cluster."""

import matplotlib.pyplot as plt

import graphol

if __name__ == "__main__":  # worker processes import this file, too
    found = graphol.sweep(
        {"learner": ["gpa", "molg-f", "molg-b"], "dataset": "sbm:nodes=300", "repeats": 6},
        out="kept",  # what is done is not played again: stop it, start it again
        executor="process",  # or "dask:scheduler=tcp://10.0.0.1:8786", or "slurm"
        jobs=2,
    )
    errors = {}
    for cell in found.simulations().values():
        errors.setdefault(cell.recipe["learner"]["name"], []).append(100 * cell.error_rate_mean)
    for name, each in errors.items():
        print(f"{name}: {len(each)} games, {sum(each) / len(each):.2f} % wrong")
    axes = plt.subplots(figsize=(6, 3))[1]
    axes.boxplot(list(errors.values()), tick_labels=list(errors))
    axes.set_ylabel("wrong, %")
    axes.figure.savefig("picture.svg")
