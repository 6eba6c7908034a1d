#include "tune/loop/final_stage.h"

#include <algorithm>

namespace wattune::inline v0_1::tune {

bool FinalStage::call(const IntervalOf& interval, Nanoseconds turn_overhead, bool cancelled) {
  if (over_ || !contestants_.empty()) return false;
  turn_overhead_ = turn_overhead;
  if (most_ == 0 && !begin(cancelled)) return false;
  const std::vector<Contenders::Contender> finalists = tally_.contenders.finalists(most_, interval);
  std::optional<Trial>& best = tally_.result.best;
  best.reset();
  over_ = finalists.empty();
  if (over_) return false;
  best = finalists.front().trial;
  contestants_ = with_default(finalists);
  finalists_ = finalists.size();
  const bool alone = contestants_.size() == 1 && !finalists.front().resumed;
  if (alone) give_up();
  return !alone;
}

bool FinalStage::begin(bool cancelled) {
  over_ = cancelled || options_.finalists == 0 || !tally_.result.best;
  if (!over_) most_ = most_finalists();
  return !over_;
}

// Returns how many finalists fit into the final's time if each has one block. The result is at least two.
std::size_t FinalStage::most_finalists() const {
  std::size_t most = options_.finalists;
  const Nanoseconds block_time = block_of(*tally_.result.best);
  while (most > 2 && static_cast<double>(most) * block_time > options_.max_time) --most;
  return most;
}

// Returns the time of a configuration's turns in one block, including the unmeasured run before each turn and the time
// of additional measurements.
Nanoseconds FinalStage::block_of(const Trial& trial) const {
  return static_cast<double>(options_.block) * (2.0 * trial.observation.statistics->median + turn_overhead_);
}

std::vector<Trial> FinalStage::with_default(const std::vector<Contenders::Contender>& finalists) const {
  std::vector<Trial> contestants;
  for (const Contenders::Contender& each : finalists) contestants.push_back(each.trial);
  const bool among_them =
      std::ranges::any_of(contestants, [this](const Trial& each) { return tally_.is_default(each); });
  if (!among_them && default_takes_part(contestants.front())) contestants.push_back(*tally_.result.baseline);
  return contestants;
}

// False if the default configuration need not take part: its runs would take longer than the whole final may take, and
// it is also too slow to win.
bool FinalStage::default_takes_part(const Trial& best) const {
  const std::optional<Trial>& baseline = tally_.result.baseline;
  if (!baseline || !baseline->observation.has_objective()) return false;
  return block_of(*baseline) <= std::max(options_.max_time, 2.0 * block_of(best));
}

void FinalStage::judge(Final& final) {
  tally_.result.best.reset();
  over_ = decide(final, finalists_, tally_.default_id(), options_.max_blocks).has_value();
  contestants_.clear();
}

void FinalStage::give_up() {
  contestants_.clear();
  over_ = true;
}

}  // namespace wattune::tune
