// WisdomEntry: the best known configuration for one kernel, device and key, with its measured time and interval.
//
// A kernel is identified by the version of its code, so that measurements of other code are not used for it. Entries
// are values that own their data; any thread may use them.
//
//   WisdomEntry entry{.kernel = version_of(spec), .device = device.name, .key = key, .configuration = best};
//   WATTUNE_TRY(check(entry));
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/core/trial.h"
#include "wattune/core/units.h"
#include "wattune/dynamic/key.h"

namespace wattune::dynamic {

// The origin of an entry's time. The one nearest to the application comes first.
enum class Measured {
  in_place,  // in calls of the application
  screened,  // in a worker beside the application, on data of its own
  offline    // by a tuner
};
std::string_view to_string(Measured measured);  // "in place"

// A kernel by name, with a hash of its tune::kernel_identity().
struct KernelVersion {
  std::string name;
  std::string version;  // 32 hexadecimal digits

  friend bool operator==(const KernelVersion&, const KernelVersion&) = default;
};
// Returns the version of a kernel; reads the files that it includes. If there are sources in several languages,
// `spec.source` counts.
KernelVersion version_of(const KernelSpec& spec);

struct WisdomEntry {
  KernelVersion kernel;
  std::string device;        // model of the device, as in DeviceInfo::name
  std::string architecture;  // "sm_90"; empty for devices without one
  Key key;
  Configuration configuration;  // names and values only; its id means nothing
  Nanoseconds time;
  Nanoseconds low;  // interval of the time
  Nanoseconds high;
  std::uint64_t samples = 0;
  Measured measured = Measured::offline;
  bool tuned = true;  // true if tuning was completed; if false, this is the best so far, and the next run tunes on
  std::chrono::system_clock::time_point measured_at;
  std::string wattune_version;
};

// Fails with invalid_argument if these values cannot have been measured, or if a file cannot hold them.
Result<void> check(const WisdomEntry& entry);

// Returns the entry to keep of two for the same kernel, device and key:
// - If only one was tuned, that one, unless the other's interval lies below its own.
// - Else the later one, if it was measured in place or its interval lies below the other's.
// - Else the earlier one.
// The order of the arguments matters only if both were measured at the same time: then `a` counts as the earlier one.
const WisdomEntry& better(const WisdomEntry& a, const WisdomEntry& b);

// Returns the best configuration of results as an entry; empty if none is correct. `spec` is the kernel's spec, since
// results may not know its version; its sizes count if the results tell none. Fails with mismatch if the results are of
// another version, of other parameters or sizes, of another objective than the least time, or replayed.
Result<std::vector<WisdomEntry>> entries_from(const ResultSet& results, KernelSpec spec);

// Returns one run with one Trial for each entry, for code that reads results.
std::vector<ResultSet> results_from(const std::vector<WisdomEntry>& entries);

}  // namespace wattune::dynamic
