import numpy as np
from graphol_example.arow import Arow

import graphol
import graphol.testing


@graphol.testing.learner_checks(Arow(), Arow(b=0.1, enough=1.0))
def test_learner_conforms(component, check):
    check(component)


def test_both_loops_agree_with_dense_algebra():
    """A is kept and solved with, where the base keeps its inverse."""
    task = graphol.make("dataset", "sbm:nodes=200,classes=3").load(np.random.default_rng(0))
    embedding = graphol.make("embedding", "spectral:dim=10")
    task = task.embedded(lambda graph: embedding.embed(graph, np.random.default_rng(0)))
    full = graphol.make("feedback", "full")
    A, W, said = np.eye(10), np.zeros((3, 10)), []
    for compiled in (True, False):
        rng = np.random.default_rng(1)
        run = graphol.play(task, Arow(), full, rng, compiled=compiled)
        assert run.trace.meta["compiled"] == compiled
        if not said:
            for node, y in zip(run.trace.node, run.trace.label, strict=True):
                x = task.features.rows[node]
                f = W @ x
                said.append(f.argmax())
                second, first = np.sort(f)[-2:]
                if first - second < 0.5:
                    A += np.outer(x, x)
                    wrong = max((k for k in range(3) if k != y), key=lambda k: f[k])
                    step = (1 - (f[y] - f[wrong])) / 2 * np.linalg.solve(A, x)
                    W[y] += step
                    W[wrong] -= step
        np.testing.assert_array_equal(run.trace.predicted, said)
        np.testing.assert_allclose(run.state.W, W, atol=1e-9)
