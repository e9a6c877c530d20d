"""EvolvedTreeClassifier: Ardennes, a decision tree by an estimation-of-distribution algorithm.

`base.py` holds the course of a fit; the core is `core/src/evolution/evolved_tree.cpp`.
"""

from __future__ import annotations

from typing import Any

from palmette import _core
from palmette.evolution.base import EvolvingClassifier
from palmette.evolution.history import Generation, history_of
from palmette.support.parameters import check_flag


class EvolvedTreeClassifier(EvolvingClassifier):
    """A decision tree that a population of trees converges to (Ardennes; Cagnini, Barros & Basgalupp 2017).

    A model says how probable each feature is at each place of a complete tree. Trees are drawn from it, node by node,
    with the cut of the best gain ratio for the feature drawn; the better ones say what the model will be, the others
    are drawn anew from it, and so on, until all are as good as each other.

    Parameters
    ----------
    population_size : int, default=200
        Trees in a generation.
    n_elite : int or None, default=None
        How many of them, the best, survive and make the model. None: half of them, rounded down.
    max_generations : int, default=100
        Generations after the first population.
    max_height : int, default=9
        Levels of a tree at most; a single leaf has one.
    tol : float, default=0.0
        Accuracies in the same step of this width count as equal, so that the lower tree is preferred.
    validation_size : float or None, default=1/9
        The share of the samples, stratified, that trees are not grown on: of the last generation the tree with the best
        mean of training and validation accuracy is the answer. None: the best of the training samples is.
    record_distribution : bool, default=True
        Whether `history_` keeps the models of the generations. A model takes as little room as the elite, usually some
        kilobytes; beyond 64 MB in all, only those of every second, fourth, … generation and of the last are kept.
    categorical_features : "from_dtype", None, or list of names, of indices, or mask, default="from_dtype"
        Which columns are nominal; see the page "Data in".
    time_limit : float or None, default=None
        Seconds after which no further generation is drawn.
    n_jobs : int or None, default=None
        Threads; -1 for all cores. The tree does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the draws and of the validation split.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    history_ : tuple of Generation
        For each generation the best, mean and worst accuracy, height and number of nodes, and the model.
    classes_ : array
    used_features_ : list of str or list of int
        The features that the tree tests.
    n_nodes_, n_leaves_, depth_, height_, n_generations_, n_trees_ : int
    feature_importances_ : array
        The share of each feature in the total gain.
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.
    status_ : {"converged", "max_generations", "time_limit", "interrupted"}
        Why the evolution ended.

    Notes
    -----
    The paper knows numbers only, without missing values. Beyond it, and as in `C45Classifier`: a nominal feature has a
    branch for each category, and a sample with a missing value goes down all branches with fractions of its weight;
    where such a sample is judged, the fractions in leaves of its own class count as right.

    Examples
    --------
    >>> from palmette import EvolvedTreeClassifier
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> classifier = EvolvedTreeClassifier(random_state=0).fit(iris.data, iris.target)
    >>> classifier.status_, classifier.height_ <= 9
    ('converged', True)
    >>> classifier.score(iris.data, iris.target) > 0.97
    True
    """

    _trees_per_elite = 2

    def __init__(
        self,
        population_size: int = 200,
        *,
        n_elite: int | None = None,
        max_generations: int = 100,
        max_height: int = 9,
        tol: float = 0.0,
        validation_size: float | None = 1 / 9,
        record_distribution: bool = True,
        categorical_features: Any = "from_dtype",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.population_size = population_size
        self.n_elite = n_elite
        self.max_generations = max_generations
        self.max_height = max_height
        self.tol = tol
        self.validation_size = validation_size
        self.record_distribution = record_distribution
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _options(self) -> _core.EvolutionOptions:
        self._check_common()
        check_flag("record_distribution", self.record_distribution)
        options = _core.EvolutionOptions()
        options.population_size = int(self.population_size)
        options.n_elite = self._elite_size()
        options.max_generations = int(self.max_generations)
        options.max_height = int(self.max_height)
        options.tolerance = float(self.tol)
        options.record_distribution = bool(self.record_distribution)
        return options

    def _run(self, *arguments: Any) -> _core.EvolutionRun:
        return _core.evolve_tree(*arguments)

    def _history(self, run: _core.EvolutionRun, *, validated: bool, watched: bool) -> tuple[Generation, ...]:
        model = (self._elite_size(), self.n_features_in_, int(self.max_height))
        return history_of(run, validated=validated, watched=watched, model=model if self.record_distribution else None)
