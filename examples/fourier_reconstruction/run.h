// Run: a reconstruction from its first call to its last, timed as the application sees it, and checked.
#pragma once

#include <optional>
#include <vector>

#include "inserter.h"

namespace fourier {

// Of a run, kStretch calls long but for the last.
struct Stretch {
  std::uint64_t calls = 0;
  wattune::Nanoseconds sending;  // uploads with it, as far as the call waits for them
  wattune::Nanoseconds waiting;  // for the device
};
inline constexpr std::uint64_t kStretch = 64;

// Of a run, the calls after the last that explored.
struct Settled {
  std::uint64_t calls = 0;
  wattune::Nanoseconds elapsed;
};

struct Run {
  std::uint64_t calls = 0;
  wattune::Nanoseconds elapsed;  // of all calls, each waited for
  wattune::Nanoseconds longest_call;
  std::vector<Stretch> stretches;
  std::uint64_t explored = 0;  // configurations
  // What the calls that explored took on the device, upload and all, where each runs to its end.
  std::vector<wattune::Nanoseconds> exploring;
  Settled settled;
  double overhead_share = 0.0;  // stalls by the tuner's account, of the time
  wattune::Nanoseconds longest_stall;
  wattune::Nanoseconds blocked;  // that calls waited for a compiler, because there was nothing else to run
  Likeness likeness;
  std::uint64_t refused = 0;  // results of candidates that were wrong, which shadowed calls kept from the volume
  bool is_wrong = false;      // the volume is another, or calls are missing in it
  std::optional<wattune::Configuration> best;
  std::vector<wattune::dynamic::KeyReport> keys;  // of the tuned kernel
  wattune::dynamic::Stalls stalls;

  wattune::Nanoseconds call() const { return elapsed / static_cast<double>(calls); }
};

// What one call with each batch adds to outer_weight().
wattune::Result<std::vector<double>> weights_of_batches(Application& application, Inserter& inserter);

wattune::Result<Run> run(Application& application, Inserter& inserter, const Options& options,
                         const std::vector<double>& weights);

}  // namespace fourier
