// ProfilerHost: what CUPTI knows of a chip's counters: their names, how to collect them, what the collected data say.
//
// The Profiler Host API of "CUPTI"; it needs neither device nor driver.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/cupti_api.h"
#include "wattune/backend/counters.h"
#include "wattune/core/observation.h"

namespace wattune::backend::cuda {

class ProfilerHost {
 public:
  // `chip` is CUPTI's name of it: GH100. `available` says which of its counters the device at hand lets one read;
  // empty: all. not_found: a chip that this CUPTI does not know.
  static Result<ProfilerHost> open(const CuptiApi& cupti, const std::string& chip,
                                   std::vector<std::uint8_t> available = {});

  Result<std::vector<CounterInfo>> counters() const;
  // How a range profiler is to collect these: a config image. not_found, naming the nearest counter; invalid_argument,
  // naming sub-metrics.
  Result<std::vector<std::uint8_t>> configure(const std::vector<std::string>& names);
  // Their values in the first range of `data`, with units. Those that are no number there, such as the hit rate of a
  // cache that nobody used, are left out.
  Result<std::vector<Metric>> evaluate(std::span<const std::uint8_t> data, const std::vector<std::string>& names) const;

 private:
  struct Close {
    const CuptiApi* cupti;
    void operator()(CUpti_Profiler_Host_Object* object) const;
  };
  using Object = std::unique_ptr<CUpti_Profiler_Host_Object, Close>;

  ProfilerHost(const CuptiApi& cupti, Object object, std::vector<std::uint8_t> available)
      : cupti_(&cupti), available_(std::move(available)), object_(std::move(object)) {}

  // Without sub-metrics.
  Result<std::vector<std::string>> names_of(CUpti_MetricType type) const;
  CUptiResult describe(const std::string& metric, CUpti_Profiler_Host_GetMetricProperties_Params& properties) const;
  // Why these cannot be collected, which CUPTI does not say.
  Error explain(CUptiResult code, const std::vector<std::string>& names) const;
  Result<void> check(const std::string& name) const;
  std::vector<std::string> sub_metrics(const std::string& metric, CUpti_MetricType type) const;

  const CuptiApi* cupti_;
  std::vector<std::uint8_t> available_;  // outlives the object
  Object object_;
};

// As CUPTI takes them.
std::vector<const char*> pointers_to(const std::vector<std::string>& names);

}  // namespace wattune::backend::cuda
