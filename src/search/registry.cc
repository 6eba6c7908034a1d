#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

#include "core/interface/strategy_names.h"
#include "core/interface/suggest.h"
#include "search/interface/unknown_strategy.h"
#include "search/models/counters.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

struct Entry {
  StrategyInfo info;
  StrategyFactory make;
};

const StrategyParameter kNeighbourhood = {
    "neighbourhood",
    0,
    0,
    2,
    "0: one parameter differs (Hamming); 1: each moves at most one place among its valid values; 2: each moves at most "
    "one place in its list of values",
    true};

StrategyParameter population(double size) {
  return {"population", size, 2, 1e5, "members; each generation is measured together", true};
}

StrategyParameter patience(const std::string& what, double count) {
  return {"no_improvement", count, 1, 1e9, what + " without improvement before the search begins anew", true};
}

struct ModelDefaults {
  double initial;
  double acquisition;
  double powers;
  double forest;
  double explore;
  double calibrate;
};

std::vector<StrategyParameter> model_parameters(const ModelDefaults& defaults) {
  return {
      kNeighbourhood,
      {"initial", defaults.initial, 1, 1000, "configurations before the first model, which show many values", true},
      {"acquisition", defaults.acquisition, 0, 3,
       "0: expected improvement, when nothing improves its probability; 1: lower confidence bound; 2: probability of "
       "improvement; 3: whichever gains most",
       true},
      {"kappa", 1.5, 0, 100, "of the confidence bound, in standard deviations"},
      {"powers", defaults.powers, 0, 1,
       "1: the first configurations are powers of two where a parameter lists other numbers too, and these promise "
       "less at first",
       true},
      {"forest", defaults.forest, 0, 1e9,
       "observations after which a regression forest weighs as much as the process; 0: no forest"},
      {"explore", defaults.explore, 0, 1e9,
       "every such proposal may go where models would not, every second one when nothing improves for long; 0: none",
       true},
      {"calibrate", defaults.calibrate, 0, 1,
       "1: deviations are widened by how far recent outcomes were from what was predicted", true},
      {"features", 0, 0, 1000,
       "candidates that are compiled before one of them is proposed, by what the compiler says of them; 0: none",
       true}};
}

// Returns the random walks and the hill climbers, that is, the algorithms that move a single configuration.
std::vector<Entry> local_strategies() {
  return {
      {{"mls", "multi-start local search, to the best of all neighbours (Schoonhoven et al. 2022)", {kNeighbourhood}},
       make_mls},
      {{"greedy_mls",
        "multi-start local search, to the first better neighbour (Schoonhoven et al. 2022)",
        {kNeighbourhood}},
       make_greedy_mls},
      {{"ordered_greedy_mls", "the same with neighbours in the order of ids (Kernel Tuner)", {kNeighbourhood}},
       make_ordered_greedy_mls},
      {{"greedy_ils",
        "greedy iterated local search (Schoonhoven et al. 2022; Kernel Tuner)",
        {kNeighbourhood,
         patience("descents", 3),
         {"random_walk", 0.3, 0, 1, "length of the walk between descents, as a share of the number of parameters"}}},
       make_greedy_ils},
      {{"basin_hopping",
        "annealing over local optima at a constant temperature (Wales, Doye 1997)",
        {kNeighbourhood,
         patience("hops", 3),
         {"step", 2, 1, 1000, "length of the random walk out of an optimum", true},
         {"temperature", 0.1, 1e-9, 1e9,
          "an optimum slower by this share of the best is accepted with probability 1/e"}}},
       make_basin_hopping},
      {{"simulated_annealing",
        "simulated annealing with restarts (Kirkpatrick et al. 1983; CLTune, Kernel Tuner)",
        {kNeighbourhood,
         {"temperature", 0.05, 1e-9, 1e9,
          "at first: a configuration slower by this share of the best is accepted with probability 1/e"},
         {"final_temperature", 0.002, 1e-12, 1e9, "where the schedule ends and the next one begins elsewhere"},
         {"cooling", 0.98, 0, 0.999999, "factor on the temperature after each measurement"}}},
       make_simulated_annealing},
      {{"dual_annealing",
        "generalised simulated annealing with local search (Xiang et al. 1997)",
        {kNeighbourhood,
         {"temperature", 5230, 0.01, 5e4, "at first, of the visiting distribution"},
         {"restart", 2e-5, 1e-12, 0.999, "share of the first temperature at which the search begins anew"},
         {"visit", 2.62, 1.05, 2.95, "how heavy the tails of the visiting distribution are"},
         {"accept", -5, -1e4, -0.01, "the lower, the less often something worse is accepted"}}},
       make_dual_annealing},
      {{"mcmc",
        "Markov-chain Monte Carlo over changes of one or two parameters (KTT)",
        {{"boot", 10, 1, 1e6, "random configurations at first", true},
         {"escape", 0.02, 0, 1, "probability of moving to something worse"}}},
       make_mcmc},
      {{"pattern_search",
        "steps along each parameter, and on in the direction that helped (Hooke, Jeeves 1961; ATF)",
        {{"step", 0.25, 1e-6, 1, "at first, as a share of the number of values"}}},
       make_pattern_search},
      {{"torczon",
        "multidirectional search with a simplex (Torczon 1991; ATF)",
        {{"step", 0.5, 1e-6, 1, "first side of the simplex, as a share of the number of values"},
         {"expansion", 2, 1.001, 100, "factor when reflecting has helped"},
         {"contraction", 0.5, 0.01, 0.99, "factor when it has not"}}},
       make_torczon},
  };
}

std::vector<StrategyParameter> breeding_parameters() {
  return {population(20),
          {"crossover", 2, 0, 3, "0: single point; 1: two points; 2: uniform; 3: disruptive uniform", true},
          {"mutation", 10, 1, 1e9, "each parameter of a child mutates with probability 1 in this"}};
}

std::vector<Entry> population_strategies() {
  return {
      {{"genetic_algorithm", "genetic algorithm with tournaments and elitism (Holland 1975; Kernel Tuner)",
        breeding_parameters()},
       make_genetic_algorithm},
      {{"nsga2", "non-dominated sorting and crowding, for several objectives (Deb et al. 2002)", breeding_parameters()},
       make_nsga2},
      {{"nsga3", "non-dominated sorting and reference points, for several objectives (Deb, Jain 2014)",
        breeding_parameters()},
       make_nsga3},
      {{"differential_evolution",
        "differential evolution, rand/1/bin or best/1/bin (Storn, Price 1997)",
        {population(20),
         {"weight", 0.7, 0, 2, "F, the factor on differences"},
         {"crossover_rate", 0.6, 0, 1, "CR, the probability that a parameter changes"},
         {"best", 1, 0, 1, "1: differences are added to the best member; 0: to a random one", true}}},
       make_differential_evolution},
      {{"particle_swarm",
        "particle swarm with inertia (Kennedy, Eberhart 1995; Shi, Eberhart 1998)",
        {population(20),
         {"inertia", 0.73, 0, 1, "w, the share of the velocity that stays"},
         {"own_pull", 1.5, 0, 10, "c1, towards the particle's own best"},
         {"swarm_pull", 1.5, 0, 10, "c2, towards the best of all"}}},
       make_particle_swarm},
      {{"firefly",
        "firefly algorithm (Yang 2009)",
        {population(20),
         {"attraction", 1, 0, 10, "B0, the share of the distance moved towards something near"},
         {"absorption", 1, 0, 1e3, "gamma, how fast attraction falls with the distance"},
         {"alpha", 0.2, 0, 1, "random steps, as a share of the number of values"},
         {"alpha_decay", 0.97, 0, 1, "factor on alpha after each generation"}}},
       make_firefly},
      {{"tabu_grey_wolf",
        "adaptive tabu grey wolf (Mirjalili et al. 2014; Kernel Tuner 1.4)",
        {{"pack", 8, 4, 1e5, "wolves, three of them leaders", true},
         {"tabu", 3, 0, 1e4, "length of the tabu list, in packs", true},
         {"shake", 0.2, 0, 1, "probability of a step in every parameter; grows while nothing improves, at most to 0.5"},
         {"jump", 0.15, 0, 1, "share of these that are a jump in one parameter instead"},
         {"patience", 80, 1, 1e9, "rounds without a better leader before a part of the pack starts elsewhere", true},
         {"scatter", 0.3, 0, 1, "that part"},
         {"temperature", 1, 1e-9, 1e9, "at first, as a share of the best objective"},
         {"cooling", 5, 0, 1e3, "the temperature falls by exp(-cooling) over the budget"},
         {"budget", 5000, 1, 1e12, "evaluations to plan the temperature for"}}},
       make_tabu_grey_wolf},
      {{"hybrid_vndx",
        "variable neighbourhoods screened by nearest neighbours (Mladenovic, Hansen 1997; Kernel Tuner 1.4)",
        {{"neighbours", 5, 1, 1000, "k: configurations that predict a candidate", true},
         {"pool", 8, 1, 1e4, "candidates of a step", true},
         {"restart", 100, 1, 1e9, "steps without improvement before the search begins anew", true},
         {"elite", 5, 2, 1000, "best configurations, for crossovers", true},
         {"temperature", 1, 1e-9, 1e9, "at first, as a share of the best objective"},
         {"cooling", 0.995, 0, 1, "factor on the temperature after each step"}}},
       make_hybrid_vndx},
  };
}

std::vector<Entry> other_strategies() {
  return {
      {{.name = "auto",
        .description = "Gaussian process and regression forest, from configurations that show many values; for any "
                       "budget (Wattune)",
        .parameters = model_parameters(
            {.initial = 4, .acquisition = 0, .powers = 1, .forest = 500, .explore = 5, .calibrate = 1}),
        .takes_prior = true,
        .hurt_by_asking_ahead = true},
       make_model_search},
      {{"exhaustive", "every configuration in the order of ids", {}}, make_exhaustive},
      {{"random",
        "uniform draws without replacement",
        {{"stratified", 0, 0, 1e6, "draws at the beginning that are spread over the space, one from each equal slice",
          true}}},
       make_random},
      {{.name = "bayesian_optimisation",
        .description = "Gaussian process with learned failures (Willemsen et al. 2021)",
        .parameters =
            model_parameters({.initial = 10, .acquisition = 3, .powers = 0, .forest = 0, .explore = 0, .calibrate = 0}),
        .takes_prior = true,
        .hurt_by_asking_ahead = true},
       make_model_search},
      {{.name = "profile",
        .description = "hardware counters of the best say which neighbours promise relief (Filipovic et al. 2022; KTT)",
        .parameters = {{"batch", 5, 1, 1e5, "configurations measured before the fastest of them is looked at", true},
                       {"neighbours", 100, 1, 1e5, "candidates that differ in one or two parameters", true},
                       {"random", 10, 0, 1e5, "candidates drawn anywhere", true},
                       {"reaction", 0.7, 0, 0.999, "utilisation from which on instructions are a bottleneck"},
                       {"exponent", 8, 0, 100, "how strongly candidates with a higher score are preferred"}},
        .takes_prior = true,
        .reads_counters = true},
       make_profile},
      {{.name = "auc_bandit",
        .description = "differential evolution, greedy_mls, genetic algorithm, pattern search, Torczon and annealing "
                       "take turns by their credit (Ansel et al. 2014; ATF)",
        .parameters = {{"exploration", 0.05, 0, 100, "C, the weight of trying what was used little"},
                       {"window", 500, 1, 1e6, "uses that count", true}},
        .hurt_by_asking_ahead = true},
       make_auc_bandit},
  };
}

// The strategies of this process. No strategy is ever removed, so pointers to strategies stay valid.
class Registry {
 public:
  Registry() {
    for (const auto& part : {other_strategies(), local_strategies(), population_strategies()})
      entries_.insert(entries_.end(), part.begin(), part.end());
  }

  const Entry* find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    return find_locked(name);
  }

  std::vector<StrategyInfo> infos() const {
    const std::lock_guard lock(mutex_);
    std::vector<StrategyInfo> infos;
    for (const Entry& entry : entries_) infos.push_back(entry.info);
    return infos;
  }

  Result<void> add(Entry entry) {
    const std::lock_guard lock(mutex_);
    if (find_locked(entry.info.name) != nullptr)
      return Error(ErrorCode::already_exists, "a strategy of this name is registered").about(entry.info.name);
    entries_.push_back(std::move(entry));
    return {};
  }

 private:
  const Entry* find_locked(std::string_view name) const {
    const auto found = std::ranges::find(entries_, name, [](const Entry& entry) { return entry.info.name; });
    return found == entries_.end() ? nullptr : &*found;
  }

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
};

Registry& registry() {
  static Registry registry;
  return registry;
}

template <typename Entries, typename Name>
std::vector<std::string> names_of(const Entries& entries, Name name) {
  std::vector<std::string> names;
  for (const auto& element : entries) names.push_back(name(element));
  return names;
}

Result<const Entry*> find_entry(const std::string& name) {
  if (const Entry* entry = registry().find(name)) return entry;
  return unknown_strategy(name);
}

Result<void> check_value(const StrategyParameter& parameter, double value) {
  const bool in_range = value >= parameter.minimum && value <= parameter.maximum;
  if (in_range && (!parameter.whole || value == std::floor(value))) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("strategy parameter {} must be {}between {} and {}", parameter.name,
                           parameter.whole ? "a whole number " : "", parameter.minimum, parameter.maximum))
      .about(fmt::format("{}={}", parameter.name, value));
}

// Returns the default options of a strategy, replaced by the user's values where these are given.
Result<std::map<std::string, double>> complete(const StrategyInfo& info, const std::map<std::string, double>& given) {
  std::map<std::string, double> parameters;
  for (const StrategyParameter& parameter : info.parameters) parameters[parameter.name] = parameter.default_value;
  for (const auto& [name, value] : given) {
    const auto known = std::ranges::find(info.parameters, name, &StrategyParameter::name);
    if (known == info.parameters.end()) {
      const auto names = names_of(info.parameters, [](const StrategyParameter& parameter) { return parameter.name; });
      return Error(ErrorCode::not_found, fmt::format("strategy {} has no such parameter", info.name))
          .about(name)
          .hint(names.empty() ? "it has none" : suggest(name, names));
    }
    WATTUNE_TRY(check_value(*known, value));
    parameters[name] = value;
  }
  return parameters;
}

// Returns the names of the strategies that can use a prior, as in "auto, bayesian_optimisation and profile".
std::string those_with_prior() {
  std::vector<StrategyInfo> able;
  for (StrategyInfo& info : strategies())
    if (info.takes_prior) able.push_back(std::move(info));
  const auto names = names_of(able, [](const StrategyInfo& info) { return info.name; });
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

bool any_counters(const std::vector<std::vector<PriorObjective>>& runs) {
  return std::ranges::any_of(runs, [](const std::vector<PriorObjective>& run) {
    return std::ranges::any_of(run, [](const PriorObjective& each) { return counters_in(each.metrics).has_value(); });
  });
}

}  // namespace

Error unknown_strategy(const std::string& name) {
  Error error = Error(ErrorCode::not_found, "unknown strategy").about(name);
  const std::string equivalent = strategy_of_other_tuner(name);
  if (!equivalent.empty()) return std::move(error).hint(fmt::format("Wattune calls it `{}`", equivalent));
  const std::string nearest = suggest(name, names_of(strategies(), [](const StrategyInfo& info) { return info.name; }));
  return std::move(error).hint(nearest.empty() ? "`wattune strategies` lists them" : nearest);
}

std::vector<StrategyInfo> strategies() { return registry().infos(); }

const StrategyInfo* find_strategy(std::string_view name) {
  const Entry* entry = registry().find(name);
  return entry == nullptr ? nullptr : &entry->info;
}

Result<void> register_strategy(StrategyInfo info, StrategyFactory make) {
  if (info.name.empty() || !make)
    return Error(ErrorCode::invalid_argument, "a strategy has a name and a function that makes it").about(info.name);
  return registry().add({std::move(info), std::move(make)});
}

Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const space::SearchSpace& space,
                                                const StrategyOptions& options) {
  WATTUNE_ASSIGN(const Entry* entry, find_entry(name));
  if (!options.prior.empty() && !entry->info.takes_prior)
    return Error(ErrorCode::invalid_argument, "this strategy cannot start from earlier results")
        .about(name)
        .hint(those_with_prior() + " can");
  if (entry->info.reads_counters && !options.prior.empty() && !any_counters(options.prior))
    return Error(ErrorCode::invalid_argument, "the earlier results hold no hardware counters to learn from")
        .about(name);
  StrategyOptions completed = options;
  WATTUNE_ASSIGN(completed.parameters, complete(entry->info, options.parameters));
  return entry->make(space, completed);
}

}  // namespace wattune::search
