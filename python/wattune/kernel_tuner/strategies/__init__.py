"""The strategies by Kernel Tuner's names: which of Wattune's searches, and how its options map."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..._errors import wrong
from ..errors import BudgetError
from ..refusals import STRATEGIES, refused

_ALWAYS = ("max_fevals", "time_limit", "x0", "searchspace_construction_options")


class Strategy(NamedTuple):
    """A strategy of Kernel Tuner's.

    `options` has each of its options with the name of Wattune's, or None for one that steers only Kernel Tuner's own
    code. `evaluations` is how many it usually makes, None for no limit.
    """

    name: str
    here: str
    options: Mapping[str, str | None]
    evaluations: int | None = None
    takes_start: bool = True  # the option x0

    @property
    def _options(self) -> dict[str, str | None]:
        """The options, under the name that Kernel Tuner's modules have for them."""
        return dict(self.options)


_DESCENT = {"neighbor": "neighbourhood", "restart": None}
_CLIMB = {**_DESCENT, "order": None, "randomize": None}
_POPULATION = {"popsize": "population", "maxiter": None, "constraint_aware": None}
_FRONT = {
    "popsize": "population", "crossover_operator": None, "crossover_prob": None, "mutation_prob": None,
    "ref_dirs_list": None,
}  # fmt: skip

TABLE = {
    each.name: each
    for each in (
        Strategy("brute_force", "exhaustive", {}, None, False),
        Strategy("random_sample", "random", {"fraction": "fraction"}, None, False),
        Strategy("minimize", "greedy_mls", {"method": None}),
        Strategy("basinhopping", "basin_hopping", {"method": None, "T": "temperature"}),
        Strategy("diff_evo", "differential_evolution",
                 {**_POPULATION, "popsize_times_dimensions": None, "F": "weight", "CR": "crossover_rate",
                  "method": None}),
        Strategy("genetic_algorithm", "genetic_algorithm",
                 {**_POPULATION, "method": "crossover", "mutation_chance": "mutation"}),
        Strategy("greedy_mls", "greedy_mls", _CLIMB, 100),
        Strategy("ordered_greedy_mls", "ordered_greedy_mls", _CLIMB, 100),
        Strategy("greedy_ils", "greedy_ils",
                 {**_DESCENT, "no_improvement": "no_improvement", "random_walk": "random_walk"}, 100),
        Strategy("dual_annealing", "dual_annealing", {"method": None}),
        Strategy("mls", "mls", _CLIMB, 100),
        Strategy("pso", "particle_swarm", {**_POPULATION, "w": "inertia", "c1": "own_pull", "c2": "swarm_pull"}),
        Strategy("simulated_annealing", "simulated_annealing",
                 {"T": "temperature", "T_min": "final_temperature", "alpha": "cooling", "maxiter": None,
                  "constraint_aware": None}),
        Strategy("firefly_algorithm", "firefly",
                 {**_POPULATION, "B0": "attraction", "gamma": "absorption", "alpha": "alpha"}),
        Strategy("bayes_opt", "bayesian_optimisation",
                 {"popsize": "initial", "covariancekernel": None, "covariancelengthscale": None, "method": None,
                  "samplingmethod": None}, 100, False),
        Strategy("hybrid_vndx", "hybrid_vndx",
                 {"budget": None, "k": "neighbours", "cand_pool": "pool", "restart_iter": "restart", "tabu_size": None,
                  "elite_size": "elite", "temp0": "temperature", "cooling": "cooling", "constraint_aware": None},
                 5000, False),
        Strategy("adaptive_tabu_greywolf", "tabu_grey_wolf",
                 {"budget": "budget", "pack_size": "pack", "tabu_factor": "tabu", "shake_rate": "shake",
                  "jump_rate": "jump", "stagn_limit": "patience", "restart_ratio": "scatter", "t0": "temperature",
                  "t_decay": "cooling", "t_min": None, "constraint_aware": None}, 5000, False),
        Strategy("nsga2", "nsga2", _FRONT, None, False),
        Strategy("nsga3", "nsga3", _FRONT, None, False),
    )
}  # fmt: skip
"""The strategies by their names."""

_CHOICES = {
    "neighbourhood": ("Hamming", "adjacent", "strictly-adjacent"),
    "crossover": ("single_point", "two_point", "uniform", "disruptive_uniform"),
}
"""Options that are names, in the order of Wattune's numbers."""


class Plan(NamedTuple):
    """What strategy and options ask of a search."""

    strategy: str
    options: dict[str, float]
    evaluations: int | None
    seconds: float | None
    fraction: float | None


def named(strategy: Any) -> str:
    """Returns the name of a strategy: a text, or an attribute of kernel_tuner.strategies.

    Raises RefusedError for strategies that are not to be had, InvalidArgumentError for names that nobody knows.
    """
    if strategy is None:
        return "brute_force"
    if isinstance(strategy, Strategy):
        return strategy.name
    if not isinstance(strategy, str):
        instead = "wattune.Search proposes configurations, and a program of one's own measures them"
        raise refused(f"strategy of one's own (`{type(strategy).__name__}`)", instead)
    if strategy in STRATEGIES:
        raise refused(f"strategy {strategy!r}", STRATEGIES[strategy])
    if strategy not in TABLE:
        raise wrong("there is no such strategy", strategy, ", ".join(TABLE))
    return strategy


def planned(strategy: Any, options: Mapping[str, Any] | None) -> Plan:
    """Returns what a strategy and its options ask for.

    Raises InvalidArgumentError for an option that the strategy does not have, and warns of one that changes nothing.
    """
    found = TABLE[named(strategy)]
    given = dict(options or {})
    evaluations = given.get("max_fevals")
    seconds = given.get("time_limit")
    _check(found, given)
    mapped: dict[str, float] = {}
    fraction = given.pop("fraction", 0.1) if found.name == "random_sample" else None
    for name, value in given.items():
        if name in _ALWAYS:
            continue
        here = found.options[name]
        if here is None:
            warnings.warn(f"option `{name}` of strategy {found.name!r} changes nothing in Wattune", stacklevel=3)
        elif here in _CHOICES:
            if value not in _CHOICES[here]:
                raise wrong(f"the option `{name}` has no such value", value, ", ".join(_CHOICES[here]))
            mapped[here] = float(_CHOICES[here].index(value))
        else:
            mapped[here] = float(value)
    if evaluations is None and seconds is None:
        evaluations = found.evaluations
    return Plan(found.here, mapped, evaluations, seconds, fraction if evaluations is None else None)


def _check(strategy: Strategy, given: Mapping[str, Any]) -> None:
    seconds, evaluations = given.get("time_limit"), given.get("max_fevals")
    if strategy.name != "brute_force" and seconds is not None and seconds <= 0:
        raise BudgetError(f"the startup time of the tuning process is longer than `time_limit`, {seconds} s")
    taken = [name for name in _ALWAYS if strategy.takes_start or name != "x0"]
    if strategy.name == "brute_force":
        taken = ["searchspace_construction_options"]
    for name in given:
        if name not in taken and name not in strategy.options:
            allowed = ", ".join([*strategy.options, *taken])
            raise wrong(f"the strategy {strategy.name!r} has no option", name, f"it has {allowed}")
    if evaluations is not None and evaluations <= 0:
        raise wrong("`max_fevals` must be greater than zero", evaluations)


def __getattr__(name: str) -> Strategy:
    if name in TABLE:
        return TABLE[name]
    if name in STRATEGIES:
        raise refused(f"strategy {name!r}", STRATEGIES[name])
    raise AttributeError(f"module 'wattune.kernel_tuner.strategies' has no attribute {name!r}")
