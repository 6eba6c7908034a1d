// The sets of kernels that Kernelet's queues consist of (table 5 of the paper). All kernels of a set take equally long
// alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/interface/queue_experiment.h"
#include "simulate/interface/corun_kernels.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::perf {

struct KernelSet {
  std::string name;
  std::vector<std::string> kernels;
};

inline const std::vector<KernelSet> kKernelSets = {{"CI", {"BS", "MM", "TEA", "MRIQ"}},
                                                   {"MI", {"PC", "SPMV", "ST", "SAD"}},
                                                   {"MIX", {"PC", "BS", "TEA", "SAD"}},
                                                   {"ALL", {"PC", "SAD", "SPMV", "ST", "MM", "MRIQ", "BS", "TEA"}}};

// The arguments of a program by position, with a default for those that are absent.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> all) : all_(std::move(all)) {}
  std::string text(std::size_t i, std::string otherwise) const { return i < all_.size() ? all_[i] : otherwise; }
  std::size_t number(std::size_t i, std::size_t otherwise) const {
    return i < all_.size() ? std::stoul(all_[i]) : otherwise;
  }

 private:
  std::vector<std::string> all_;
};

// Finds the GPU model of a name such as "H100", or "H100:33" for 33 of its SMs with their share of the memory; nullopt
// if there is no such preset.
inline std::optional<simulate::GpuModel> find_gpu(const std::string& name) {
  const std::size_t colon = name.find(':');
  const simulate::GpuModel* const preset = simulate::find_gpu_model(name.substr(0, colon));
  if (preset == nullptr) return std::nullopt;
  if (colon == std::string::npos) return *preset;
  simulate::GpuModel part = simulate::with_sms(*preset, static_cast<unsigned>(std::stoul(name.substr(colon + 1))));
  part.name = name;
  return part;
}

// Returns the profiled kernels of a set. The grid of each kernel fills the GPU `waves` times; `variation` is
// SimulatedKernel::variation.
inline std::vector<schedule::ProfiledKernel> profiled(const simulate::GpuModel& gpu, const KernelSet& set,
                                                      unsigned waves, double variation = 0.0) {
  std::vector<simulate::SimulatedKernel> kernels;
  for (const std::string& name : set.kernels)
    for (const simulate::KerneletKernel& row : simulate::kernelet_kernels())
      if (row.kernel.name == name) kernels.push_back(row.kernel);
  for (simulate::SimulatedKernel& kernel : kernels) kernel.variation = variation;
  const auto scaled = schedule::equally_long(gpu, std::move(kernels), nanoseconds_from_ms(4), waves).value();
  return schedule::profile_all(gpu, scaled).value();
}

}  // namespace wattune::perf
