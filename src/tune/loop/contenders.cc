#include "tune/loop/contenders.h"

#include <algorithm>
#include <limits>

namespace wattune::inline v0_1::tune {

namespace {

using Contender = Contenders::Contender;

constexpr std::size_t kMostContenders = 64;  // so many that a final has enough even if many of them fail

double objective_of(const Trial& trial) { return trial.observation.search_figures().objective; }

// Returns the interval of the objective that the search measured, even if an earlier final measured the configuration
// again.
measure::ObjectiveInterval as_searched(const Trial& trial, const IntervalOf& interval_of) {
  const measure::ObjectiveInterval interval = interval_of(trial);
  const double shift = objective_of(trial) - interval.value;
  return {interval.value + shift, interval.low + shift, interval.high + shift};
}

// Returns the contenders that cannot be distinguished from the best one, given their intervals.
std::vector<Contender> leaders(const std::vector<Contender>& contenders, std::size_t most, const IntervalOf& interval) {
  std::vector<measure::ObjectiveInterval> intervals;
  for (const Contender& each : contenders) intervals.push_back(as_searched(each.trial, interval));
  std::vector<Contender> leaders;
  for (const std::size_t i : measure::choose_finalists(intervals, most)) leaders.push_back(contenders[i]);
  return leaders;
}

}  // namespace

void Contenders::add(const Trial& trial, bool resumed) {
  const Nanoseconds time = trial.observation.statistics->median;
  if (slowdown_) times_[trial.configuration.id()] = time;
  fastest_ = std::min(fastest_, time);
  const auto place = std::ranges::upper_bound(best_, objective_of(trial), {},
                                              [](const Contender& each) { return objective_of(each.trial); });
  if (!may_win(static_cast<std::size_t>(place - best_.begin()), time)) return;
  best_.insert(place, {trial, resumed});
  if (slowdown_)
    keep_allowed();
  else if (best_.size() > kMostContenders)
    best_.pop_back();
}

// True if a configuration at this place among the best may still get into the final, because fewer are better than a
// final takes. With a slowdown limit, only better configurations that are not slower count, since the others may become
// too slow when a faster one is found.
bool Contenders::may_win(std::size_t place, Nanoseconds time) const {
  if (!slowdown_) return place < kMostContenders;
  const auto end = best_.begin() + static_cast<std::ptrdiff_t>(place);
  const auto before = [&](const Contender& each) { return time_of(each) <= time; };
  return static_cast<std::size_t>(std::count_if(best_.begin(), end, before)) < kMostContenders;
}

Nanoseconds Contenders::longest_time() const {
  return slowdown_ ? fastest_ * (1.0 + *slowdown_) : Nanoseconds(std::numeric_limits<double>::infinity());
}

void Contenders::keep_allowed() {
  std::erase_if(best_, [&](const Contender& each) { return time_of(each) > longest_time(); });
}

void Contenders::measured_again(const Trial& trial) {
  if (!slowdown_) return;
  times_[trial.configuration.id()] = trial.observation.statistics->median;
  fastest_ = std::ranges::min_element(times_, {}, [](const auto& each) { return each.second; })->second;
  keep_allowed();
}

std::vector<Contender> Contenders::finalists(std::size_t most, const IntervalOf& interval) const {
  std::vector<std::vector<Contender>> of_devices = by_device();
  for (std::vector<Contender>& each : of_devices) each = leaders(each, most, interval);
  std::vector<Contender> finalists;
  for (std::size_t place = 0; place < most; ++place)
    for (const std::vector<Contender>& each : of_devices)
      if (place < each.size() && finalists.size() < most) finalists.push_back(each[place]);
  if (slowdown_) add_fastest(finalists, most);
  return finalists;
}

void Contenders::add_fastest(std::vector<Contender>& finalists, std::size_t most) const {
  const auto fastest = std::ranges::min_element(best_, {}, [&](const Contender& each) { return time_of(each); });
  const auto same = [&](const Contender& each) {
    return each.trial.configuration.id() == fastest->trial.configuration.id();
  };
  if (fastest == best_.end() || std::ranges::any_of(finalists, same)) return;
  if (finalists.size() > 1 && finalists.size() >= most) finalists.pop_back();
  finalists.push_back(*fastest);
}

// Groups the contenders by device. The group of the best contender comes first.
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
  if (times_.erase(id) == 0 || times_.empty()) return;
  fastest_ = std::ranges::min_element(times_, {}, [](const auto& each) { return each.second; })->second;
}

}  // namespace wattune::tune
