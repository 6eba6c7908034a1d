// Jiao's kernels that run alone on a simulated GT 640, at all clocks. Their rates are those of the fast fidelity.
#pragma once

#include "schedule/interface/simulated_machine.h"
#include "simulate/interface/gt640_kernels.h"
#include "simulate/interface/steady_flow.h"

namespace wattune::perf {

using simulate::ClockPair;
using simulate::Efficiency;
using simulate::GpuModel;
using simulate::gt640;
using simulate::Gt640Kernel;
using simulate::Residents;

constexpr simulate::GpuOptions kDetailed{.fidelity = simulate::Fidelity::detailed};
constexpr double kInstructions = 3e5;  // of a detailed run

enum class Clocks { highest, best };

inline const Gt640Kernel& named(const char* name) { return *simulate::find_gt640_kernel(name); }

inline Residents all_of(const Gt640Kernel& kernel) { return {&kernel.kernel, kernel.resident}; }
inline Efficiency alone(const Gt640Kernel& kernel, Clocks clocks) {
  const Residents all = all_of(kernel);
  return clocks == Clocks::best ? simulate::best_efficiency(gt640(), {&all, 1})
                                : simulate::efficiency_at(gt640(), simulate::highest_clocks(gt640()), {&all, 1});
}

inline backend::BoardSetting setting_of(const ClockPair& clocks) {
  return {.graphics = clocks.core, .memory = clocks.memory};
}

inline Watts idle_power(const ClockPair& clocks) {
  return simulate::power_at(*simulate::find_board_model(gt640().board),
                            {.graphics = clocks.core, .memory = clocks.memory}, {}, Celsius(50));
}

// Returns the traits of a kernel that a scheduler would know from runs of the kernel alone at these clocks.
inline schedule::KernelTraits traits_at(const Gt640Kernel& kernel, const ClockPair& clocks) {
  const GpuModel gpu = simulate::at_clocks(gt640(), clocks);
  schedule::KernelTraits traits = schedule::traits_of(kernel.kernel, gpu).value();
  const Residents all = all_of(kernel);
  const Efficiency full = simulate::efficiency_at(gt640(), clocks, {&all, 1});
  for (unsigned blocks = 1; blocks <= kernel.resident; ++blocks) {
    const Residents some{&kernel.kernel, blocks};
    traits.rate_at_residency.push_back(simulate::steady_flow(gpu, {&some, 1}).operations / full.flow.operations);
  }
  traits.utilisation = {full.flow.activity.core, full.flow.dram_gigabytes / gpu.dram_gigabytes_per_second};
  traits.power = {.alone = full.power, .idle = idle_power(clocks)};
  return traits;
}

}  // namespace wattune::perf
