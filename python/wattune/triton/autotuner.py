"""Autotuner: Triton's autotuner, with candidates that run in a worker process and winners that are kept."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Any

from triton.runtime import autotuner as triton_autotuner
from triton.runtime.autotuner import Config, Heuristics
from triton.runtime.driver import driver

from .. import _core
from .._calls import arrays, workers
from .._calls.bench import Job
from .._calls.choosing import Budget, Call, choose, tune
from .._calls.places import say
from .._calls.shipping import ship
from .._calls.winners import LIST, Kernel, Key, Winners
from .._errors import Error, wrong
from .._space import Space
from .._types import Configuration, Constraint
from .compiled_graphs import Kinds, Values, traces, winner_only
from .configurations import ConfigList, cache_variables, config_of, digits, kernel_of
from .launching import Candidate, TritonLauncher

_OPTIONS = {"num_warps", "num_stages", "num_ctas"}
_SCALARS = frozenset((int, float, bool, str, type(None)))
_autotuners: weakref.WeakSet[Autotuner] = weakref.WeakSet()
_NO_EFFECT = ("warmup", "rep", "use_cuda_graph", "do_bench", "cache_results")


class Autotuner(triton_autotuner.Autotuner):  # type: ignore[misc]
    """A kernel whose configuration is chosen by what is known or, once for each key, by tuning in a worker process.

    autotune() makes it. It is an autotuner of Triton: `configs`, `cache`, `best_config` and `fn` are as there.
    """

    nargs: dict[str, Any] | None

    def __init__(
        self,
        fn: Any,
        configs: Sequence[Config] | None,
        key: Sequence[str],
        *,
        space: Space | None,
        outputs: Sequence[str] | None,
        check: Callable[..., object] | None,
        winners: Winners,
        budget: Budget,
        cold: bool,
        **options: Any,
    ) -> None:
        shown = list(configs) if configs else [config_of(space.default_configuration())] if space is not None else []
        _core.expect_leaks()  # kernels live as long as their modules
        self._space = space
        self._winner_first: Config | None = None
        self._winner_only: Callable[..., list[Config]] | None = None
        self._prunes = False
        # PyTorch 2.11 cannot trace a prune function if it has to apply heuristics or to pass options as arguments.
        self._shows_one = isinstance(fn, Heuristics) or bool(_OPTIONS & set(fn.arg_names))
        super().__init__(fn, fn.arg_names, shown, list(key), **options)
        self._outputs = None if outputs is None else list(outputs)
        self._check = check
        self._winners = winners
        self._budget = budget
        self._cold = cold
        self._keyed = [(fn.arg_names.index(name), name) for name in self.keys if name in fn.arg_names]
        self._ready: dict[tuple[Any, ...], tuple[Config, dict[str, Any]]] = {}
        self._kernel: Kernel | None = None
        self._lists: dict[tuple[int, ...], ConfigList] = {}
        _autotuners.add(self)
        self._jit = fn
        while isinstance(self._jit, Heuristics):
            self._jit = self._jit.fn
        unknown = [name for name in self._outputs or () if name not in fn.arg_names]
        if unknown:
            raise wrong(f"{fn.__name__} has no such argument", ", ".join(unknown), "outputs are names of arguments")

    @property
    def configs(self) -> list[Config]:
        """The list, or for a space the default and the winners that were met."""
        if traces():
            if self._shows_one:
                return [self._winner_first or self._configs[0]]
            if self._space is not None:
                for each in self._winners.every(self._identity(), arrays.library("torch").device()):
                    self._add(config_of(each))
        return self._configs

    @configs.setter
    def configs(self, configs: list[Config]) -> None:
        self._configs = configs

    @property
    def early_config_prune(self) -> Callable[..., Any] | None:
        """The user's function; for PyTorch, which asks for it too, one that leaves the recorded winner."""
        if self._prunes or self._shows_one or "torch" not in sys.modules:
            return self._own_prune
        if self._winner_only is None:
            self._winner_only = winner_only(self)
        return self._winner_only

    @early_config_prune.setter
    def early_config_prune(self, function: Callable[..., Any] | None) -> None:
        self._own_prune = function

    @property
    def perf_model(self) -> Callable[..., Any] | None:
        """The user's function, which PyTorch need not know."""
        return self._own_model if self._prunes or self._shows_one else None

    @perf_model.setter
    def perf_model(self, function: Callable[..., Any] | None) -> None:
        self._own_model = function

    def _add(self, config: Config) -> Config:
        """Adds a winner of a space to the configurations, which hold each once."""
        if config not in self._configs:
            self._configs.append(config)
        return self._configs[self._configs.index(config)]

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the kernel in its best known configuration, and tunes first if that is due."""
        count = len(args)
        key: list[Any] = [args[at] if at < count else kwargs.get(name) for at, name in self._keyed]
        for each in args:
            if each.__class__ not in _SCALARS and hasattr(each, "dtype"):
                key.append(each.dtype)
                key.append(each.stride() if hasattr(each, "stride") else each.shape)
        for each in kwargs.values():
            if each.__class__ not in _SCALARS and hasattr(each, "dtype"):
                key.append(each.dtype)
        key.append(driver.active.get_current_device())
        ready = self._ready.get(tuple(key))
        if ready is None:
            ready = self._choose(tuple(key), args, kwargs)
        config, options = ready
        self.best_config = config
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(self.arg_names, args)), **kwargs, **options})
        return self.fn.run(*args, **kwargs, **options)

    def _choose(
        self, quick: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Config, dict[str, Any]]:
        """Finds the configuration for a key that this process did not meet yet."""
        named = dict(zip(self.arg_names, args))
        self.nargs = named
        grid = kwargs.get("grid")
        others = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
        try:
            config, lasting = self._config_for(named, others, grid)
        finally:
            self.nargs = None
        ready = config, config.all_kwargs()
        if lasting:
            self._ready[quick] = ready
            self.cache[quick] = config
        return ready

    def _config_for(self, named: dict[str, Any], others: dict[str, Any], grid: Any) -> tuple[Config, bool]:
        interpreted = not hasattr(self._jit, "src")  # TRITON_INTERPRET=1
        if interpreted or (self._space is None and len(self.configs) <= 1):
            return self.configs[0], True
        try:
            call = self._call(named, others, grid)
        except Error as error:
            say((self, "call"), f"{self.base_fn.__name__} runs its first configuration: {error}")
            return self.configs[0], True
        if call is None:
            return self.configs[0], True
        capturing = call.capturing()
        known = choose(call, self._winners, self._budget, may_tune=not capturing)
        config = None if known is None else self._config(named, others, known.configuration)
        if config is not None:
            self._winner_first = config
        return config or self.configs[0], not capturing

    def prune_configs(self, kwargs: dict[str, Any]) -> list[Config]:
        """Returns what the user's `prune_configs_by` leaves of the list."""
        self._prunes = True
        try:
            pruned: list[Config] = super().prune_configs(kwargs)
        finally:
            self._prunes = False
        return pruned

    def place_of_winner(self, values: Values, kinds: Kinds) -> int:
        """Returns the place in `configs` of the winner for a call that PyTorch traces."""
        given = ConfigList(self._configs) if self._space is None else None
        space = given.space if given is not None else self._space
        assert space is not None
        default = given.default if given is not None else space.default_configuration()
        layouts = [(name, dtype, "" if how is None else arrays.order_of(*how)) for name, dtype, how in kinds]
        key = self._key(dict(values), layouts, space)
        device = arrays.library("torch").device()
        call = Call(self._identity(), key, device, space, default, Job, Candidate, [])  # type: ignore[arg-type]
        known = choose(call, self._winners, self._budget, may_tune=False)
        if known is None:
            return 0
        if given is not None:
            config = given.config(known.configuration)
            return next((i for i, each in enumerate(self._configs) if each is config), 0)
        config = config_of(known.configuration)
        return self._configs.index(config) if config in self._configs else 0

    def _identity(self) -> Kernel:
        if self._kernel is None:
            self._kernel = kernel_of(self._jit)
        return self._kernel

    def tune(self, named: dict[str, Any], grid: Any, *, file: str | os.PathLike[str] | None = None) -> Configuration:
        """Tunes the key of a call whose arrays need no memory, unless it is known, and returns the winner."""
        self.nargs = named
        try:
            call = self._call(named, {}, grid)
        finally:
            self.nargs = None
        if call is None:
            return {}
        return tune(call, self._winners, self._budget, file=file).configuration

    def _list(self, others: dict[str, Any]) -> ConfigList:
        configs = self.prune_configs(others)
        at = tuple(map(id, configs))
        if at not in self._lists:
            self._lists[at] = ConfigList(configs)
        return self._lists[at]

    def _config(self, named: dict[str, Any], others: dict[str, Any], configuration: Configuration) -> Config | None:
        if self._space is not None:
            return self._add(config_of(configuration))
        return self._list(others).config(configuration)

    def _call(self, named: dict[str, Any], others: dict[str, Any], grid: Any) -> Call | None:
        """Returns what tuning needs to know of a call; None if there is nothing to choose."""
        taken = sorted(others.keys() & (set(self.configs[0].kwargs) if self.configs else set()))
        if taken:
            raise ValueError(
                f"Conflicting meta-parameters: {', '.join(taken)}. Do not pass what the autotuner chooses."
            )
        given = self._list(others) if self._space is None else None
        space = given.space if given is not None else self._space
        assert space is not None
        if space.exact() and space.count() < 2:
            return None
        default = given.default if given is not None else space.default_configuration()
        arguments = {**named, **{name: value for name, value in others.items() if name in self.arg_names}}
        described = arrays.Described(arguments)
        library = described.library or arrays.loaded_library()
        if library is None:
            return None
        module = arrays.library(library)
        workers.shared.update(cache_variables())
        target = driver.active.get_current_target()

        def job() -> Job:
            hook = ship(self.pre_hook) if self.user_defined_pre_hook else None
            return Job(
                library,
                TritonLauncher(ship(self._jit), hook),
                described.nodes,
                described.with_contents(),
                self._outputs,
                None if self._check is None else ship(self._check),
                [] if hook else [name for name in self.reset_to_zero if name in arguments],
                [] if hook else [name for name in self.restore_value if name in arguments],
                self._cold,
                arrays.LIBRARIES[library],
            )

        def candidate(configuration: Configuration) -> Candidate:
            config = config_of(configuration) if given is None else given.config(configuration)
            assert config is not None
            return self._candidate(configuration, config, arguments, others, grid)

        return Call(
            self._identity(),
            self._key(arguments, arrays.kinds(arguments), space),
            module.device(),
            space,
            default,
            job,
            candidate,
            ["wattune.triton.preloaded", arrays.LIBRARIES[library]],
            ("wattune.triton.compiler", (str(target.backend), str(target.arch), str(target.warp_size))),
            given is not None,
            module.finish,
            module.capturing,
        )

    def _key(self, values: Mapping[str, Any], kinds: Sequence[tuple[str, str, str]], space: Space) -> Key:
        key: Key = {}
        for name in self.keys:
            if name in values:
                value = values[name]
                key[name] = value if isinstance(value, (bool, int, float, str)) else repr(value)
        key.update(arrays.types_and_layouts(kinds))
        key[LIST] = digits(space.content_hash(), 8)
        return key

    def _candidate(
        self, configuration: Configuration, config: Config, arguments: dict[str, Any], others: dict[str, Any], grid: Any
    ) -> Candidate:
        """Evaluates heuristics and the grid for a configuration."""
        chosen = {**others, **config.all_kwargs()}
        fn = self.fn
        while isinstance(fn, Heuristics):
            for name, heuristic in fn.values.items():
                chosen[name] = heuristic({**arguments, **chosen})
            fn = fn.fn
        defaults = {each.name: each.default for each in self._jit.params if each.has_default}
        blocks = grid({**defaults, **arguments, **chosen}) if callable(grid) else grid
        values = {name: value for name, value in chosen.items() if name not in arguments or name not in others}
        hook = None if config.pre_hook is None else ship(config.pre_hook)
        return Candidate(dict(configuration), ship(values), tuple(int(each) for each in blocks), hook)


def forget_ready() -> None:
    """Has the next call of every kernel look its configuration up again."""
    for each in list(_autotuners):
        each._ready.clear()
        each.cache.clear()


def autotune(
    configs: Sequence[Config] | None = None,
    key: Sequence[str] = (),
    prune_configs_by: dict[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Callable[..., Any] | None = None,
    post_hook: Callable[..., Any] | None = None,
    warmup: int | None = None,
    rep: int | None = None,
    use_cuda_graph: bool = False,
    do_bench: Callable[..., Any] | None = None,
    cache_results: bool = False,
    *,
    parameters: Mapping[str, Any] | Space | None = None,
    constraints: Sequence[Constraint] | Constraint = (),
    default: Mapping[str, object] | None = None,
    outputs: Sequence[str] | None = None,
    check: Callable[..., object] | None = None,
    wisdom: str | os.PathLike[str] | None = None,
    seconds: float | None = None,
    evaluations: int | None = None,
    strategy: str = "",
    cache: str = "cold",
    nearest: float = 2.0,
) -> Callable[[Any], Autotuner]:
    """Decorates a kernel of Triton, in the place of `triton.autotune`, whose arguments come first.

    `configs` are measured completely unless `evaluations` or `seconds` of a key end it. Or `parameters` are the lists
    of values by name, with `constraints`: `num_warps`, `num_stages`, `num_ctas` and `maxnreg` are options of the
    compiler, all others constants of the kernel. `outputs` are names of arguments that the kernel writes; without them,
    those that the first configuration changes. They are compared with what the first configuration wrote, or
    `check(outputs, configuration)` judges them. `wisdom` is a file that is only read, or "package:file". `nearest` is
    the greatest factor between sizes at which the winner of another key serves a call that may not tune. `cache` is
    `cold` or `warm`: what the L2 cache holds before a timed launch. `warmup`, `rep`, `use_cuda_graph`, `do_bench` and
    `cache_results` have no effect.

    Raises InvalidArgumentError. docs/triton.md describes it all.
    """
    if (configs is None) == (parameters is None):
        raise wrong("autotune() takes either configs= or parameters=")
    if cache not in ("cold", "warm"):
        raise wrong("cache is cold or warm", cache)
    if nearest < 1:
        raise wrong("nearest is a factor of at least 1", nearest)
    given = (warmup, rep, use_cuda_graph or None, do_bench, cache_results or None)
    ignored = [name for name, value in zip(_NO_EFFECT, given) if value is not None]
    if ignored:
        say(("ignored", tuple(ignored)), f"{', '.join(ignored)} of triton.autotune have no effect here", level=20)
    space = None
    if parameters is not None:
        space = parameters if isinstance(parameters, Space) else Space(parameters, constraints, default=default)

    def decorate(fn: Any) -> Autotuner:
        return Autotuner(
            fn,
            configs,
            key,
            space=space,
            outputs=outputs,
            check=check,
            winners=Winners(wisdom, log(nearest)),
            budget=Budget(evaluations, seconds, strategy),
            cold=cache == "cold",
            prune_configs_by=prune_configs_by,
            reset_to_zero=reset_to_zero,
            restore_value=restore_value,
            pre_hook=pre_hook,
            post_hook=post_hook,
        )

    return decorate
