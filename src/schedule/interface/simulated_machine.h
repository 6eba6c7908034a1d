// SimulatedMachine: a simulated GPU as a machine for schedulers, in virtual time; all its times and energies are
// simulated.
//
// The caller owns it. Any thread may add kernels at any time; otherwise the rules of Machine hold.
//
//   schedule::SimulatedMachine machine(*simulate::find_gpu_model("H100"));
//   WATTUNE_ASSIGN(const auto fma, machine.add(simulate::fma_probe()));
//   schedule::Scheduler scheduler(machine, policy);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulate/interface/simulated_gpu.h"
#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

struct SimulatedMachineOptions {
  simulate::GpuOptions gpu = {};
  // The time that a persistent block needs to fetch its next logical block: an atomic to the L2 cache and back.
  Nanoseconds fetch{700};
};

// Returns the limits of a machine with this GPU.
MachineLimits limits_of(const simulate::GpuModel& gpu);

// Returns the time of the kernel's grid on a GPU of its own. This function and all below that take a SimulatedKernel
// fail with invalid_argument and not_found as SimulatedGpu::add_kernel() does.
Result<Nanoseconds> time_alone(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu);
// Returns the traits that follow from the description of a kernel. The caller measures its time alone and its
// utilisation.
Result<KernelTraits> traits_of(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu);
// Returns the traits of the kernel from runs alone on a GPU of its own: with time, utilisation and saturating share.
Result<KernelTraits> profile_alone(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu);

// Returns the traits of a sequence, which is the launches that make up one work, one after another. A block counts as
// if it took the most resources that a block of any launch takes. Predictions are those of the longest launch.
// Precondition: there is a launch.
Result<KernelTraits> traits_of(const std::vector<simulate::SimulatedKernel>& launches, const simulate::GpuModel& gpu);
Result<KernelTraits> profile_alone(const std::vector<simulate::SimulatedKernel>& launches,
                                   const simulate::GpuModel& gpu);

class SimulatedMachine final : public Machine {
 public:
  explicit SimulatedMachine(simulate::GpuModel gpu, const SimulatedMachineOptions& options = {});
  ~SimulatedMachine() override;

  // Adds a kernel with the traits of profile_alone(), or with the given traits; or adds a sequence.
  Result<KernelId> add(const simulate::SimulatedKernel& kernel);
  KernelId add(const simulate::SimulatedKernel& kernel, const KernelTraits& traits);
  KernelId add(std::vector<simulate::SimulatedKernel> launches, const KernelTraits& traits);

  const MachineLimits& limits() const override;
  const KernelTraits* kernel(KernelId id) const override;
  Nanoseconds now() const override;
  std::optional<Joules> energy() const override;
  Result<LaunchId> launch(const Launch& launch) override;
  void stop(LaunchId launch) override;
  std::vector<Ended> wait(Nanoseconds until) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A kernel with the traits of its profile.
struct ProfiledKernel {
  simulate::SimulatedKernel kernel;
  KernelTraits traits;
};

// Makes a machine with these kernels, numbered in their order.
std::unique_ptr<SimulatedMachine> simulated_machine(const simulate::GpuModel& gpu,
                                                    const std::vector<ProfiledKernel>& kernels,
                                                    const SimulatedMachineOptions& options = {});

}  // namespace wattune::schedule
