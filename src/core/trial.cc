#include "wattune/core/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/interface/value_hash.h"

namespace wattune::inline v0_1 {

namespace {

std::string text_of(const std::vector<Objective>& objectives) {
  std::string text;
  for (const Objective& each : objectives) {
    text += (text.empty() ? "" : ", ") + std::string(each.maximize ? "maximize " : "minimize ") + each.metric;
    if (each.slowdown) text += fmt::format(" at most {:g} % slower", 100.0 * *each.slowdown);
  }
  return text;
}

// A set of values by its address, so that a table of many Trials holds no copies.
struct SameValues {
  std::size_t operator()(const std::vector<Value>* values) const { return ValueHash()(*values); }
  bool operator()(const std::vector<Value>* a, const std::vector<Value>* b) const { return *a == *b; }
};

// Returns the positions of the Trials that count, by counting().
std::vector<std::size_t> counting_positions(const std::vector<Trial>& trials) {
  std::unordered_map<const std::vector<Value>*, std::size_t, SameValues, SameValues> place_of(trials.size());
  std::vector<std::size_t> positions;
  positions.reserve(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto [found, is_new] = place_of.emplace(&trials[i].configuration.values(), positions.size());
    if (is_new)
      positions.push_back(i);
    else
      positions[found->second] = i;
  }
  return positions;
}

}  // namespace

Identity identity_of(const RunInfo& info) {
  Identity identity = info.identity;
  // Constraints on resources belong to the space, whose values and constraints do not count here.
  identity.erase(kResourceConstraints);
  identity["device"] = info.device.name;
  identity["driver"] = info.device.driver_version;
  identity["objectives"] = text_of(info.objectives);
  for (const Parameter& parameter : info.parameters) identity["tuning parameter " + parameter.name] = "declared";
  return identity;
}

std::vector<const Trial*> counting(const std::vector<Trial>& trials) {
  std::vector<const Trial*> those;
  for (const std::size_t position : counting_positions(trials)) those.push_back(&trials[position]);
  return those;
}

void keep_counting(std::vector<Trial>& trials) {
  const std::vector<std::size_t> positions = counting_positions(trials);
  if (positions.size() == trials.size()) return;
  std::vector<Trial> those;
  for (const std::size_t position : positions) those.push_back(std::move(trials[position]));
  trials = std::move(those);
}

Nanoseconds ResultSet::longest_time() const {
  Nanoseconds fastest(std::numeric_limits<double>::infinity());
  const std::optional<double> slowdown = slowdown_of(info.objectives);
  if (!slowdown) return fastest;
  for (const Trial* trial : counting(trials))
    if (trial->observation.ok()) fastest = std::min(fastest, trial->observation.statistics->median);
  return fastest * (1.0 + std::max(0.0, *slowdown));  // the slowdown in a file may be NaN or negative
}

const Trial* ResultSet::best() const {
  std::vector<const Trial*> those = counting(trials);
  const Nanoseconds longest = longest_time();
  std::erase_if(those, [longest](const Trial* trial) {
    return !trial->observation.has_objective() || trial->observation.statistics->median > longest;
  });
  const Trial* winner = nullptr;
  for (const Trial* trial : those) {
    if (trial->observation.final_place != FinalPlace::winner) continue;
    if (winner == nullptr || trial->finished_at > winner->finished_at) winner = trial;
  }
  const Trial* best = winner;
  for (const Trial* trial : those) {
    const bool lost = winner != nullptr &&
                      (trial->observation.final_place != FinalPlace::none || trial->finished_at < winner->finished_at);
    if (lost) continue;
    if (best == nullptr || trial->observation.objective() < best->observation.objective()) best = trial;
  }
  return best;
}

}  // namespace wattune
