// ProfilerHost: answers questions about a chip's counters: their names, how to collect them, and the values in
// collected data.
//
// It uses the Profiler Host API of "CUPTI", which needs neither device nor driver.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/cupti_api.h"
#include "wattune/backend/counters.h"
#include "wattune/core/observation.h"

namespace wattune::inline v0_1::backend::cuda {

class ProfilerHost {
 public:
  // Opens a chip by CUPTI's name for it, such as GH100. `available` says which of the chip's counters the present
  // device can read; if empty, all count. Fails with not_found if this CUPTI does not know the chip.
  static Result<ProfilerHost> open(const CuptiApi& cupti, const std::string& chip,
                                   std::vector<std::uint8_t> available = {});

  Result<std::vector<CounterInfo>> counters() const;
  // Returns CUPTI's config image, by which a range profiler collects these counters. Fails with not_found, naming the
  // nearest counter, or with invalid_argument, naming the counter's sub-metrics.
  Result<std::vector<std::uint8_t>> configure(const std::vector<std::string>& names);
  // Returns the counters' values in the first range of `data`, with units. Leaves out values that are not a number,
  // such as the hit rate of a cache that was not used.
  Result<std::vector<Metric>> evaluate(std::span<const std::uint8_t> data, const std::vector<std::string>& names) const;

 private:
  struct Close {
    const CuptiApi* cupti;
    void operator()(CUpti_Profiler_Host_Object* object) const;
  };
  using Object = std::unique_ptr<CUpti_Profiler_Host_Object, Close>;

  ProfilerHost(const CuptiApi& cupti, Object object, std::vector<std::uint8_t> available)
      : cupti_(&cupti), available_(std::move(available)), object_(std::move(object)) {}

  // Returns the names of all counters of a type, without sub-metrics.
  Result<std::vector<std::string>> names_of(CUpti_MetricType type) const;
  CUptiResult describe(const std::string& metric, CUpti_Profiler_Host_GetMetricProperties_Params& properties) const;
  // Finds the reason why these counters cannot be collected together, which CUPTI does not report.
  Error explain(CUptiResult code, const std::vector<std::string>& names) const;
  Result<void> check(const std::string& name) const;
  std::vector<std::string> sub_metrics(const std::string& metric, CUpti_MetricType type) const;

  const CuptiApi* cupti_;
  std::vector<std::uint8_t> available_;  // data that host_ uses, and so declared before it and destroyed after it
  Object object_;
};

// Returns the names as the C strings that CUPTI takes.
std::vector<const char*> pointers_to(const std::vector<std::string>& names);

}  // namespace wattune::backend::cuda
