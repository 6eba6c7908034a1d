// DeviceMachine: a CUDA or OpenCL device of this process as a machine for schedulers; times are measured.
//
// The device must outlive the machine. The machine keeps the kernels that were added, and owns its streams. While it
// runs launches, nobody else may launch on the device. Kernels may be added from any thread at any time; otherwise the
// rules of Machine hold. Its destructor stops the launches that can be stopped and waits for all, at most for
// `end_limit`.
//
//   WATTUNE_ASSIGN(const auto device, backend::open_cuda_in_primary_context("cuda:0"));
//   WATTUNE_ASSIGN(auto machine, schedule::DeviceMachine::make(*device));
//   WATTUNE_ASSIGN(const auto id, machine->add(kernel, traits));
//   schedule::Runtime runtime(std::move(machine), {.policy = policy});
#pragma once

#include <memory>
#include <vector>

#include "schedule/interface/loaded_kernel.h"
#include "wattune/backend/device.h"
#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

struct DeviceMachineOptions {
  // The run time of the logical blocks that a persistent block takes at once from the launch's counter of blocks. It
  // bounds the cost of taking blocks and the time until a kernel has stopped.
  Nanoseconds chunk_time = Nanoseconds(10e3);
  // The period at which a thread reads the board's energy counter, about that at which boards renew it. With infinity
  // the counter is never read.
  Nanoseconds energy_every = nanoseconds_from_ms(100);
  backend::Sensors* sensors = nullptr;  // read instead of the device's own; they outlive the machine
  // The time for which the destructor waits for running launches. After it, everything is as after a timeout of
  // Device::finish().
  Nanoseconds end_limit = nanoseconds_from_seconds(10);
};

class DeviceMachine final : public Machine {
 public:
  // Makes a machine of the device. Fails with device_lost. Ranges and slices that the device cannot do are refused at
  // the launch.
  static Result<std::unique_ptr<DeviceMachine>> make(backend::Device& device, const DeviceMachineOptions& options = {});
  ~DeviceMachine() override;

  // Returns the facts of a kernel that follow from device and grid: its name, its blocks and the demand of one, how
  // many are resident alone, and its forms. The facts of a sequence are those of all its launches. The caller measures
  // its time alone, its profile and its utilisation.
  Result<KernelTraits> traits_of(const LoadedKernel& kernel) const;
  // Adds a kernel with these traits; forms that the code does not have are removed from them. Adding the same kernel
  // with other traits costs one table entry. Fails with invalid_argument if the traits have another number of blocks
  // than the kernel.
  Result<KernelId> add(std::shared_ptr<const LoadedKernel> kernel, KernelTraits traits);

  // Sets the copies that launches of this kernel may name. Numbers beyond the last copy stand for the first ones again.
  // Precondition: the kernel was added, and nothing runs.
  void set_copies(KernelId id, std::vector<std::shared_ptr<const LoadedKernel>> copies);

  // Returns the limits of the device. The capability is unknown on devices that are not CUDA's. split_grain comes from
  // the driver, or equals `sms` if streams cannot have SMs of their own.
  const MachineLimits& limits() const override;
  const KernelTraits* kernel(KernelId id) const override;
  Nanoseconds now() const override;               // since the construction of the machine, by the steady clock
  std::optional<Joules> energy() const override;  // the latest reading; the board is not asked

  // Launches the kernel. Fails with not_found if there is no such kernel, and with unavailable if the kernel has no
  // such form or the device no such range. Fails with invalid_argument if the blocks are beyond the grid, or a
  // persistent launch has no resident blocks. Fails with launch_failed and device_lost as Stream::launch() does.
  Result<LaunchId> launch(const Launch& launch) override;
  void stop(LaunchId launch) override;
  // Returns the launches that ended. Begin and end are device times on the clock of now(). Both lie between the moment
  // of sending the launch and the moment of noticing its end.
  std::vector<Ended> wait(Nanoseconds until) override;
  void wake() override;

 private:
  struct State;
  explicit DeviceMachine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wattune::schedule
