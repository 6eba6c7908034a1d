#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search/strategies.h"
#include "wattune/core/suggest.h"

namespace wattune::search {

namespace {

using Factory = std::unique_ptr<Strategy> (*)(const space::SearchSpace&, const StrategyOptions&);

struct Entry {
  StrategyInfo info;
  Factory make;
};

const StrategyParameter kNeighbourhood = {
    "neighbourhood",
    0,
    0,
    2,
    "0: one parameter differs (Hamming); 1: each moves at most one place among its valid values; 2: each moves at most "
    "one place in its list of values",
    true};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = {
      {{"exhaustive", "every configuration in the order of ids", {}}, make_exhaustive},
      {{"random", "uniform draws without replacement",
        {{"stratified", 0, 0, 1e6, "draws at the beginning that are spread over the space, one from each equal slice",
          true}}},
       make_random},
      {{"greedy_ils",
        "greedy iterated local search (Schoonhoven et al. 2022; Kernel Tuner)",
        {kNeighbourhood,
         {"no_improvement", 50, 1, 1e9, "descents without a better optimum before the search begins anew", true},
         {"random_walk", 0.3, 0, 1, "length of the walk between descents, as a share of the number of parameters"}}},
       make_greedy_ils},
      {{"simulated_annealing",
        "simulated annealing with restarts (Kirkpatrick et al. 1983; CLTune, Kernel Tuner)",
        {kNeighbourhood,
         {"temperature", 0.5, 1e-9, 1e9,
          "at first: a configuration slower by this share of the best is accepted with probability 1/e"},
         {"final_temperature", 0.01, 1e-12, 1e9, "where the schedule ends and the next one begins elsewhere"},
         {"cooling", 0.98, 0, 0.999999, "factor on the temperature after each measurement"}}},
       make_simulated_annealing},
  };
  return list;
}

template <typename Range, typename Name>
std::vector<std::string> names_of(const Range& range, Name name) {
  std::vector<std::string> names;
  for (const auto& element : range) names.push_back(name(element));
  return names;
}

Result<const Entry*> find_entry(const std::string& name) {
  for (const Entry& entry : entries()) {
    if (entry.info.name == name) return &entry;
  }
  return Error(ErrorCode::not_found, "unknown strategy")
      .about(name)
      .hint(suggest(name, names_of(entries(), [](const Entry& entry) { return entry.info.name; })));
}

Result<void> check_value(const StrategyParameter& parameter, double value) {
  const bool in_range = value >= parameter.minimum && value <= parameter.maximum;
  if (in_range && (!parameter.whole || value == std::floor(value))) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("strategy parameter {} must be {}between {} and {}", parameter.name,
                           parameter.whole ? "a whole number " : "", parameter.minimum, parameter.maximum))
      .about(fmt::format("{}={}", parameter.name, value));
}

// The defaults, overridden by what the user gave.
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

}  // namespace

const std::vector<StrategyInfo>& strategies() {
  static const std::vector<StrategyInfo> infos = [] {
    std::vector<StrategyInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const space::SearchSpace& space,
                                                const StrategyOptions& options) {
  WATTUNE_ASSIGN(const Entry* entry, find_entry(name));
  StrategyOptions completed = options;
  WATTUNE_ASSIGN(completed.parameters, complete(entry->info, options.parameters));
  return entry->make(space, completed);
}

}  // namespace wattune::search
