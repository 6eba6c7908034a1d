#include "schedule/interface/simulated_machine.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "schedule/interface/profile.h"
#include "schedule/machine/block_demand.h"
#include "simulate/interface/corun_kernels.h"
#include "simulate/interface/ptx_profile.h"
#include "wattune/model/occupancy.h"
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

// Returns the limits of the GPU. Green contexts on an H100 get SMs in groups of four (docs/results/corun.md). Older
// GPUs have no green contexts; for experiments on them any number serves.
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

Result<KernelTraits> traits_of(const std::vector<simulate::SimulatedKernel>& launches, const simulate::GpuModel& gpu) {
  WATTUNE_ASSIGN(KernelTraits traits, traits_of(launches.front(), gpu));
  if (launches.size() == 1) return traits;
  traits.launches = launches.size();
  for (std::size_t i = 1; i < launches.size(); ++i) {
    traits.name += "+" + launches[i].name;
    traits.block = most_of(traits.block, launches[i].block);
    traits.blocks += launches[i].blocks;
  }
  WATTUNE_ASSIGN(const model::Occupancy alone, model::occupancy(gpu.capability, traits.block));
  traits.profile.blocks_alone = alone.blocks;
  traits.least_slice = std::uint64_t{alone.blocks} * gpu.sms;
  return traits;
}

Result<KernelTraits> profile_alone(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu) {
  return profile_alone(std::vector<simulate::SimulatedKernel>{kernel}, gpu);
}

Result<KernelTraits> profile_alone(const std::vector<simulate::SimulatedKernel>& launches,
                                   const simulate::GpuModel& gpu) {
  WATTUNE_ASSIGN(KernelTraits traits, traits_of(launches, gpu));
  std::vector<Alone> alone;
  Nanoseconds all;
  for (const simulate::SimulatedKernel& launch : launches) {
    WATTUNE_ASSIGN(alone.emplace_back(), simulate_alone(launch, gpu));
    all += alone.back().time;
  }
  traits.use.assign(alone.front().use.size(), 0.0);
  for (const Alone& each : alone)
    for (std::size_t i = 0; i < traits.use.size(); ++i) traits.use[i] += each.use[i] * (each.time / all);
  traits.utilisation = simulate::utilisation_of(traits.use);
  const auto longest = std::ranges::max_element(alone, {}, &Alone::time) - alone.begin();
  const unsigned blocks_alone = traits.profile.blocks_alone;
  WATTUNE_ASSIGN(traits.profile, simulate::pair_kernel(launches[static_cast<std::size_t>(longest)], gpu));
  traits.profile.blocks_alone = blocks_alone;
  // Persistent blocks take their indices without cost here, because only the effect of their number is measured.
  SimulatedMachine machine(gpu, {.gpu = {}, .fetch = Nanoseconds(0)});
  const KernelId id = machine.add(launches, traits);
  return schedule::profile(machine, id, {.rounds = 1, .slices = false});
}

struct SimulatedMachine::State {
  using StreamKey = std::tuple<unsigned, int, simulate::GreenContextId>;
  struct Kernel {
    std::vector<simulate::SimulatedKernel> launches;
    KernelTraits traits;
    std::vector<simulate::KernelId> on_gpu = {};  // each launch's kernel on the GPU; for the scheduler's thread only
  };
  // The grids of a sequence that was launched, from the first to the last one. Their numbers are consecutive.
  struct Sequence {
    simulate::LaunchId first = 0;
    simulate::LaunchId last = 0;
    Nanoseconds begin = {};
    std::uint64_t blocks = 0;  // blocks of the grids that have ended
  };

  State(simulate::GpuModel gpu_model, const SimulatedMachineOptions& how)
      : limits(limits_of(gpu_model)), options(how), gpu(std::move(gpu_model), how.gpu) {}

  MachineLimits limits;
  SimulatedMachineOptions options;
  simulate::SimulatedGpu gpu;
  std::atomic<double> now{0.0};  // the GPU's time, for threads that must not ask the GPU
  std::mutex mutex;              // guards `kernels`
  std::deque<Kernel> kernels;
  std::map<std::pair<unsigned, unsigned>, simulate::GreenContextId> partitions;
  std::map<StreamKey, simulate::StreamId> streams;
  std::map<simulate::LaunchId, Sequence> sequences;  // sequences by their last grid, whose number is that of the launch

  Kernel* find(KernelId id) {
    const std::lock_guard lock(mutex);
    return id < kernels.size() ? &kernels[id] : nullptr;
  }
  // Finds a kernel, and puts its launches on the GPU if they are not there yet.
  Result<const Kernel*> on_gpu(KernelId id);
  Result<simulate::GreenContextId> partition(const SmRange& sms);
  Result<simulate::StreamId> stream(const Launch& launch);
  // Submits the grids of a sequence that have blocks of the launch, each as `grid` says.
  Result<LaunchId> launch_sequence(const Kernel& kernel, const Launch& launch, simulate::GridLaunch grid);
  // Notes that a grid has ended. Returns the end of its launch; nullopt if other grids of the launch are left.
  std::optional<Ended> end_of(const simulate::Completion& done);
};

Result<const SimulatedMachine::State::Kernel*> SimulatedMachine::State::on_gpu(KernelId id) {
  Kernel* kernel = find(id);
  if (kernel == nullptr) return Error(ErrorCode::not_found, "the machine has no kernel of this number");
  while (kernel->on_gpu.size() < kernel->launches.size()) {
    WATTUNE_ASSIGN(const auto added, gpu.add_kernel(kernel->launches[kernel->on_gpu.size()]));
    kernel->on_gpu.push_back(added);
  }
  return kernel;
}

Result<LaunchId> SimulatedMachine::State::launch_sequence(const Kernel& kernel, const Launch& launch,
                                                          simulate::GridLaunch grid) {
  const std::uint64_t end = launch.first_block + launch.blocks;
  std::optional<Sequence> sequence;
  std::uint64_t before = 0;  // blocks of the grids so far
  for (std::size_t i = 0; i < kernel.launches.size(); before += kernel.launches[i++].blocks) {
    const std::uint64_t first = std::max(before, launch.first_block);
    const std::uint64_t last = std::min(before + kernel.launches[i].blocks, end);
    if (first >= last) continue;
    grid.kernel = kernel.on_gpu[i];
    grid.first_block = first - before;
    grid.blocks = last - first;
    WATTUNE_ASSIGN(const simulate::LaunchId id, gpu.submit(grid));
    if (!sequence) sequence = Sequence{.first = id, .last = id};
    sequence->last = id;
  }
  if (!sequence)
    return Error(ErrorCode::out_of_range, "the launches of this sequence have no such blocks")
        .about(kernel.traits.name);
  sequences.emplace(sequence->last, *sequence);
  return sequence->last;
}

std::optional<Ended> SimulatedMachine::State::end_of(const simulate::Completion& done) {
  const auto found = sequences.lower_bound(done.launch);
  if (found == sequences.end() || done.launch < found->second.first)
    return Ended{.launch = done.launch, .begin = done.begin, .end = done.end, .blocks = done.blocks};
  Sequence& sequence = found->second;
  if (done.launch == sequence.first) sequence.begin = done.begin;
  sequence.blocks += done.blocks;
  if (done.launch != sequence.last) return std::nullopt;
  const Ended ended{.launch = done.launch, .begin = sequence.begin, .end = done.end, .blocks = sequence.blocks};
  sequences.erase(found);
  return ended;
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
  return add(std::vector<simulate::SimulatedKernel>{kernel}, traits);
}

KernelId SimulatedMachine::add(std::vector<simulate::SimulatedKernel> launches, const KernelTraits& traits) {
  const std::lock_guard lock(state_->mutex);
  state_->kernels.push_back({std::move(launches), traits});
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
  WATTUNE_ASSIGN(const State::Kernel* const kernel, state_->on_gpu(launch.kernel));
  WATTUNE_ASSIGN(const auto stream, state_->stream(launch));
  simulate::GridLaunch grid{.stream = stream};
  if (launch.form == Form::persistent)
    grid.persistent = simulate::Persistence{.per_sm = launch.per_sm, .fetch = state_->options.fetch};
  if (kernel->launches.size() > 1) return state_->launch_sequence(*kernel, launch, grid);
  grid.kernel = kernel->on_gpu.front();
  grid.first_block = launch.first_block;
  grid.blocks = launch.blocks;
  return state_->gpu.submit(grid);
}

void SimulatedMachine::stop(LaunchId launch) {
  const auto sequence = state_->sequences.find(launch);
  const simulate::LaunchId first = sequence == state_->sequences.end() ? launch : sequence->second.first;
  // Launches that are not persistent refuse to stop, and continue to run.
  for (simulate::LaunchId grid = first; grid <= launch; ++grid) static_cast<void>(state_->gpu.stop(grid).has_value());
}

std::vector<Ended> SimulatedMachine::wait(Nanoseconds until) {
  simulate::SimulatedGpu& gpu = state_->gpu;
  for (;;) {
    const auto done = gpu.wait(until);
    if (!done && until < kForever && gpu.now() < until) gpu.pass_until(until);
    state_->now = gpu.now().value();
    if (!done) return {};
    if (auto ended = state_->end_of(*done)) return {*std::move(ended)};
  }
}

std::unique_ptr<SimulatedMachine> simulated_machine(const simulate::GpuModel& gpu,
                                                    const std::vector<ProfiledKernel>& kernels,
                                                    const SimulatedMachineOptions& options) {
  auto machine = std::make_unique<SimulatedMachine>(gpu, options);
  for (const ProfiledKernel& kernel : kernels) machine->add(kernel.kernel, kernel.traits);
  return machine;
}

}  // namespace wattune::schedule
