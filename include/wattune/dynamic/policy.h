// What a tunable kernel may do to the application that calls it: modes, levels of safety, budgets, when to tune. Plain
// values; every default is what suits an application that nobody watches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "wattune/core/units.h"
#include "wattune/dynamic/key.h"
#include "wattune/search/stop_rule.h"

namespace wattune::dynamic {

// What a call does.
enum class Mode {
  automatic,  // runs the best known; explores when tuning is due and the budget allows it
  best,       // runs the best known, never explores
  explore     // uses a configuration that was not tried, if one is ready, whatever the budget says
};

// What is known of a configuration before the application's results depend on it.
enum class Safety {
  screened,  // it ran in a process of its own on generated data, and its outputs were compared with the reference's or,
             // where the spec has none, with those of the default configuration
  shadowed,  // in the call, outputs were saved, computed by both, compared, and only then kept
  trusted    // nothing: every configuration is right by construction
};

// How a configuration's time is told from the best known one's.
enum class Measuring {
  paired,    // calls of both in turns, in the application's stream, whatever else the device does
  exclusive  // as paired, in calls during which the device does nothing else: each waits for it before and after
};

// A call's stall is its duration less that of the best known: loading, waiting and a slower kernel all count. Screening
// counts by its time on the device.
struct Budget {
  // All stalls together take at most so much of the time since the first call, or of what the calls will take that the
  // application expects (TunableKernel::expect()), where that is more,
  double share = 0.02;
  // and so much of what tuning has saved since: of what calls take less than with what their key began with.
  double reinvested = 0.5;
  // Of one call. None: 5 ms, and twice what the best known takes besides.
  std::optional<Nanoseconds> longest = {};
};

struct TuningPolicy {
  Mode mode = Mode::automatic;
  Safety safety = Safety::screened;
  Measuring measuring = Measuring::paired;
  // How to search a key, and when its tuning is over: evaluations, seconds, ... (search/stop_rule.h). Empty: a strategy
  // and a rule that suit the space.
  std::string strategy = {};
  search::StopRule stop = {};
  // A time with which a key is content (paper 001, 5.2.1: a share of the peak bandwidth); empty: none.
  std::function<std::optional<Nanoseconds>(const Key&)> good_enough = {};
  // No configuration takes less in calls of a key, as the bytes that it has to move over the peak bandwidth (the
  // roofline). The less is left above that, the less is tried. Empty: nobody knows.
  std::function<std::optional<Nanoseconds>(const Key&)> least_time = {};
  // Known results: of the exact key, if its tuning was not cut short, it is over at once, unless `tune_known`; of the
  // nearest it begins there.
  bool tune_known = false;
  // Configurations that are not trusted are adopted though nothing could be compared: the spec has no reference, and
  // the default configuration fails, or there is no output to compare.
  bool adopt_unverified = false;
  // A key is tuned when so many calls are expected to come that tuning pays (paper 001, equation 4): as many as the
  // application says (TunableKernel::expect()), or as came so far. 0: at its first call.
  std::uint64_t calls_before_tuning = 0;
  // Every so many calls of the best known are timed, and where the times moved by `drift`, the key is tuned again. 0:
  // no.
  std::uint64_t watch_every = 64;
  double drift = 0.15;
  std::uint64_t seed = 1;
};

}  // namespace wattune::dynamic
