// SimulatedMachine: a GPU that does not exist as a machine for schedulers, in virtual time; what it tells is simulated.
//
// Owned by the caller. Kernels may be added from any thread at any time; all else as Machine.
//
//   schedule::SimulatedMachine machine(*simulate::find_gpu_model("H100"));
//   WATTUNE_ASSIGN(const auto fma, machine.add(simulate::fma_probe()));
//   schedule::Scheduler scheduler(machine, policy);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"
#include "wattune/simulate/simulated_gpu.h"

namespace wattune::schedule {

struct SimulatedMachineOptions {
  simulate::GpuOptions gpu = {};
  // What fetching its next logical block takes a persistent block: an atomic to the L2 cache and back.
  Nanoseconds fetch{700};
};

MachineLimits limits_of(const simulate::GpuModel& gpu);

// Of the kernel's grid on a GPU of its own. invalid_argument, not_found, as SimulatedGpu::add_kernel().
Result<Nanoseconds> time_alone(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu);
// What it keeps busy meanwhile (KernelTraits::use).
Result<std::vector<double>> use_alone(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu);
// What the description says of a kernel; its time alone and its utilisation are left to whoever measures them.
Result<KernelTraits> traits_of(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu);
// The kernel as schedulers see it, from runs alone on a GPU of its own: time, utilisation, saturating share.
Result<KernelTraits> profile_alone(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu);

class SimulatedMachine final : public Machine {
 public:
  explicit SimulatedMachine(simulate::GpuModel gpu, const SimulatedMachineOptions& options = {});
  ~SimulatedMachine() override;

  // As profile_alone() says of it, or with traits that were had earlier.
  Result<KernelId> add(const simulate::SimulatedKernel& kernel);
  KernelId add(const simulate::SimulatedKernel& kernel, const KernelTraits& traits);

  const MachineLimits& limits() const override;
  const KernelTraits* kernel(KernelId id) const override;
  Nanoseconds now() const override;
  Joules energy() const override;
  Result<LaunchId> launch(const Launch& launch) override;
  void stop(LaunchId launch) override;
  std::vector<Ended> wait(Nanoseconds until) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A kernel with what a profile of it says.
struct ProfiledKernel {
  simulate::SimulatedKernel kernel;
  KernelTraits traits;
};

// A machine of its own with these kernels, numbered in their order.
std::unique_ptr<SimulatedMachine> simulated_machine(const simulate::GpuModel& gpu,
                                                    const std::vector<ProfiledKernel>& kernels,
                                                    const SimulatedMachineOptions& options = {});

}  // namespace wattune::schedule
