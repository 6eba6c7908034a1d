#include "tune/contenders.h"

#include <algorithm>

namespace wattune::tune {

namespace {

constexpr std::size_t kKept = 64;  // enough to be finalists even when many of them fail

}  // namespace

void Contenders::add(const Trial& trial, bool resumed) {
  const double objective = trial.observation.objective();
  const auto place = std::upper_bound(best_.begin(), best_.end(), objective, [](double value, const Contender& each) {
    return value < each.trial.observation.objective();
  });
  if (place == best_.end() && best_.size() >= kKept) return;
  best_.insert(place, {trial, resumed});
  if (best_.size() > kKept) best_.pop_back();
}

std::vector<Contenders::Contender> Contenders::finalists(std::size_t most, const Evaluator& evaluator) const {
  std::vector<measure::Range> ranges;
  for (const Contender& each : best_) ranges.push_back(evaluator.objective_range(each.trial));
  std::vector<Contender> finalists;
  for (const std::size_t i : measure::choose_finalists(ranges, most)) finalists.push_back(best_[i]);
  return finalists;
}

void Contenders::remove(ConfigurationId id) {
  std::erase_if(best_, [id](const Contender& each) { return each.trial.configuration.id() == id; });
}

}  // namespace wattune::tune
