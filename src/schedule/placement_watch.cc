#include "schedule/placement_watch.h"

#include <algorithm>

namespace wattune::schedule {

namespace {

constexpr double kSlower = 0.04;        // than usual, which is more than launches differ by
constexpr unsigned kLeastPatience = 4;  // launches

}  // namespace

bool PlacementWatch::advises_new_start(KernelId kernel, const Beside& beside, double rate) {
  const bool is_first = kernel <= beside.kernel;
  const model::BlockRatio& ratio = beside.shape.ratio;
  const Key key = is_first ? Key{kernel, beside.kernel, ratio.first, ratio.second}
                           : Key{beside.kernel, kernel, ratio.second, ratio.first};
  Pace& pace = paces_.try_emplace(key, Pace{.patience = kLeastPatience}).first->second;
  pace.rates[is_first ? 0 : 1] = rate;
  if (pace.rates[0] == 0.0 || pace.rates[1] == 0.0) return false;
  const double speed = pace.rates[0] + pace.rates[1];
  pace.usual = std::max(pace.usual, std::min(speed, pace.last));
  pace.last = speed;
  if (speed >= (1.0 - kSlower) * pace.usual) {
    pace.slow = 0;
    pace.patience = kLeastPatience;
    return false;
  }
  if (++pace.slow < pace.patience) return false;
  pace.rates = {};
  pace.last = 0.0;
  pace.slow = 0;
  pace.patience *= 2;
  return true;
}

}  // namespace wattune::schedule
