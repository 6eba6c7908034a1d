// WisdomEntry: the best configuration that is known for one kernel, device and key, and how well it is known.
//
// A kernel is known by the version of its code, so that what was measured of other code is not mistaken for knowledge
// about this one. Values, owned; any thread may call.
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

// Where the time of an entry comes from, the nearest to the application first.
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
// Reads the files that the kernel includes. Of several languages that of `spec.source` counts.
KernelVersion version_of(const KernelSpec& spec);

struct WisdomEntry {
  KernelVersion kernel;
  std::string device;        // its model, as DeviceInfo::name
  std::string architecture;  // "sm_90"; empty for devices that have none
  Key key;
  Configuration configuration;  // by names and values: its id means nothing
  Nanoseconds time;
  Nanoseconds low;  // the interval in which the time lies
  Nanoseconds high;
  std::uint64_t samples = 0;
  Measured measured = Measured::offline;
  bool tuned = true;  // its tuning was over; else this is the best so far, and who runs it next tunes on
  std::chrono::system_clock::time_point measured_at;
  std::string wattune_version;
};

// invalid_argument: nobody can have measured this, or a file could not hold it.
Result<void> check(const WisdomEntry& entry);

// Which of two entries for the same kernel, device and key is kept. Where only one was tuned that one, unless the
// other's interval lies below its own. Else the one that was measured later if it was measured in place or its interval
// lies below the other's, else the earlier one. It does not matter which is named first, unless both were measured at
// the same time: then `a` is the earlier one.
const WisdomEntry& better(const WisdomEntry& a, const WisdomEntry& b);

// The best configuration of results as an entry; empty when none is correct. `spec` is that of the kernel, of which
// the results may not know the version; its sizes count where the results tell none. mismatch: the results are of
// another version of the kernel, of other parameters or sizes, of another objective than the least time, or replayed.
Result<std::vector<WisdomEntry>> entries_from(const ResultSet& results, KernelSpec spec);

// The reverse, for what reads results: a run with one Trial for each entry.
std::vector<ResultSet> results_from(const std::vector<WisdomEntry>& entries);

}  // namespace wattune::dynamic
