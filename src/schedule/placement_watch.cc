#include "schedule/placement_watch.h"

#include <algorithm>
#include <utility>

namespace wattune::schedule {

namespace {

constexpr double kSlower = 0.04;   // than usual, which is more than windows differ by
constexpr double kAsUsual = 0.02;  // as usual, but for so much
// Of each kernel in a window: how fast one launch is depends on how many ends of the other kernel's it meets.
constexpr unsigned kLaunches = 4;
constexpr unsigned kLeastPatience = 2;

}  // namespace

bool PlacementWatch::advises_new_start(KernelId kernel, const Beside& beside, Nanoseconds time, double rate) {
  const bool is_first = kernel <= beside.kernel;
  const model::BlockRatio& ratio = beside.shape.ratio;
  const Key key = is_first ? Key{kernel, beside.kernel, ratio.first, ratio.second}
                           : Key{beside.kernel, kernel, ratio.second, ratio.first};
  Pace& pace = paces_[key];
  Launches& launches = pace.window[is_first ? 0 : 1];
  ++launches.count;
  launches.time += time.value();
  launches.work += rate * time.value();
  if (std::min(pace.window[0].count, pace.window[1].count) < kLaunches) return false;
  const double speed = pace.window[0].work / pace.window[0].time + pace.window[1].work / pace.window[1].time;
  pace.window = {};
  return advises_new_start(pace, speed);
}

bool PlacementWatch::advises_new_start(Pace& pace, double speed) {
  if (std::exchange(pace.was_anew, false)) {
    const bool helped = speed >= (1.0 - kAsUsual) * pace.usual;
    pace.patience = helped ? kLeastPatience : 2 * pace.patience;
    if (!helped) pace.usual = speed;
  }
  pace.usual = std::max(pace.usual, std::min(speed, pace.last));
  pace.last = speed;
  pace.slow = speed < (1.0 - kSlower) * pace.usual ? pace.slow + 1 : 0;
  if (pace.slow < pace.patience) return false;
  pace.last = 0.0;
  pace.slow = 0;
  pace.was_anew = true;
  return true;
}

}  // namespace wattune::schedule
