"""GeneticTreeClassifier: a decision tree by a genetic algorithm, in the spirit of LEGAL-Tree.

`base.py` holds the course of a fit; the core is `core/src/evolution/bred_tree.cpp`.
"""

from __future__ import annotations

from typing import Any

from palmette import _core
from palmette.evolution.base import EvolvingClassifier
from palmette.evolution.history import Generation, history_of
from palmette.support.parameters import InvalidParameterError, check_number


class GeneticTreeClassifier(EvolvingClassifier):
    """A decision tree bred from one-feature stumps, in the spirit of LEGAL-Tree (Basgalupp et al. 2009).

    Of LEGAL-Tree only an outline was at hand: a genetic algorithm over trees that prefers accuracy, then the lower
    tree. This one assembles trees from stumps, chooses parents by tournament, exchanges random subtrees between them,
    collapses a subtree or grows a leaf now and then, and keeps the best of each generation.

    Parameters
    ----------
    population_size : int, default=200
        Trees in a generation.
    n_elite : int or None, default=None
        How many of them, the best, go over into the next generation unchanged. None: a twentieth of them, rounded down,
        and at least one.
    max_generations : int, default=100
    max_height : int, default=15
        Levels of a tree at most; a single leaf has one.
    initial_height : int, default=4
        Levels of the trees of the first generation, at most.
    tournament_size : int, default=3
        As many trees are drawn, and the best of them becomes a parent.
    crossover_rate : float, default=0.9
        How often two parents exchange a subtree.
    mutation_rate : float, default=0.1
        How often a child loses a subtree, or grows a stump from a leaf.
    n_iter_no_change : int or None, default=15
        Generations without a better best tree after which the evolution ends; None for no such end.
    n_pieces : int, default=10
        Beside the best cut of each feature on all training samples, there is a stump for its best cut on each of so
        many parts of them.
    tol : float, default=0.0
        Accuracies in the same step of this width count as equal, so that the lower tree is preferred.
    validation_size, categorical_features, time_limit, n_jobs, random_state
        See `EvolvedTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    history_ : tuple of Generation
        For each generation the best, mean and worst accuracy, height and number of nodes.
    classes_ : array
    used_features_ : list of str or list of int
    n_nodes_, n_leaves_, depth_, height_, n_generations_, n_trees_ : int
    feature_importances_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only if X had names.
    status_ : {"converged", "max_generations", "no_progress", "time_limit", "interrupted"}
        Why the evolution ended.

    Examples
    --------
    >>> from palmette import GeneticTreeClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = GeneticTreeClassifier(random_state=0).fit(X, y)
    >>> classifier.score(X, y) > 0.9
    True
    """

    _trees_per_elite = 20

    def __init__(
        self,
        population_size: int = 200,
        *,
        n_elite: int | None = None,
        max_generations: int = 100,
        max_height: int = 15,
        initial_height: int = 4,
        tournament_size: int = 3,
        crossover_rate: float = 0.9,
        mutation_rate: float = 0.1,
        n_iter_no_change: int | None = 15,
        n_pieces: int = 10,
        tol: float = 0.0,
        validation_size: float | None = 1 / 9,
        categorical_features: Any = "from_dtype",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.population_size = population_size
        self.n_elite = n_elite
        self.max_generations = max_generations
        self.max_height = max_height
        self.initial_height = initial_height
        self.tournament_size = tournament_size
        self.crossover_rate = crossover_rate
        self.mutation_rate = mutation_rate
        self.n_iter_no_change = n_iter_no_change
        self.n_pieces = n_pieces
        self.tol = tol
        self.validation_size = validation_size
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _options(self) -> _core.BreedingOptions:
        self._check_common()
        check_number("initial_height", self.initial_height, 2, integer=True)
        if self.initial_height > self.max_height:
            raise InvalidParameterError(
                f"`initial_height` must be at most `max_height`, which is {self.max_height}, but is "
                f"{self.initial_height}."
            )
        check_number("tournament_size", self.tournament_size, 1, 10**6, integer=True)
        check_number("crossover_rate", self.crossover_rate, 0, 1)
        check_number("mutation_rate", self.mutation_rate, 0, 1)
        check_number("n_iter_no_change", self.n_iter_no_change, 1, 10**6, integer=True, none_allowed=True)
        check_number("n_pieces", self.n_pieces, 0, 10**4, integer=True)
        options = _core.BreedingOptions()
        options.population_size = int(self.population_size)
        options.n_elite = self._elite_size()
        options.max_generations = int(self.max_generations)
        options.max_height = int(self.max_height)
        options.initial_height = int(self.initial_height)
        options.tournament_size = int(self.tournament_size)
        options.crossover_rate = float(self.crossover_rate)
        options.mutation_rate = float(self.mutation_rate)
        patience = self.max_generations + 1 if self.n_iter_no_change is None else self.n_iter_no_change
        options.patience = int(patience)
        options.n_pieces = int(self.n_pieces)
        options.tolerance = float(self.tol)
        return options

    def _run(self, *arguments: Any) -> _core.EvolutionRun:
        return _core.breed_tree(*arguments)

    def _history(self, run: _core.EvolutionRun, *, validated: bool, watched: bool) -> tuple[Generation, ...]:
        return history_of(run, validated=validated, watched=watched, model=None)
