#include "schedule/forecast/pair_power.h"

#include <utility>

namespace wattune::inline v0_1::schedule {

namespace {

constexpr int kIgnoredChanges = 2;
constexpr Nanoseconds kLeastPowerWindow = nanoseconds_from_seconds(0.5);
constexpr double kMostGapShare = 0.1;

}  // namespace

void PairPower::begin_window(Nanoseconds now, Joules counter) {
  begin_ = now;
  counter_at_begin_ = counter;
  gaps_ = {};
  of_gaps_ = of_pair_ = {};
}

std::optional<PairPowers> PairPower::note(Nanoseconds now, Joules counter,
                                          const std::optional<std::array<KernelId, 2>>& pair, Watts forecast) {
  const Nanoseconds passed = now - std::exchange(noted_, now);
  const bool is_changed = counter != std::exchange(counter_, counter);
  if (pair && pair != pair_) {
    pair_ = pair;
    changes_ = 0;
  }
  (pair ? of_pair_ : of_gaps_) += forecast * passed;
  if (!pair) gaps_ += passed;
  if (!pair_ || !is_changed) return std::nullopt;
  const Nanoseconds window = now - begin_;
  if (gaps_ > kMostGapShare * window) changes_ = 0;
  const bool has_begun = ++changes_ > kIgnoredChanges;
  if (has_begun && window < kLeastPowerWindow) return std::nullopt;
  const PairPowers powers{.forecast = of_pair_ / (window - gaps_),
                          .measured = (counter - counter_at_begin_ - of_gaps_) / (window - gaps_)};
  begin_window(now, counter);
  return has_begun ? std::optional(powers) : std::nullopt;
}

}  // namespace wattune::schedule
