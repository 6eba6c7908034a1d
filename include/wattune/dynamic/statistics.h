// What dynamic tuning did and what it cost the application. Values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/observation.h"
#include "wattune/core/units.h"
#include "wattune/dynamic/policy.h"

namespace wattune::dynamic {

// Stalls of calls by size: bin i counts those below 2^i microseconds and not in a bin before; the last all others.
struct StallHistogram {
  static constexpr std::size_t kBins = 24;
  std::array<std::uint64_t, kBins> counts{};
};

// Where the stalls came from.
struct Stalls {
  Nanoseconds loading;    // calls that waited while code was loaded, or room made for it
  Nanoseconds exploring;  // slower configurations in the place of the best known
  Nanoseconds comparing;  // saving, computing twice and comparing of shadowed calls
  Nanoseconds screening;  // time on the device in the screening process
  Nanoseconds waiting;    // for the device, where measuring is exclusive

  Nanoseconds total() const { return loading + exploring + comparing + screening + waiting; }
};

// What became of a configuration that calls were to try.
struct TriedReport {
  Configuration configuration;
  std::optional<Nanoseconds> expected;  // in calls, by what screening saw
  std::optional<Nanoseconds> time;      // in calls; none: it ran in none
  std::optional<Nanoseconds> best;      // of the best known when it was decided about, in calls
  std::uint64_t offered_at = 0;         // calls of the key before it was
  std::uint64_t decided_at = 0;         // the same
  std::string outcome = "not decided";  // in words: "better", "not better", or why it failed
};

// A configuration that failed, in screening or in calls, and why.
struct FailedReport {
  Configuration configuration;
  Status status = Status::runtime;
  std::string message;
};

// One key of a kernel.
struct KeyReport {
  Key key;
  std::optional<Configuration> best;  // none: the first is not ready; calls ran the fallback
  std::optional<Nanoseconds> time;    // of the best, in place where it was timed there
  std::uint64_t calls = 0;
  std::uint64_t explored = 0;  // configurations that were tried, in calls or in screening
  std::uint64_t failed = 0;    // of these, which will never be used
  bool tuning = false;
  std::string state;                   // in words, for people: "screening, 12 of 40"
  std::vector<TriedReport> tried;      // the last 32 that were to be tried in calls
  std::vector<FailedReport> failures;  // each configuration once
};

struct KernelReport {
  std::string kernel;
  std::uint64_t calls = 0;
  std::uint64_t explored = 0;
  std::uint64_t fallbacks = 0;      // calls that ran the application's function or the generic configuration
  Nanoseconds blocked;              // that calls waited for a compiler, because there was nothing else to run
  std::uint64_t wrong_results = 0;  // that a comparison met; none of them reached the application
  std::vector<KeyReport> keys;
};

struct Report {
  std::vector<KernelReport> kernels;
  Nanoseconds running;  // since the first call
  Stalls stalls;
  Nanoseconds saved;          // by calls against what their keys began with, while these were tuned
  Nanoseconds longest_stall;  // of one call
  StallHistogram histogram;   // of calls that stalled or could have
  std::uint64_t loads = 0;
  std::uint64_t loads_in_gaps = 0;
  std::vector<std::string> notes;  // one line each: what could not be done, and why
};

}  // namespace wattune::dynamic
