#include <fmt/format.h>

#include <utility>

#include "cli/chosen_kernel.h"
#include "cli/corun_stage.h"
#include "wattune/backend/attach.h"
#include "wattune/schedule/device_machine.h"
#include "wattune/schedule/profile.h"
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
  explicit DeviceStage(std::unique_ptr<backend::Device> device) : device_(std::move(device)) {}

  std::string device() const override { return device_->info().name; }
  bool is_simulated() const override { return false; }
  std::size_t size() const override { return kernels_.size(); }
  std::span<schedule::KernelOutputs> outputs() override { return outputs_; }
  std::vector<std::string> notes() const override { return notes_; }

  Result<void> load(const ChosenKernel& chosen, std::string name) {
    WATTUNE_ASSIGN(const auto copies, schedule::load_kernel(*device_, chosen.spec, chosen.configuration));
    const std::shared_ptr<const schedule::LoadedKernel>& kernel = copies.front();
    std::vector<backend::Buffer*> buffers;
    for (const auto& buffer : kernel->buffers) buffers.push_back(buffer.get());
    const auto sameness = kernel->code->order_sensitive ? schedule::Sameness::tolerance : schedule::Sameness::bits;
    WATTUNE_ASSIGN(schedule::KernelOutputs outputs,
                   schedule::KernelOutputs::of(*device_, chosen.spec, std::move(buffers), sameness));
    note(*kernel, name, outputs);
    outputs_.push_back(std::move(outputs));
    WATTUNE_ASSIGN(const auto machine, schedule::DeviceMachine::make(*device_));
    WATTUNE_ASSIGN(schedule::KernelTraits traits, machine->traits_of(*kernel));
    traits.name = std::move(name);
    kernels_.push_back(kernel);
    traits_.push_back(std::move(traits));
    return time(*machine, traits_.size() - 1);
  }

  Result<std::unique_ptr<schedule::Machine>> machine() override {
    WATTUNE_ASSIGN(auto machine, schedule::DeviceMachine::make(*device_));
    for (std::size_t i = 0; i < kernels_.size(); ++i) WATTUNE_TRY(machine->add(kernels_[i], traits_[i]));
    return std::unique_ptr<schedule::Machine>(std::move(machine));
  }

  Result<void> profile(std::size_t rounds) override {
    WATTUNE_ASSIGN(const auto profiled, machine());
    for (schedule::KernelId kernel = 0; kernel < size(); ++kernel) {
      const bool had_twin = traits_[kernel].persistent;
      WATTUNE_ASSIGN(traits_[kernel], schedule::profile(*profiled, kernel, {.rounds = rounds}));
      if (had_twin && !traits_[kernel].persistent)
        notes_.push_back(fmt::format("{}: its persistent twin costs too much and is not used", traits_[kernel].name));
    }
    return {};
  }

  void learn_power(std::span<const schedule::PowerTraits> powers) override {
    for (std::size_t i = 0; i < traits_.size(); ++i) traits_[i].power = powers[i];
  }

 private:
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
