#include "tune/contenders.h"

#include <algorithm>

namespace wattune::tune {

namespace {

using Contender = Contenders::Contender;

constexpr std::size_t kKept = 64;  // enough to be finalists even when many of them fail

double objective_of(const Trial& trial) { return trial.observation.search_figures().objective; }

// Around what the search measured, which an earlier final did not change.
measure::ObjectiveInterval as_searched(const Trial& trial, const IntervalOf& interval_of) {
  const measure::ObjectiveInterval interval = interval_of(trial);
  const double shift = objective_of(trial) - interval.value;
  return {interval.value + shift, interval.low + shift, interval.high + shift};
}

// Those that cannot be told from the best.
std::vector<Contender> leaders(const std::vector<Contender>& contenders, std::size_t most, const IntervalOf& interval) {
  std::vector<measure::ObjectiveInterval> intervals;
  for (const Contender& each : contenders) intervals.push_back(as_searched(each.trial, interval));
  std::vector<Contender> leaders;
  for (const std::size_t i : measure::choose_finalists(intervals, most)) leaders.push_back(contenders[i]);
  return leaders;
}

}  // namespace

void Contenders::add(const Trial& trial, bool resumed) {
  const auto place = std::ranges::upper_bound(best_, objective_of(trial), {},
                                              [](const Contender& each) { return objective_of(each.trial); });
  if (place == best_.end() && best_.size() >= kKept) return;
  best_.insert(place, {trial, resumed});
  if (best_.size() > kKept) best_.pop_back();
}

std::vector<Contender> Contenders::finalists(std::size_t most, const IntervalOf& interval) const {
  std::vector<std::vector<Contender>> of_devices = by_device();
  for (std::vector<Contender>& each : of_devices) each = leaders(each, most, interval);
  std::vector<Contender> finalists;
  for (std::size_t place = 0; place < most; ++place)
    for (const std::vector<Contender>& each : of_devices)
      if (place < each.size() && finalists.size() < most) finalists.push_back(each[place]);
  return finalists;
}

// The device of the best one first.
std::vector<std::vector<Contender>> Contenders::by_device() const {
  std::vector<std::vector<Contender>> groups;
  for (const Contender& each : best_) {
    const auto same = [&](const auto& group) { return group.front().trial.device == each.trial.device; };
    const auto group = std::ranges::find_if(groups, same);
    (group != groups.end() ? *group : groups.emplace_back()).push_back(each);
  }
  return groups;
}

void Contenders::remove(ConfigurationId id) {
  std::erase_if(best_, [id](const Contender& each) { return each.trial.configuration.id() == id; });
}

}  // namespace wattune::tune
