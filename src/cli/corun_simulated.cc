#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/corun_stage.h"
#include "wattune/core/suggest.h"
#include "wattune/schedule/simulated_machine.h"
#include "wattune/simulate/corun_kernels.h"

namespace wattune::cli {

namespace {

std::vector<simulate::SimulatedKernel> published_kernels() {
  std::vector<simulate::SimulatedKernel> kernels = {simulate::fma_probe(), simulate::gather_probe(),
                                                    simulate::copy_probe()};
  for (const simulate::KerneletKernel& row : simulate::kernelet_kernels()) kernels.push_back(row.kernel);
  return kernels;
}

Result<simulate::GpuModel> find_simulated_gpu(const std::string& name) {
  if (const simulate::GpuModel* model = simulate::find_gpu_model(name)) return *model;
  std::vector<std::string> names;
  for (const simulate::GpuModel& model : simulate::gpu_models()) names.push_back(model.name);
  return Error(ErrorCode::not_found, "--device: no GPU is simulated by this name")
      .about(name)
      .hint(names.size() > 8 && suggest(name, names).empty() ? fmt::format("one of: {}", fmt::join(names, ", "))
                                                             : suggest(name, names));
}

Result<simulate::SimulatedKernel> find_published_kernel(const std::string& name) {
  std::vector<std::string> names;
  for (const simulate::SimulatedKernel& kernel : published_kernels()) {
    if (kernel.name == name) return kernel;
    names.push_back(kernel.name);
  }
  return Error(ErrorCode::not_found, "--kernels: no such published kernel")
      .about(name)
      .hint(fmt::format("one of: {}", fmt::join(names, ", ")));
}

// Blocks as long as they were, in fewer waves than published: rates are the same, and simulating takes less.
Result<schedule::ProfiledKernel> kernel_of_waves(const std::string& name, std::uint64_t waves,
                                                 const simulate::GpuModel& gpu) {
  WATTUNE_ASSIGN(simulate::SimulatedKernel kernel, find_published_kernel(name));
  WATTUNE_ASSIGN(schedule::KernelTraits traits, schedule::traits_of(kernel, gpu));
  kernel.blocks = traits.blocks = waves * traits.profile.blocks_alone * gpu.sms;
  WATTUNE_ASSIGN(traits.use, schedule::use_alone(kernel, gpu));
  return schedule::ProfiledKernel{std::move(kernel), std::move(traits)};
}

class SimulatedStage : public CorunStage {
 public:
  SimulatedStage(simulate::GpuModel gpu, std::vector<schedule::ProfiledKernel> kernels)
      : gpu_(std::move(gpu)), kernels_(std::move(kernels)) {
    for (const schedule::ProfiledKernel& each : kernels_)
      identities_.push_back({{"kernel", each.kernel.name},
                             {"blocks", std::to_string(each.kernel.blocks)},
                             {"device", "simulated " + gpu_.name}});
  }

  std::string device() const override { return gpu_.name; }
  bool is_simulated() const override { return true; }
  std::size_t size() const override { return kernels_.size(); }
  const Identity& identity(schedule::KernelId kernel) const override { return identities_[kernel]; }
  const simulate::GpuModel* gpu() const override { return &gpu_; }
  model::ChainSm sm() const override { return simulate::chain_sm(gpu_); }

  Result<std::unique_ptr<schedule::Machine>> machine() override {
    schedule::SimulatedMachineOptions options;
    const simulate::BoardModel* board = simulate::find_board_model(gpu_.board);
    if (board != nullptr) board_ = std::make_unique<simulate::SimulatedBoard>(*board);
    options.gpu.board = board != nullptr ? board_.get() : nullptr;
    return std::unique_ptr<schedule::Machine>(schedule::simulated_machine(gpu_, kernels_, options));
  }

  Result<void> profile(std::size_t) override {
    for (schedule::KernelId kernel = 0; kernel < size(); ++kernel) {
      if (learned_.contains(kernel)) continue;
      WATTUNE_ASSIGN(kernels_[kernel].traits, schedule::profile_alone(kernels_[kernel].kernel, gpu_));
    }
    return {};
  }

  Result<void> learn(std::span<const schedule::ProfileRecord> records) override {
    for (schedule::KernelId kernel = 0; kernel < size(); ++kernel) {
      schedule::KernelTraits& traits = kernels_[kernel].traits;
      WATTUNE_ASSIGN(const schedule::ProfileRecord* const known,
                     find_profile(records, traits.name, identities_[kernel]));
      if (known == nullptr) continue;
      traits = schedule::with_profile(traits, *known);
      learned_.insert(kernel);
    }
    return {};
  }

  void learn_power(std::span<const schedule::PowerTraits> powers) override {
    for (std::size_t i = 0; i < kernels_.size(); ++i) kernels_[i].traits.power = powers[i];
  }

 private:
  simulate::GpuModel gpu_;
  std::vector<schedule::ProfiledKernel> kernels_;
  std::vector<Identity> identities_;
  std::set<schedule::KernelId> learned_;             // of earlier profiles
  std::unique_ptr<simulate::SimulatedBoard> board_;  // of the machine
};

}  // namespace

Result<std::unique_ptr<CorunStage>> open_simulated_stage(const std::string& gpu, const CorunKernels& kernels) {
  WATTUNE_ASSIGN(const simulate::GpuModel model, find_simulated_gpu(gpu));
  if (!kernels.specs.empty())
    return Error(ErrorCode::invalid_argument, "a simulated GPU runs published kernels, no specs")
        .about(kernels.specs.front())
        .hint("name them: --kernels C,L,M");
  std::vector<schedule::ProfiledKernel> profiled;
  for (const std::string& name : kernels.names) {
    WATTUNE_ASSIGN(schedule::ProfiledKernel kernel, kernel_of_waves(name, kernels.waves, model));
    kernel.kernel.name = kernel.traits.name = name_of_place(kernels.names, profiled.size());
    profiled.push_back(std::move(kernel));
  }
  return std::unique_ptr<CorunStage>(std::make_unique<SimulatedStage>(model, std::move(profiled)));
}

}  // namespace wattune::cli
