// Hardware counters: what a device can count while a kernel runs. NVIDIA's GPUs have thousands, read through CUPTI.
//
// A counter becomes a number by a sub-metric behind its name: dram__bytes_read.sum is the sum over all memory
// controllers, dram__bytes_read.sum.per_second that over time. Counted by Stream::count(). Any thread may call.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::backend {

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

// What devices answer whose counters cannot be read.
inline Error no_counters() { return Error(ErrorCode::unavailable, "hardware counters are read of CUDA devices only"); }

// Those of a chip, such as GH100, without the device; the device's own: Device::counters(). Loads CUPTI into this
// process. unavailable: no CUPTI; not_found, naming the nearest chip.
Result<std::vector<CounterInfo>> counters_of_chip(const std::string& chip);

}  // namespace wattune::backend
