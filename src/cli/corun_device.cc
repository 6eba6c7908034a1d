#include <fmt/format.h>

#include <set>
#include <utility>

#include "cli/chosen_kernel.h"
#include "cli/corun_stage.h"
#include "wattune/backend/attach.h"
#include "wattune/schedule/counted_use.h"
#include "wattune/schedule/device_machine.h"
#include "wattune/schedule/profile.h"
#include "wattune/simulate/corun_kernels.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

namespace {

Result<DeviceInfo> choose_device(const std::string& wanted, const KernelSpec& spec) {
  WATTUNE_ASSIGN(const auto devices, tune::find_devices_for(spec, wanted));
  if (devices.size() > 1)
    return Error(ErrorCode::invalid_argument, fmt::format("one device is needed, these are {}", devices.size()))
        .about(wanted);
  return devices.front();
}

// In this process, since kernels that share a device are started and stopped within microseconds.
Result<std::unique_ptr<backend::Device>> open_here(const DeviceInfo& device) {
  if (device.backend == "cuda") return backend::open_cuda_in_primary_context(device.selector);
  if (device.backend == "opencl") return backend::open_device(device.selector);
  return Error(ErrorCode::unavailable, "kernels run together on CUDA and OpenCL devices only").about(device.selector);
}

class DeviceStage : public CorunStage {
 public:
  explicit DeviceStage(std::unique_ptr<backend::Device> device)
      : device_(std::move(device)), gpu_(simulate::gpu_model_of_device(device_->info().name)) {
    if (auto digest = schedule::BufferDigest::make(*device_)) digest_ = *std::move(digest);
  }

  std::string device() const override { return device_->info().name; }
  bool is_simulated() const override { return false; }
  std::size_t size() const override { return kernels_.size(); }
  const Identity& identity(schedule::KernelId kernel) const override { return identities_[kernel]; }
  std::optional<simulate::BlockCosts> costs(schedule::KernelId kernel) const override { return costs_[kernel]; }
  const simulate::GpuModel* gpu() const override { return gpu_; }
  // For what is forecast beside pilots.
  model::ChainSm sm() const override { return gpu_ != nullptr ? simulate::chain_sm(*gpu_) : model::ChainSm(); }
  std::span<schedule::KernelOutputs> outputs() override { return outputs_; }
  std::vector<std::string> notes() const override { return notes_; }

  Result<void> load(const ChosenKernel& chosen, std::string name) {
    WATTUNE_ASSIGN(const auto copies, schedule::load_kernel(*device_, chosen.spec, chosen.configuration));
    const std::shared_ptr<const schedule::LoadedKernel>& kernel = copies.front();
    std::vector<backend::Buffer*> buffers;
    for (const auto& buffer : kernel->buffers) buffers.push_back(buffer.get());
    const auto sameness = kernel->code->order_sensitive ? schedule::Sameness::tolerance : schedule::Sameness::bits;
    WATTUNE_ASSIGN(schedule::KernelOutputs outputs,
                   schedule::KernelOutputs::of(*device_, chosen.spec, std::move(buffers), sameness,
                                               digest_ ? &*digest_ : nullptr));
    note(*kernel, name, outputs);
    outputs_.push_back(std::move(outputs));
    WATTUNE_ASSIGN(identities_.emplace_back(),
                   schedule::profile_identity(chosen.spec, chosen.configuration, device_->info()));
    costs_.push_back(count(*kernel, name));
    WATTUNE_ASSIGN(const auto machine, schedule::DeviceMachine::make(*device_));
    WATTUNE_ASSIGN(schedule::KernelTraits traits, machine->traits_of(*kernel));
    traits.name = std::move(name);
    kernels_.push_back(kernel);
    traits_.push_back(std::move(traits));
    WATTUNE_TRY(time(*machine, traits_.size() - 1));
    if (costs_.back()) set_use(traits_.back(), *costs_.back());
    return {};
  }

  Result<std::unique_ptr<schedule::Machine>> machine() override {
    WATTUNE_ASSIGN(auto machine, schedule::DeviceMachine::make(*device_));
    for (std::size_t i = 0; i < kernels_.size(); ++i) WATTUNE_TRY(machine->add(kernels_[i], traits_[i]));
    return std::unique_ptr<schedule::Machine>(std::move(machine));
  }

  Result<void> profile(std::size_t rounds) override {
    WATTUNE_ASSIGN(const auto profiled, machine());
    for (schedule::KernelId kernel = 0; kernel < size(); ++kernel) {
      if (learned_.contains(kernel)) continue;
      const bool had_twin = traits_[kernel].persistent;
      WATTUNE_ASSIGN(traits_[kernel], schedule::profile(*profiled, kernel, {.rounds = rounds}));
      if (had_twin && !traits_[kernel].persistent)
        notes_.push_back(fmt::format("{}: its persistent twin costs too much and is not used", traits_[kernel].name));
    }
    return {};
  }

  Result<void> learn(std::span<const schedule::ProfileRecord> records) override {
    for (schedule::KernelId kernel = 0; kernel < size(); ++kernel) {
      WATTUNE_ASSIGN(const schedule::ProfileRecord* const known,
                     find_profile(records, traits_[kernel].name, identities_[kernel]));
      if (known == nullptr) continue;
      traits_[kernel] = schedule::with_profile(traits_[kernel], *known);
      learned_.insert(kernel);
    }
    return {};
  }

  void learn_power(std::span<const schedule::PowerTraits> powers) override {
    for (std::size_t i = 0; i < traits_.size(); ++i) traits_[i].power = powers[i];
  }

 private:
  // Of GPUs whose peaks are known, before anything runs on the buffers. A kernel that cannot be counted is measured all
  // the same.
  std::optional<simulate::BlockCosts> count(const schedule::LoadedKernel& kernel, const std::string& name) {
    if (gpu_ == nullptr) return std::nullopt;
    auto costs = schedule::count_block(*device_, kernel);
    if (costs) return *costs;
    notes_.push_back(fmt::format("{}: {}", name, costs.error().to_string()));
    return std::nullopt;
  }

  void set_use(schedule::KernelTraits& traits, const simulate::BlockCosts& costs) const {
    if (!(traits.alone.value() > 0.0)) return;
    traits.use = simulate::use_of(costs, traits.blocks, traits.alone, *gpu_);
    traits.utilisation = simulate::utilisation_of(traits.use);
    traits.profile.instructions_per_block = std::max(1.0, costs.issued);
  }

  // What runs beside another needs first of all: how long it takes, by which persistent twins choose their chunks, and
  // where it has none, how large slices must be.
  Result<void> time(schedule::DeviceMachine& machine, std::size_t place) {
    WATTUNE_ASSIGN(const schedule::KernelId id, machine.add(kernels_[place], traits_[place]));
    WATTUNE_ASSIGN(
        traits_[place],
        schedule::profile(machine, id, {.residency = false, .ranges = false, .slices = !traits_[place].persistent}));
    return {};
  }

  void note(const schedule::LoadedKernel& kernel, const std::string& name, const schedule::KernelOutputs& outputs) {
    if (!kernel.code->no_slices.empty())
      notes_.push_back(fmt::format("{} runs whole only: {}", name, kernel.code->no_slices));
    else if (!kernel.code->no_persistent.empty())
      notes_.push_back(fmt::format("{} shares SMs in slices: {}", name, kernel.code->no_persistent));
    if (const auto overwritten = outputs.overwritten(); !overwritten.empty())
      notes_.push_back(
          fmt::format("{} overwrites {}, which is restored before outputs are compared; of queues they "
                      "are not",
                      name, fmt::join(overwritten, ", ")));
  }

  std::unique_ptr<backend::Device> device_;
  std::optional<schedule::BufferDigest> digest_;  // none: outputs are read
  const simulate::GpuModel* gpu_;                 // nullptr: nothing is known of its peaks
  std::vector<Identity> identities_;
  std::vector<std::optional<simulate::BlockCosts>> costs_;
  std::set<schedule::KernelId> learned_;  // of earlier profiles
  std::vector<std::shared_ptr<const schedule::LoadedKernel>> kernels_;
  std::vector<schedule::KernelTraits> traits_;
  std::vector<schedule::KernelOutputs> outputs_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<std::unique_ptr<CorunStage>> open_device_stage(const std::string& device, const CorunKernels& kernels) {
  std::vector<ChosenKernel> chosen;
  std::vector<std::string> names;
  for (const std::string& text : kernels.specs) {
    WATTUNE_ASSIGN(chosen.emplace_back(), choose_kernel(text));
    names.push_back(chosen.back().spec.name);
  }
  WATTUNE_ASSIGN(const DeviceInfo info, choose_device(device, chosen.front().spec));
  WATTUNE_ASSIGN(auto opened, open_here(info));
  auto stage = std::make_unique<DeviceStage>(std::move(opened));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (auto loaded = stage->load(chosen[i], name_of_place(names, i)); !loaded)
      return std::move(loaded).error().with_context(kernels.specs[i]);
  return std::unique_ptr<CorunStage>(std::move(stage));
}

}  // namespace wattune::cli
