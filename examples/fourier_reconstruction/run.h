// A reconstruction from its first call to its last, timed as the application sees it and checked at the end.
#pragma once

#include <optional>
#include <vector>

#include "inserter.h"

namespace fourier {

// A part of a run. It has kStretch calls, except at the end of the run.
struct Stretch {
  std::uint64_t calls = 0;
  wattune::Nanoseconds sending;  // with uploads, as far as the call waits for them
  wattune::Nanoseconds waiting;  // for the device
};
inline constexpr std::uint64_t kStretch = 64;

// The calls of a run after the last call that explored a configuration.
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
  // The time on the device of each call that explored a configuration, with its upload. It is empty if such calls are
  // not waited for.
  std::vector<wattune::Nanoseconds> exploring;
  Settled settled;
  double overhead_share = 0.0;  // stalls by the tuner's account, as a share of the time
  wattune::Nanoseconds longest_stall;
  wattune::Nanoseconds blocked;  // time that calls waited for a compiler, because there was nothing else to run
  Likeness likeness;
  std::uint64_t refused = 0;  // wrong results of candidates, which shadowed calls kept out of the volume
  bool is_wrong = false;      // the volume is wrong, or calls are missing in it
  std::optional<wattune::Configuration> best;
  std::vector<wattune::dynamic::KeyReport> keys;  // of the tuned kernel
  wattune::dynamic::Stalls stalls;

  wattune::Nanoseconds call() const { return elapsed / static_cast<double>(calls); }
};

// Returns for each batch the weight that one call with this batch adds to outer_weight().
wattune::Result<std::vector<double>> weights_of_batches(Application& application, Inserter& inserter);

wattune::Result<Run> run(Application& application, Inserter& inserter, const Options& options,
                         const std::vector<double>& weights);

}  // namespace fourier
