#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/interface/energy.h"
#include "core/interface/suggest.h"
#include "wattune/tune/replay.h"

namespace wattune::inline v0_1::tune {

namespace {

using space::ValueIndices;

Error no_results() { return Error(ErrorCode::invalid_argument, "the recording holds no results"); }

// The values of a parameter, found by hash: recordings have many Trials, and parameters may have many values.
class ValueTable {
 public:
  explicit ValueTable(const Parameter& parameter) : values_(parameter.values) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto position = static_cast<std::uint16_t>(i);
      if (values_[i].is_number())
        numbers_.emplace(values_[i].as_real(), position);
      else
        texts_.emplace(values_[i].as_string(), position);
    }
  }

  // Returns the position of a value in its parameter's list; nullopt if it is not there.
  std::optional<std::uint16_t> find(const Value& value) const {
    const std::optional<std::uint16_t> found =
        value.is_number() ? look_up(numbers_, value.as_real()) : look_up(texts_, value.as_string());
    if (!found || values_[*found] == value) return found;
    const auto same = std::ranges::find(values_, value);  // large integers may be one as reals
    if (same == values_.end()) return std::nullopt;
    return static_cast<std::uint16_t>(same - values_.begin());
  }

 private:
  template <typename Table, typename Key>
  static std::optional<std::uint16_t> look_up(const Table& table, const Key& key) {
    const auto found = table.find(key);
    return found != table.end() ? std::optional(found->second) : std::nullopt;
  }

  const std::vector<Value>& values_;
  std::unordered_map<double, std::uint16_t> numbers_;
  std::unordered_map<std::string, std::uint16_t> texts_;
};

std::vector<ValueTable> tables_of(const std::vector<Parameter>& parameters) {
  return {parameters.begin(), parameters.end()};
}

bool varies(const std::vector<Trial>& trials, std::size_t parameter) {
  const Value& first = trials.front().configuration.values()[parameter];
  return std::ranges::any_of(trials,
                             [&](const Trial& trial) { return trial.configuration.values()[parameter] != first; });
}

// The position of each of the space's parameters among the recorded names. It is nullopt for a constant that was not
// recorded.
using Places = std::vector<std::optional<std::size_t>>;

Error other_parameters(std::string message, const std::string& name, const std::vector<std::string>& candidates) {
  return Error(ErrorCode::mismatch, std::move(message)).about(name).hint(suggest(name, candidates));
}

Result<Places> find_places(const std::vector<Parameter>& parameters, const std::vector<Trial>& trials) {
  const std::vector<std::string>& recorded = trials.front().configuration.names();
  std::vector<std::string> declared;
  Places places;
  for (const Parameter& parameter : parameters) {
    declared.push_back(parameter.name);
    const auto found = std::ranges::find(recorded, parameter.name);
    if (found != recorded.end()) {
      places.emplace_back(static_cast<std::size_t>(found - recorded.begin()));
    } else if (parameter.values.size() == 1) {
      places.emplace_back(std::nullopt);
    } else {
      return other_parameters("the recording is of another space: it lacks a parameter", parameter.name, recorded);
    }
  }
  for (std::size_t i = 0; i < recorded.size(); ++i)
    if (std::ranges::find(declared, recorded[i]) == declared.end() && varies(trials, i))
      return other_parameters("the recording is of another space: it varies a parameter that this one lacks",
                              recorded[i], declared);
  return places;
}

// Returns the id of a recorded configuration; nullopt if it is not in the space.
std::optional<ConfigurationId> id_of(const space::SearchSpace& space, const std::vector<ValueTable>& tables,
                                     const Configuration& configuration, const Places& places) {
  ValueIndices indices;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const auto position = places[p] ? tables[p].find(configuration.values()[*places[p]]) : 0;
    if (!position) return std::nullopt;
    indices.push_back(*position);
  }
  if (!space.contains(indices)) return std::nullopt;
  return space.rank(indices);
}

Result<void> check_times(const Trial& trial) {
  const Observation& observation = trial.observation;
  const PhaseTimes& phases = observation.phases;
  std::vector<Nanoseconds> times = {phases.compile, phases.check, phases.measure, phases.overhead};
  for (const Sample& sample : observation.samples) times.push_back(sample.time);
  if (observation.statistics) times.push_back(observation.statistics->median);
  for (const Nanoseconds time : times)
    if (!(time >= Nanoseconds()) || !std::isfinite(time.value()))
      return Error(ErrorCode::invalid_argument,
                   fmt::format("a recorded time is {}", time.value() < 0 ? "negative" : "no number"))
          .about(trial.configuration.to_string());
  return {};
}

Nanoseconds median_cost(const std::vector<Trial>& trials) {
  std::vector<Nanoseconds> costs;
  for (const Trial& trial : trials) costs.push_back(cost_of(trial.observation));
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
  std::ranges::nth_element(costs, middle);
  return *middle;
}

// Removes the results of a final from a recorded observation. A replay has no final, so its best configuration is the
// best by the figures of the search.
void forget_final(Observation& observation) {
  observation.final_place = FinalPlace::none;
  observation.over_default.reset();
  if (!observation.in_search) return;
  const SearchFigures figures = *std::exchange(observation.in_search, std::nullopt);
  observation.statistics = Statistics{figures.time, figures.time, figures.time, figures.time, figures.time, {}};
  if (observation.objective_value) observation.objective_value = figures.objective;
}

// Removes energies and powers that are not above 0, which a search would take for the best. Returns true if there were
// any.
bool forget_impossible(Observation& observation) {
  bool found = false;
  while (const Metric* const metric = impossible_energy(observation)) {
    std::erase_if(observation.metrics, [name = metric->name](const Metric& each) { return each.name == name; });
    found = true;
  }
  return found;
}

}  // namespace

Result<space::SearchSpace> recorded_space(const ResultSet& results) {
  if (results.trials.empty()) return no_results();
  std::vector<Parameter> parameters = results.info.parameters;
  for (std::size_t p = 0; p < results.info.default_values.size(); ++p)
    parameters[p].default_value = results.info.default_values[p];
  const std::vector<ValueTable> tables = tables_of(parameters);
  std::vector<ValueIndices> configurations;
  for (const Trial& trial : results.trials) {
    ValueIndices& indices = configurations.emplace_back();
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const auto position = tables[p].find(trial.configuration.values()[p]);
      if (!position)
        return Error(ErrorCode::mismatch,
                     fmt::format("a recorded value of `{}` is not in its list of values", parameters[p].name))
            .about(trial.configuration.values()[p].to_string());
      indices.push_back(*position);
    }
  }
  return space::SearchSpace::from_list(std::move(parameters), std::move(configurations));
}

Recording::Recording(RunInfo info, std::vector<Trial> trials, std::size_t outside, std::size_t impossible)
    : info_(std::move(info)),
      trials_(std::move(trials)),
      outside_(outside),
      impossible_(impossible),
      typical_cost_(median_cost(trials_)) {}

Result<std::vector<std::optional<ConfigurationId>>> ids_in(const space::SearchSpace& space,
                                                           const std::vector<Trial>& trials) {
  if (trials.empty()) return no_results();
  WATTUNE_ASSIGN(const Places places, find_places(space.parameters(), trials));
  const std::vector<ValueTable> tables = tables_of(space.parameters());
  std::vector<std::optional<ConfigurationId>> ids;
  for (const Trial& trial : trials) {
    WATTUNE_TRY(check_times(trial));
    ids.push_back(id_of(space, tables, trial.configuration, places));
  }
  return ids;
}

Result<Recording> Recording::match(const space::SearchSpace& space, ResultSet results) {
  std::erase_if(results.trials, [](const Trial& trial) { return trial.observation.status == Status::not_recorded; });
  keep_counting(results.trials);
  std::size_t impossible = 0;
  for (Trial& trial : results.trials) impossible += forget_impossible(trial.observation) ? 1 : 0;
  name_energy(results);
  WATTUNE_ASSIGN(const std::vector<std::optional<ConfigurationId>> ids, ids_in(space, results.trials));
  std::vector<std::pair<ConfigurationId, std::size_t>> inside;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i]) inside.emplace_back(*ids[i], i);
  if (inside.empty())
    return Error(ErrorCode::mismatch, "the recording is of another space: none of its configurations is in this one")
        .about(results.trials.front().configuration.to_string());
  const std::size_t outside = ids.size() - inside.size();
  std::ranges::sort(inside);
  std::vector<Trial> trials;
  trials.reserve(inside.size());
  for (const auto& [id, position] : inside) {
    if (!trials.empty() && trials.back().configuration.id() == id) continue;  // of equal ones the first counts
    Trial& trial = trials.emplace_back(std::move(results.trials[position]));
    trial.configuration = space.configuration(id);
    forget_final(trial.observation);
  }
  return Recording(std::move(results.info), std::move(trials), outside, impossible);
}

const Observation* Recording::find(ConfigurationId id) const {
  const auto found =
      std::ranges::lower_bound(trials_, id, {}, [](const Trial& trial) { return trial.configuration.id(); });
  return found != trials_.end() && found->configuration.id() == id ? &found->observation : nullptr;
}

std::vector<search::PriorObjective> prior_of(const Recording& recording) {
  std::vector<search::PriorObjective> prior;
  for (const Trial& trial : recording.trials()) {
    const Observation& observation = trial.observation;
    if (observation.has_objective())
      prior.push_back({trial.configuration.id(), positive(observation.objective()), observation.metrics});
  }
  return prior;
}

}  // namespace wattune::tune
