// TuningPolicy: what a tunable kernel may do to the application that calls it: Mode, Safety, Measuring, and when to
// tune. A Budget limits what tuning may cost. All are plain values. The defaults suit an application that nobody
// watches.
//
//   const dynamic::TuningPolicy policy{.safety = dynamic::Safety::shadowed, .calls_before_tuning = 1000};
//   WATTUNE_ASSIGN(const auto scale, tuner->kernel(spec, {.policy = policy}));
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "wattune/core/export.h"
#include "wattune/core/units.h"
#include "wattune/dynamic/key.h"
#include "wattune/search/stop_rule.h"

namespace wattune::inline v0_1::dynamic {

// The choice of the configuration that a call runs.
enum class Mode {
  automatic,  // runs the best known configuration; explores when tuning is due and the budget allows it
  best,       // runs the best known configuration, never explores
  explore     // runs a configuration that was not tried yet, if one is ready, even if the budget does not allow it
};

// The check that a configuration passes before the application's results depend on it.
enum class Safety {
  // The configuration ran in a process of its own on generated data. Its outputs were compared with those of the
  // reference, or of the default configuration if the spec has no reference.
  screened,
  // The exploring call computes the outputs twice from the same contents, with the candidate and with the best known
  // configuration, and compares them. The outputs of the best known configuration are kept.
  shadowed,
  // No check: every configuration is right by construction.
  trusted
};

// The comparison of a configuration's time with that of the best known one.
enum class Measuring {
  paired,    // calls run both in turns, in the application's stream, whatever else the device does
  exclusive  // as paired, but the device does nothing else: each call waits for it before and after
};

// Limits of what tuning may cost the application. The stall of a call is its duration minus that of the best known
// configuration: loading, waiting and a slower kernel all count. Screening counts by its time on the device.
struct WATTUNE_EXPORT Budget {
  // Largest share of time that all stalls together may take. It is a share of the time since the first call, or of the
  // time of all calls that the application expects (TunableKernel::expect()), whichever is longer.
  double share = 0.02;
  // Share of the saved time that stalls may take in addition to `share`. The saved time of a call is its difference to
  // the time of the configuration with which its key began.
  double reinvested = 0.5;
  // Longest stall of one call. If it is not set, the limit is 5 ms plus twice the time of the best known configuration.
  std::optional<Nanoseconds> longest = {};
};

// The policy of one kernel.
struct WATTUNE_EXPORT TuningPolicy {
  Mode mode = Mode::automatic;
  Safety safety = Safety::screened;
  Measuring measuring = Measuring::paired;
  // Search strategy for a key, and the rule that ends its tuning: evaluations, seconds, ... (search/stop_rule.h). If
  // empty, a strategy and a rule are chosen that suit the space.
  std::string strategy = {};
  search::StopRule stop = {};
  // A time that is good enough: tuning of the key ends when it is reached (Petrovic et al. 2020, 5.2.1: a share of the
  // peak bandwidth). The function may be empty.
  std::function<std::optional<Nanoseconds>(const Key&)> good_enough = {};
  // A lower bound on the time of any configuration in calls of a key, such as bytes moved over the peak bandwidth (the
  // roofline). The closer the best known time is to this bound, the fewer configurations are tried. The function may be
  // empty.
  std::function<std::optional<Nanoseconds>(const Key&)> least_time = {};
  // True to tune keys that are already known. Otherwise a key whose tuning was completed is not tuned again. If only
  // the nearest key is known, tuning begins with its result.
  bool tune_known = false;
  // True to adopt configurations without a comparison of their outputs, at levels of Safety other than `trusted`. A
  // comparison is impossible if the spec has no reference and the default configuration fails, or if there is no output
  // to compare.
  bool adopt_unverified = false;
  // Number of calls of a key from which on its tuning begins. Both calls that were made and calls that were announced
  // (TunableKernel::expect()) count. Tuning pays only if many calls follow (Petrovic et al. 2020, equation 4). With 0,
  // tuning begins at the first call.
  std::uint64_t calls_before_tuning = 0;
  // Interval at which calls of the best known configuration are timed to watch for drift: one in so many calls. With
  // nullopt no call is timed. If the times change by the share `drift`, the key is tuned again.
  std::optional<std::uint64_t> watch_every = 64;
  double drift = 0.15;
  std::uint64_t seed = 1;
};

}  // namespace wattune::dynamic
