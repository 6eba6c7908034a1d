// Hardware counters: events that a device can count while a kernel runs. NVIDIA's GPUs have thousands, read through
// CUPTI.
//
// A sub-metric behind the name of a counter makes it a number: dram__bytes_read.sum is the sum over all memory
// controllers, dram__bytes_read.sum.per_second is that sum over time. A device with counters has a Counters object
// (Device::counters()), which it owns; the thread that uses the device uses it too. Any thread may call the free
// functions.
//
//   WATTUNE_ASSIGN(Counters* const counters, device->counters());
//   WATTUNE_TRY(stream->launch(*kernel, geometry, arguments));
//   WATTUNE_ASSIGN(std::vector<Metric> values, counters->count(*stream, {"dram__bytes_read.sum"}, limit));
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend {

class Stream;

// The kind of a counter, which decides the sub-metrics that it takes.
enum class CounterKind {
  counter,     // .sum .avg .min .max, and behind each .per_second, .per_cycle_active, .pct_of_peak_sustained_elapsed...
  ratio,       // .ratio .pct .max_rate
  throughput,  // .avg.pct_of_peak_sustained_elapsed and its like
};

WATTUNE_EXPORT std::string_view to_string(CounterKind kind);

// A counter as a device describes it.
struct WATTUNE_EXPORT CounterInfo {
  std::string name;
  CounterKind kind = CounterKind::counter;
  std::string unit;  // the unit of the counter without a sub-metric
  std::string description;

  bool operator==(const CounterInfo&) const = default;
};

// A short name for a counter that is often requested.
struct WATTUNE_EXPORT CounterAlias {
  const char* name;
  const char* counter;  // the counter with its sub-metric, as chips from Turing to Hopper have it
  const char* meaning;
};

// Returns the aliases of common counters, which live as long as the program.
WATTUNE_EXPORT std::span<const CounterAlias> counter_aliases();

// A device's ability to count events. Whether the user is permitted to count shows only when count() is called.
class WATTUNE_EXPORT Counters {
 public:
  virtual ~Counters() = default;
  // Lists all counters of the device. Fails with unavailable without CUPTI.
  virtual Result<std::vector<CounterInfo>> list() = 0;
  // Runs the commands that `stream` was given since its last finish(). Repeats them as often as the hardware needs to
  // count all these counters from the first launch to the last. Returns the counters' values, without those that have
  // no meaning for this kernel. `limit` bounds all runs together. If the stream has no launch, the call only checks
  // whether the counters can be counted.
  //
  // Fails with the errors of Stream::finish(), and with not_found for an unknown name. Fails with invalid_argument for
  // a stream of another device, or for commands that wait for another stream. Fails with unavailable without CUPTI or
  // without permission.
  virtual Result<std::vector<Metric>> count(Stream& stream, const std::vector<std::string>& counters,
                                            Nanoseconds limit) = 0;
};

// Lists the counters of a chip, such as GH100, without the device; Counters::list() lists those of a device. Loads
// CUPTI into this process. Fails with unavailable without CUPTI, with not_found naming the nearest chip.
WATTUNE_EXPORT Result<std::vector<CounterInfo>> counters_of_chip(const std::string& chip);

}  // namespace wattune::backend
