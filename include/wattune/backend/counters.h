// Hardware counters: what a device can count while a kernel runs. NVIDIA's GPUs have thousands, read through CUPTI.
//
// A counter becomes a number by a sub-metric behind its name: dram__bytes_read.sum is the sum over all memory
// controllers, dram__bytes_read.sum.per_second that over time. A device that has counters gives Counters
// (Device::counters()), which belong to it and are used by the thread that uses it; any thread may call the functions.
//
//   WATTUNE_ASSIGN(Counters* const counters, device->counters());
//   WATTUNE_TRY(stream->launch(*kernel, geometry, arguments));
//   WATTUNE_ASSIGN(std::vector<Metric> values, counters->count(*stream, {"dram__bytes_read.sum"}, limit));
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/observation.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend {

class Stream;

// Which sub-metrics it takes.
enum class CounterKind {
  counter,     // .sum .avg .min .max, and behind each .per_second, .per_cycle_active, .pct_of_peak_sustained_elapsed...
  ratio,       // .ratio .pct .max_rate
  throughput,  // .avg.pct_of_peak_sustained_elapsed and its like
};

std::string_view to_string(CounterKind kind);

struct CounterInfo {
  std::string name;
  CounterKind kind = CounterKind::counter;
  std::string unit;  // without a sub-metric
  std::string description;

  bool operator==(const CounterInfo&) const = default;
};

// A short name for a counter that many ask for.
struct CounterAlias {
  const char* name;
  const char* counter;  // with its sub-metric, as chips from Turing to Hopper have it
  const char* meaning;
};

// Lives as long as the program.
std::span<const CounterAlias> counter_aliases();

// A device's ability to count. Whether it may be used shows when it is.
class Counters {
 public:
  virtual ~Counters() = default;
  // All that it can count. unavailable: no CUPTI.
  virtual Result<std::vector<CounterInfo>> list() = 0;
  // Runs the commands that `stream`, of this device, was given since its last finish(), as often as the hardware needs
  // to count all these counters from their first launch to their last. Their values, without those that mean nothing
  // for this kernel. `limit` is of all runs together. Without a launch it only tells whether they can be counted.
  // As Stream::finish(); not_found and invalid_argument (a name, a stream of another device, commands that wait for
  // another stream); unavailable (no CUPTI, not permitted).
  virtual Result<std::vector<Metric>> count(Stream& stream, const std::vector<std::string>& counters,
                                            Nanoseconds limit) = 0;
};

// Those of a chip, such as GH100, without the device; the device's own: Counters::list(). Loads CUPTI into this
// process. unavailable: no CUPTI; not_found, naming the nearest chip.
Result<std::vector<CounterInfo>> counters_of_chip(const std::string& chip);

}  // namespace wattune::backend
