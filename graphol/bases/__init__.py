"""One base per kind of model: a learner of a known kind is its parameters and two or three rules.

A rule is a static method that looks at numbers and small arrays and says what to do; its last
parameters are hyper-parameters of the learner, by name. A base makes ``start``, ``predict``,
``update``, ``grow`` and the compiled ``stream`` of the rules, so that both loops play the same
lines. Rules must be such that numba can compile them: loops, arithmetic, numpy's functions, and
plain functions of their own.

==================  =================================  =========================================
kind of model       base                               rules
==================  =================================  =========================================
one inverse         :class:`SharedInverse`             ``decide``, and ``ask``
one per class       :class:`PerClassBandit`            ``value``, ``weigh``, and ``reach``
one against rest    :class:`OneAgainstRest`            ``decide``, and ``ask``
first order         :class:`FirstOrder`                ``move``, and ``choose``
signals             :class:`SignalLearner`             ``move``
with projections    :class:`HeadAndTail`               ``aim`` and ``move``
==================  =================================  =========================================

What several learners have in common besides is added to their base: :mod:`graphol.bases.steps` for
signals, :mod:`graphol.bases.draws` and :mod:`graphol.bases.adaptive` for nodes.

Rules may call :func:`rival`, the best-scored other class, and write loops over long vectors with
:func:`entries`, which are fast in both loops.
"""

from graphol.bases.first_order import FirstOrder
from graphol.bases.head_tail import HeadAndTail
from graphol.bases.inverse import rival
from graphol.bases.one_against_rest import OneAgainstRest
from graphol.bases.per_class import PerClassBandit
from graphol.bases.shared import SharedInverse
from graphol.bases.signal import SignalLearner
from graphol.standins import entries

__all__ = [
    "FirstOrder",
    "HeadAndTail",
    "OneAgainstRest",
    "PerClassBandit",
    "SharedInverse",
    "SignalLearner",
    "entries",
    "rival",
]
