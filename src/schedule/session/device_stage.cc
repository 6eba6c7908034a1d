#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "power/interface/clocks.h"
#include "schedule/interface/counted_use.h"
#include "schedule/interface/device_machine.h"
#include "schedule/interface/kernel_use.h"
#include "schedule/interface/profile.h"
#include "schedule/interface/timing_class.h"
#include "schedule/machine/named_sensors.h"
#include "schedule/session/stage.h"
#include "schedule/session/stage_clocks.h"
#include "schedule/session/stage_networks.h"
#include "simulate/interface/corun_kernels.h"
#include "tune/interface/board_clocks.h"
#include "wattune/backend/attach.h"
#include "wattune/schedule/pair_sweep.h"
#include "wattune/tune/session.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr std::size_t kMostCopies = 1000;  // largest number of copies of one kernel

Result<DeviceInfo> choose_device(const std::string& wanted, const KernelSpec& spec) {
  WATTUNE_ASSIGN(const auto devices, tune::find_devices_for(spec, wanted));
  if (devices.size() > 1)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("one device is needed, and this name stands for {}", devices.size()))
        .about(wanted);
  return devices.front();
}

bool runs_pairs(const DeviceInfo& device) { return device.backend == "cuda" || device.backend == "opencl"; }

Error cannot_run_pairs(const DeviceInfo& device) {
  return Error(ErrorCode::unavailable, "kernels run together on CUDA and OpenCL devices only").about(device.selector);
}

// Opens the device in this process, since kernels that share it are started and stopped within microseconds.
Result<std::unique_ptr<backend::Device>> open_here(const DeviceInfo& device) {
  if (device.backend == "cuda") return backend::open_cuda_in_primary_context(device.selector);
  if (device.backend == "opencl") return backend::open_device(device.selector);
  return cannot_run_pairs(device);
}

class DeviceStage : public Stage {
 public:
  // Makes a stage on a device. The device must outlive the stage, unless the stage owns it.
  explicit DeviceStage(std::unique_ptr<backend::Device> device) : DeviceStage(*device) { owned_ = std::move(device); }
  explicit DeviceStage(backend::Device& device)
      : Stage(usual_pairs_file()),
        device_(&device),
        digest_(device),
        gpu_(simulate::gpu_model_of_device(device_->info().name)) {}

  std::string device() const override { return device_->info().name; }
  bool is_simulated() const override { return false; }
  const simulate::GpuModel* gpu() const override { return gpu_; }
  // Returns the description of an SM from which forecasts without pilots are computed.
  model::ChainSm sm() const override { return gpu_ != nullptr ? simulate::chain_sm(*gpu_) : model::ChainSm(); }
  std::span<KernelOutputs> outputs() override { return outputs_; }
  void make_copies(const std::vector<std::size_t>& works) override {
    for (KernelId kernel = 0; kernel < works.size(); ++kernel) make_copies(kernel, works[kernel]);
  }
  std::span<KernelOutputs> outputs_of_copies(KernelId kernel) override { return copies_[kernel].outputs; }
  Result<OwnData> own_data(KernelId kernel, const OwnArguments& arguments) override {
    return schedule::own_data(*device_, specs_[kernel], *loaded_[kernel], arguments);
  }
  std::vector<std::string> notes() const override { return notes_; }

  Result<void> load(const CorunKernel& chosen, const StoredProfiles& profiles) {
    WATTUNE_ASSIGN(const auto copies, load_kernel(*device_, chosen.spec, *chosen.configuration));
    const std::shared_ptr<const LoadedKernel>& kernel = copies.front();
    keep_outputs(*kernel, chosen);
    WATTUNE_ASSIGN(const auto machine, make_machine());
    StageKernel& added = kernels_.emplace_back();
    added.identity = profile_identity(chosen.spec, *chosen.configuration, device_->info());
    WATTUNE_ASSIGN(added.traits, machine->traits_of(*kernel));
    added.traits.name = chosen.name;
    WATTUNE_ASSIGN(const ProfileRecord* const known, find_profile(profiles, chosen.name, added.identity));
    loaded_.push_back(kernel);
    specs_.push_back(chosen.spec);
    configurations_.push_back(*chosen.configuration);
    copies_.emplace_back();
    if (known == nullptr) return look_at(added, *machine, kernel);
    added.traits = with_profile(std::move(added.traits), *known);
    added.costs = known->block;
    added.is_profiled = true;
    return {};
  }

  // Returns an empty text if this session sets clocks, because the board is restored when ways of pairs are measured.
  std::string held_clock() const override {
    if (board_clocks_ || device_->info().backend != "cuda") return "";
    const auto held = power::held_setting(device_->info().pci_bus_id);
    return held && held->graphics ? fmt::format("{:g} MHz", held->graphics->value()) : "";
  }
  backend::ClockControl* clock_control() override { return board_clocks_ ? board_clocks_->control() : nullptr; }

  // Has machines read the sensors of this name instead of the device's.
  Result<void> use_sensors(const std::string& name) {
    WATTUNE_ASSIGN(sensors_, NamedSensors::open(name, device_->info()));
    return {};
  }

  Result<void> read_networks(const CorunOptions& options) {
    WATTUNE_ASSIGN(networks_, networks_of(options, device_->info().name, nullptr));
    return {};
  }

  // Takes control of the clocks before anything runs. If this process is stopped, its lease on the board ends and the
  // board is restored. If it hangs, the board is restored after an hour without a sign of life.
  Result<void> borrow(const ClockChoice& choice) {
    const ClockChoice clocks = with_clocks_of(networks_, choice);
    std::vector<Parameter> wanted = {{.name = "graphics clock", .role = ParameterRole::graphics_clock}};
    if (std::ranges::any_of(clocks.clocks, [](const backend::BoardSetting& each) { return each.memory.has_value(); }))
      wanted.push_back({.name = "memory clock", .role = ParameterRole::memory_clock});
    auto borrowed = tune::BoardClocks::open(
        wanted, *device_, {.take_over = clocks.take_over, .patience = nanoseconds_from_seconds(3600)});
    if (!borrowed) return clocks_refused(borrowed.error());
    board_clocks_ = *std::move(borrowed);
    WATTUNE_ASSIGN(settable_, choose_clocks(clocks, *clock_control()));
    return {};
  }

  // Checks that the first kernel runs as fast as on a board that nothing slows down.
  Result<void> look() {
    if (!board_clocks_ || !board_clocks_->must_look()) return {};
    WATTUNE_ASSIGN(const auto idle, machine());
    if (auto free = board_clocks_->look([&](std::size_t runs) { return spin(*idle, runs); }); !free)
      return clocks_refused(free.error());
    return {};
  }

  Result<std::unique_ptr<Machine>> machine() override {
    WATTUNE_ASSIGN(auto machine, make_machine());
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      WATTUNE_ASSIGN(const KernelId id, machine->add(loaded_[i], kernels_[i].traits));
      machine->set_copies(id, copies_[i].kernels);
    }
    return std::unique_ptr<Machine>(std::move(machine));
  }

  // Reads the use of kernels without a profile. The process that reads counters ends with this call, and its copies of
  // the kernels' data with it.
  void read_use() override {
    std::unique_ptr<backend::Device> counting;
    for (KernelId id = 0; id < kernels_.size() && has_counters_; ++id)
      if (!kernels_[id].is_profiled && kernels_[id].traits.use_by_counters.empty()) read_counters(id, counting);
  }

  Result<void> profile(std::size_t rounds) override {
    read_use();
    WATTUNE_ASSIGN(const auto profiled, machine());
    for (KernelId id = 0; id < kernels_.size(); ++id) {
      StageKernel& kernel = kernels_[id];
      if (kernel.is_profiled) continue;
      const bool had_twin = kernel.traits.persistent;
      WATTUNE_ASSIGN(kernel.traits, schedule::profile(*profiled, id, {.rounds = rounds}));
      if (had_twin && !kernel.traits.persistent)
        notes_.push_back(
            fmt::format("{}: its copy with resident blocks is too slow to be used, so that it shares SMs in slices",
                        kernel.traits.name));
      set_use(kernel);
      kernel.is_profiled = true;
    }
    return {};
  }

 private:
  struct Copies {
    std::vector<std::shared_ptr<const LoadedKernel>> kernels;
    std::vector<KernelOutputs> outputs;
  };

  Result<std::unique_ptr<DeviceMachine>> make_machine() {
    DeviceMachineOptions options;
    if (sensors_ != nullptr) options.energy_every = std::min(options.energy_every, sensors_->interval());
    options.sensors = sensors_.get();
    return DeviceMachine::make(*device_, options);
  }

  // Makes copies in at most a quarter of the device's memory. Works without a copy appear in the report of compared
  // outputs.
  void make_copies(KernelId kernel, std::size_t works) {
    const std::uint64_t bytes = outputs_[kernel].bytes();
    if (bytes == 0) return;
    const std::uint64_t room = device_->info().global_memory_bytes.value_or(0) / 4 / loaded_.size() / bytes;
    const std::size_t wanted = std::min({works, kMostCopies, static_cast<std::size_t>(room)});
    while (copies_[kernel].kernels.size() < wanted) {
      const auto copy = with_own_outputs(*device_, specs_[kernel], *loaded_[kernel]);
      if (!copy) return;
      copies_[kernel].kernels.push_back(*copy);
      copies_[kernel].outputs.emplace_back(*device_, specs_[kernel], **copy, sameness_of(**copy), &digest_);
    }
  }

  static Sameness sameness_of(const LoadedKernel& kernel) {
    return is_order_sensitive(kernel) ? Sameness::tolerance : Sameness::bits;
  }

  Result<std::vector<Sample>> spin(Machine& machine, std::size_t runs) {
    const Nanoseconds begin = machine.now();
    for (std::size_t i = 0; i < runs; ++i) WATTUNE_TRY(run_alone(machine, 0));
    Sample sample{.time = (machine.now() - begin) / static_cast<double>(runs)};
    WATTUNE_ASSIGN(backend::Sensors* const sensors, device_->sensors());
    WATTUNE_ASSIGN(const backend::SensorReadings readings, sensors->read());
    sample.clock = readings.conditions.clock;
    sample.throttled = readings.conditions.throttled.value_or(false);
    return std::vector{sample};
  }

  void keep_outputs(const LoadedKernel& kernel, const CorunKernel& chosen) {
    outputs_.emplace_back(*device_, chosen.spec, kernel, sameness_of(kernel), &digest_);
    note(kernel, chosen.name, outputs_.back());
  }

  // Counts and measures a kernel before anything else runs on its buffers. The time alone is needed first: persistent
  // twins choose their chunks by it, and kernels without such a twin the size of their slices.
  Result<void> look_at(StageKernel& kernel, DeviceMachine& machine, const std::shared_ptr<const LoadedKernel>& loaded) {
    kernel.costs = count(*loaded, kernel.traits.name);
    WATTUNE_ASSIGN(const KernelId id, machine.add(loaded, kernel.traits));
    const bool persistent = kernel.traits.persistent;
    WATTUNE_ASSIGN(kernel.traits, schedule::profile(machine, id, {.slices = !persistent}));
    // Sweeps run slow twins as well, and show their cost.
    kernel.traits.persistent = persistent;
    set_use(kernel);
    return {};
  }

  // Runs the kernel in another process, since CUDA makes no streams on SMs of their own in a process in which counters
  // were read. Opens the device there if it is not open yet. Returns what read_use() returns.
  Result<std::vector<std::optional<double>>> use_by_counters(KernelId kernel,
                                                             std::unique_ptr<backend::Device>& counting) {
    WATTUNE_TRY(check_counters());
    if (counting == nullptr) {
      WATTUNE_ASSIGN(counting, backend::open_device_in_worker(device_->info().selector));
    }
    WATTUNE_ASSIGN(const auto copies, load_kernel(*counting, specs_[kernel], configurations_[kernel]));
    return schedule::read_use(*counting, *copies.front());
  }

  // Asks for the permission before a process is started that would need it.
  static Result<void> check_counters() {
    std::ifstream settings("/proc/driver/nvidia/params");
    std::ifstream status("/proc/self/status");
    std::ifstream uid_map("/proc/self/uid_map");
    if (const std::string why = why_no_counters(settings, status, uid_map); !why.empty())
      return Error(ErrorCode::unavailable, why);
    return {};
  }

  // Reads what the kernel uses from the device's counters. If they cannot be read, they are not asked again.
  void read_counters(KernelId id, std::unique_ptr<backend::Device>& counting) {
    auto use = use_by_counters(id, counting);
    has_counters_ = use.has_value();
    if (use) {
      kernels_[id].traits.use_by_counters = *std::move(use);
      set_use(kernels_[id]);
      return;
    }
    notes_.push_back(
        fmt::format("{}: the shares of the GPU that kernels use are not read from its performance counters: {}",
                    device_->info().name, use.error().to_string()));
  }

  // Counts the instructions of a block, if the peaks of the GPU are known. A kernel that cannot be counted is still
  // measured.
  std::optional<simulate::BlockCosts> count(const LoadedKernel& kernel, const std::string& name) {
    if (gpu_ == nullptr) return std::nullopt;
    auto costs = count_block(*device_, kernel);
    if (costs) return *costs;
    notes_.push_back(fmt::format("{}: {}", name, costs.error().to_string()));
    return std::nullopt;
  }

  // Computes the use of the GPU from the counts and the kernel's latest time alone. If that time contradicts the
  // counts, they are forgotten.
  void set_use(StageKernel& kernel) {
    KernelTraits& traits = kernel.traits;
    if (kernel.costs && traits.alone) {
      traits.use = simulate::use_of(*kernel.costs, traits.blocks, *traits.alone, *gpu_);
      if (refutes_counts(traits))
        forget_counts(kernel);
      else
        traits.profile.instructions_per_block = std::max(1.0, kernel.costs->issued);
    }
    traits.utilisation = known_utilisation(traits);
  }

  void forget_counts(StageKernel& kernel) {
    KernelTraits& traits = kernel.traits;
    const bool shared = timing_class(traits) == KernelClass::shared_full;
    notes_.push_back(fmt::format(
        "{}: its counted instructions are not used, since they contradict its times; by its times a resource "
        "{} is fully used, by the counts none is",
        traits.name, shared ? "that all SMs share" : "of each SM"));
    traits.use.clear();
    kernel.costs.reset();
  }

  void note(const LoadedKernel& kernel, const std::string& name, const KernelOutputs& outputs) {
    if (const std::string why = why_no_slices(kernel); !why.empty())
      notes_.push_back(fmt::format("{} runs only as a whole, not in slices: {}", name, why));
    else if (const std::string why_sliced = why_not_persistent(kernel); !why_sliced.empty())
      notes_.push_back(fmt::format("{} shares SMs in slices, not with resident blocks: {}", name, why_sliced));
    if (const auto overwritten = outputs.overwritten(); !overwritten.empty())
      notes_.push_back(fmt::format("{} overwrites its input {}, which is restored before outputs are compared", name,
                                   fmt::join(overwritten, ", ")));
  }

  std::unique_ptr<backend::Device> owned_;  // owned device; nullptr if the device belongs to the application
  backend::Device* device_;
  BufferDigest digest_;                                      // compiled when outputs are compared for the first time
  const simulate::GpuModel* gpu_;                            // model of the GPU; nullptr if its peaks are unknown
  std::vector<std::shared_ptr<const LoadedKernel>> loaded_;  // by kernel, as are outputs_, specs_ and copies_
  std::vector<KernelOutputs> outputs_;
  std::vector<KernelSpec> specs_;
  std::vector<Configuration> configurations_;
  std::vector<Copies> copies_;
  std::vector<std::string> notes_;
  bool has_counters_ = device_->info().backend == "cuda";  // false if they cannot be read
  std::optional<tune::BoardClocks> board_clocks_;          // empty if no clocks may be set
  std::unique_ptr<NamedSensors> sensors_;                  // nullptr if machines read the device's own
};

Result<std::unique_ptr<Stage>> load_all(std::unique_ptr<DeviceStage> stage, const std::vector<CorunKernel>& kernels,
                                        const CorunOptions& options) {
  if (!options.sensors.empty()) WATTUNE_TRY(stage->use_sensors(options.sensors));
  WATTUNE_TRY(stage->read_networks(options));
  if (options.clocks.sets) WATTUNE_TRY(stage->borrow(options.clocks));
  for (const CorunKernel& kernel : kernels)
    if (auto loaded = stage->load(kernel, options.profiles); !loaded)
      return std::move(loaded).error().with_context(kernel.name);
  WATTUNE_TRY(stage->look());
  return std::unique_ptr<Stage>(std::move(stage));
}

}  // namespace

Result<std::unique_ptr<Stage>> open_device_stage(const std::vector<CorunKernel>& kernels, const CorunOptions& options) {
  WATTUNE_ASSIGN(const DeviceInfo info, choose_device(options.device, kernels.front().spec));
  WATTUNE_ASSIGN(auto opened, open_here(info));
  return load_all(std::make_unique<DeviceStage>(std::move(opened)), kernels, options);
}

Result<std::unique_ptr<Stage>> attach_device_stage(backend::Device& device, const std::vector<CorunKernel>& kernels,
                                                   const CorunOptions& options) {
  if (!runs_pairs(device.info())) return cannot_run_pairs(device.info());
  return load_all(std::make_unique<DeviceStage>(device), kernels, options);
}

}  // namespace wattune::schedule
