#include "schedule/interface/simulated_machine.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "schedule/interface/profile.h"
#include "simulate/interface/corun_kernels.h"
#include "simulate/interface/ptx_profile.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

namespace {

struct Alone {
  Nanoseconds time;
  std::vector<double> use;
};

Result<Alone> simulate_alone(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& model) {
  simulate::SimulatedGpu gpu(model);
  WATTUNE_ASSIGN(const auto id, gpu.add_kernel(kernel));
  WATTUNE_TRY(gpu.submit({.kernel = id}));
  const auto done = gpu.wait();
  const Nanoseconds time = done->end - done->begin;
  return Alone{time, simulate::use_of(kernel, time, gpu.counters(), model)};
}

}  // namespace

// Returns the limits of the GPU. Green contexts on an H100 get SMs in fours (docs/results/corun.md). Older GPUs have no
// green contexts; any number will do for experiments.
MachineLimits limits_of(const simulate::GpuModel& gpu) {
  return {.capability = gpu.capability,
          .sms = gpu.sms,
          .split_grain = gpu.capability.major >= 9 ? 4U : 1U,
          .hardware_queues = gpu.hardware_queues};
}

Result<Nanoseconds> time_alone(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu) {
  WATTUNE_ASSIGN(const Alone alone, simulate_alone(kernel, gpu));
  return alone.time;
}

Result<KernelTraits> traits_of(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu) {
  WATTUNE_ASSIGN(const auto profile, simulate::pair_kernel(kernel, gpu));
  return KernelTraits{.name = kernel.name,
                      .block = kernel.block,
                      .blocks = kernel.blocks,
                      .alone = {},
                      .profile = profile,
                      .utilisation = {},
                      .least_slice = static_cast<std::uint64_t>(profile.blocks_alone) * gpu.sms};
}

Result<KernelTraits> profile_alone(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu) {
  WATTUNE_ASSIGN(KernelTraits traits, traits_of(kernel, gpu));
  WATTUNE_ASSIGN(const Alone alone, simulate_alone(kernel, gpu));
  traits.use = alone.use;
  traits.utilisation = simulate::utilisation_of(alone.use);
  // Persistent blocks fetch their indices at no cost here, so that only their number counts.
  SimulatedMachine machine(gpu, {.gpu = {}, .fetch = Nanoseconds(0)});
  const KernelId id = machine.add(kernel, traits);
  return schedule::profile(machine, id, {.rounds = 1, .slices = false});
}

struct SimulatedMachine::State {
  using StreamKey = std::tuple<unsigned, int, simulate::GreenContextId>;
  struct Kernel {
    simulate::SimulatedKernel kernel;
    KernelTraits traits;
    std::optional<simulate::KernelId> on_gpu = {};  // only the scheduler's thread sees it
  };

  State(simulate::GpuModel gpu_model, const SimulatedMachineOptions& how)
      : limits(limits_of(gpu_model)), options(how), gpu(std::move(gpu_model), how.gpu) {}

  MachineLimits limits;
  SimulatedMachineOptions options;
  simulate::SimulatedGpu gpu;
  std::atomic<double> now{0.0};  // of the GPU, for threads that must not ask it
  std::mutex mutex;              // of `kernels`
  std::deque<Kernel> kernels;
  std::map<std::pair<unsigned, unsigned>, simulate::GreenContextId> partitions;
  std::map<StreamKey, simulate::StreamId> streams;

  Kernel* find(KernelId id) {
    const std::lock_guard lock(mutex);
    return id < kernels.size() ? &kernels[id] : nullptr;
  }
  Result<simulate::KernelId> on_gpu(KernelId id);
  Result<simulate::GreenContextId> partition(const SmRange& sms);
  Result<simulate::StreamId> stream(const Launch& launch);
};

Result<simulate::KernelId> SimulatedMachine::State::on_gpu(KernelId id) {
  Kernel* kernel = find(id);
  if (kernel == nullptr) return Error(ErrorCode::not_found, "no such kernel on this machine");
  if (!kernel->on_gpu) {
    WATTUNE_ASSIGN(kernel->on_gpu, gpu.add_kernel(kernel->kernel));
  }
  return *kernel->on_gpu;
}

Result<simulate::GreenContextId> SimulatedMachine::State::partition(const SmRange& sms) {
  if (sms.count == 0) return 0;
  const auto known = partitions.find({sms.first, sms.count});
  if (known != partitions.end()) return known->second;
  WATTUNE_ASSIGN(const auto made, gpu.add_green_context(sms.first, sms.count));
  return partitions[{sms.first, sms.count}] = made;
}

Result<simulate::StreamId> SimulatedMachine::State::stream(const Launch& launch) {
  WATTUNE_ASSIGN(const auto part, partition(launch.sms));
  const StreamKey key{launch.lane, launch.priority, part};
  const auto known = streams.find(key);
  if (known != streams.end()) return known->second;
  WATTUNE_ASSIGN(const auto made, gpu.add_stream({.priority = launch.priority, .green_context = part}));
  return streams[key] = made;
}

SimulatedMachine::SimulatedMachine(simulate::GpuModel gpu, const SimulatedMachineOptions& options)
    : state_(std::make_unique<State>(std::move(gpu), options)) {}
SimulatedMachine::~SimulatedMachine() = default;

Result<KernelId> SimulatedMachine::add(const simulate::SimulatedKernel& kernel) {
  WATTUNE_ASSIGN(const KernelTraits traits, profile_alone(kernel, state_->gpu.model()));
  return add(kernel, traits);
}

KernelId SimulatedMachine::add(const simulate::SimulatedKernel& kernel, const KernelTraits& traits) {
  const std::lock_guard lock(state_->mutex);
  state_->kernels.push_back({kernel, traits});
  return state_->kernels.size() - 1;
}

const MachineLimits& SimulatedMachine::limits() const { return state_->limits; }

const KernelTraits* SimulatedMachine::kernel(KernelId id) const {
  const State::Kernel* kernel = state_->find(id);
  return kernel == nullptr ? nullptr : &kernel->traits;
}

Nanoseconds SimulatedMachine::now() const { return Nanoseconds(state_->now.load()); }
std::optional<Joules> SimulatedMachine::energy() const {
  return state_->options.gpu.board != nullptr ? std::optional(state_->gpu.counters().energy) : std::nullopt;
}

Result<LaunchId> SimulatedMachine::launch(const Launch& launch) {
  WATTUNE_ASSIGN(const auto kernel, state_->on_gpu(launch.kernel));
  WATTUNE_ASSIGN(const auto stream, state_->stream(launch));
  simulate::GridLaunch grid{
      .kernel = kernel, .stream = stream, .first_block = launch.first_block, .blocks = launch.blocks};
  if (launch.form == Form::persistent)
    grid.persistent = simulate::Persistence{.per_sm = launch.per_sm, .fetch = state_->options.fetch};
  return state_->gpu.submit(grid);
}

void SimulatedMachine::stop(LaunchId launch) {
  // Launches of other forms refuse to stop and run on.
  static_cast<void>(state_->gpu.stop(launch).has_value());
}

std::vector<Ended> SimulatedMachine::wait(Nanoseconds until) {
  simulate::SimulatedGpu& gpu = state_->gpu;
  const auto done = gpu.wait(until);
  if (!done && until < kForever && gpu.now() < until) gpu.pass_until(until);
  state_->now = gpu.now().value();
  if (!done) return {};
  return {{.launch = done->launch, .begin = done->begin, .end = done->end, .blocks = done->blocks}};
}

std::unique_ptr<SimulatedMachine> simulated_machine(const simulate::GpuModel& gpu,
                                                    const std::vector<ProfiledKernel>& kernels,
                                                    const SimulatedMachineOptions& options) {
  auto machine = std::make_unique<SimulatedMachine>(gpu, options);
  for (const ProfiledKernel& kernel : kernels) machine->add(kernel.kernel, kernel.traits);
  return machine;
}

}  // namespace wattune::schedule
