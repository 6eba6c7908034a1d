// Report: what dynamic tuning did and what it cost the application. It has a KernelReport for each kernel, and Stalls
// by cause. All are plain values.
//
//   const dynamic::Report report = tuner->report();
//   print(report.stalls.total(), report.saved, report.longest_stall);
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/export.h"
#include "wattune/core/observation.h"
#include "wattune/core/units.h"
#include "wattune/dynamic/policy.h"

namespace wattune::inline v0_1::dynamic {

// Stalls of calls by size. Bin i counts stalls below 2^i microseconds that no earlier bin counts; the last bin counts
// all longer stalls.
struct WATTUNE_EXPORT StallHistogram {
  static constexpr std::size_t kBins = 24;
  std::array<std::uint64_t, kBins> counts{};
};

// Time lost to stalls, by cause.
struct WATTUNE_EXPORT Stalls {
  Nanoseconds loading;    // calls that waited while code was loaded, or while room was made for it
  Nanoseconds exploring;  // slower configurations that ran in place of the best known
  Nanoseconds comparing;  // saving, computing twice and comparing outputs of shadowed calls
  Nanoseconds screening;  // time on the device in the screening process
  Nanoseconds waiting;    // waiting for the device, where measuring is exclusive

  Nanoseconds total() const { return loading + exploring + comparing + screening + waiting; }
};

// The outcome of the calls that tried a configuration.
enum class TriedOutcome { undecided, better, not_better, failed };

constexpr const char* to_string(TriedOutcome outcome) {
  switch (outcome) {
    case TriedOutcome::undecided: return "not decided";
    case TriedOutcome::better: return "better";
    case TriedOutcome::not_better: return "not better";
    case TriedOutcome::failed: return "failed";
  }
  return "unknown";
}

// The fate of a configuration that calls were to try.
struct WATTUNE_EXPORT TriedReport {
  Configuration configuration;
  std::optional<Nanoseconds> expected;  // time of a call, estimated from screening
  std::optional<Nanoseconds> time;      // measured time of a call; nullopt if no call ran it
  std::optional<Nanoseconds> best;      // time of a call of the best known configuration, at the moment of the decision
  std::uint64_t offered_at = 0;         // calls of the key before the configuration was offered
  std::uint64_t decided_at = 0;         // calls of the key before the decision
  TriedOutcome outcome = TriedOutcome::undecided;
  std::string why_failed;  // the reason for a failure, in words
};

// A configuration that failed, in screening or in calls, and why.
struct WATTUNE_EXPORT FailedReport {
  Configuration configuration;
  Status status = Status::runtime;
  std::string message;
};

// The stage of a key's tuning.
enum class TuningStage {
  none,       // tuning has not begun, or is not possible
  under_way,  // configurations are screened or tried
  complete,   // the search came to its end
  cut_short,  // something prevented the rest of the search
};

// One key of a kernel.
struct WATTUNE_EXPORT KeyReport {
  Key key;
  std::optional<Configuration> best;  // nullopt if no configuration is ready yet; calls ran the fallback
  std::optional<Nanoseconds> time;    // time of the best, in calls if it was timed there
  std::uint64_t calls = 0;
  std::uint64_t explored = 0;  // configurations that were tried, in calls or in screening
  std::uint64_t failed = 0;    // number of these that failed and will never be used
  TuningStage stage = TuningStage::none;
  std::string state;                   // the stage in words, such as "screening, 12 of 40"
  std::vector<TriedReport> tried;      // the last 32 configurations that calls were to try
  std::vector<FailedReport> failures;  // the failed configurations, each once
};

// One kernel with all its keys.
struct WATTUNE_EXPORT KernelReport {
  std::string kernel;
  std::uint64_t calls = 0;
  std::uint64_t explored = 0;
  std::uint64_t fallbacks = 0;      // calls that ran the application's function or the generic configuration
  Nanoseconds blocked;              // time that calls waited for a compiler, because there was nothing else to run
  std::uint64_t wrong_results = 0;  // wrong outputs that comparisons found; none of them reached the application
  std::vector<KeyReport> keys;
};

// All kernels of a tuner.
struct WATTUNE_EXPORT Report {
  std::vector<KernelReport> kernels;
  Nanoseconds running;  // time since the first call
  Stalls stalls;
  // The time that calls saved while their keys were tuned, compared with calls of the first configuration of each key.
  Nanoseconds saved;
  Nanoseconds longest_stall;  // longest stall of one call
  StallHistogram histogram;   // stalls of the calls that stalled or could have
  std::uint64_t loads = 0;
  std::uint64_t loads_in_gaps = 0;
  std::vector<std::string> notes;  // what could not be done, and why; one line each
};

// Returns the report as a JSON object on one line (docs/formats/json.md). `wattune report` makes a page of it.
WATTUNE_EXPORT std::string report_json(const Report& report);

}  // namespace wattune::dynamic
