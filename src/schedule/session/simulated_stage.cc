#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/interface/suggest.h"
#include "schedule/interface/kernel_names.h"
#include "schedule/interface/simulated_machine.h"
#include "schedule/session/stage.h"
#include "schedule/session/stage_clocks.h"
#include "schedule/session/stage_networks.h"
#include "simulate/interface/board_clocks.h"
#include "simulate/interface/corun_kernels.h"
#include "simulate/interface/gt640_kernels.h"
#include "simulate/interface/steady_flow.h"

namespace wattune::inline v0_1::schedule {

namespace {

std::vector<simulate::SimulatedKernel> published_kernels() {
  std::vector<simulate::SimulatedKernel> kernels = {simulate::fma_probe(), simulate::gather_probe(),
                                                    simulate::copy_probe()};
  for (const simulate::KerneletKernel& row : simulate::kernelet_kernels()) kernels.push_back(row.kernel);
  for (const simulate::Gt640Kernel& row : simulate::gt640_kernels()) kernels.push_back(row.kernel);
  return kernels;
}

Result<simulate::GpuModel> find_simulated_gpu(const std::string& name) {
  if (const simulate::GpuModel* model = simulate::find_gpu_model(name)) return *model;
  std::vector<std::string> names;
  for (const simulate::GpuModel& model : simulate::gpu_models()) names.push_back(model.name);
  return Error(ErrorCode::not_found, "no GPU is simulated by this name")
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
  return Error(ErrorCode::not_found, "no published kernel has this name")
      .about(name)
      .hint(fmt::format("one of: {}", fmt::join(names, ", ")));
}

// Finds the launches for a name. The name is that of a published kernel, or of several kernels that follow each other,
// such as "C+L".
Result<std::vector<simulate::SimulatedKernel>> find_sequence(const std::string& name) {
  std::vector<simulate::SimulatedKernel> launches;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('+', begin), name.size());
    WATTUNE_ASSIGN(launches.emplace_back(), find_published_kernel(name.substr(begin, end - begin)));
    begin = end + 1;
  }
  return launches;
}

class SimulatedStage : public Stage {
 public:
  explicit SimulatedStage(simulate::GpuModel gpu) : gpu_(std::move(gpu)) {}

  // Adds a kernel or a sequence of kernels. Its blocks take as long as published, but there are fewer waves. So the
  // rates are the same, and the simulation takes less time.
  Result<void> add(const std::string& name, std::vector<simulate::SimulatedKernel> launches, std::uint64_t waves,
                   const StoredProfiles& profiles) {
    StageKernel& added = kernels_.emplace_back();
    for (simulate::SimulatedKernel& launch : launches) {
      WATTUNE_ASSIGN(const KernelTraits alone, traits_of(launch, gpu_));
      launch.blocks = waves * alone.profile.blocks_alone * gpu_.sms;
    }
    WATTUNE_ASSIGN(added.traits, traits_of(launches, gpu_));
    added.traits.name = name;
    added.identity = {
        {"kernel", name}, {"blocks", std::to_string(added.traits.blocks)}, {"device", simulated_board(gpu_)}};
    WATTUNE_ASSIGN(const ProfileRecord* const known, find_profile(profiles, name, added.identity));
    added.is_profiled = known != nullptr;
    if (known != nullptr) {
      added.traits = with_profile(std::move(added.traits), *known);
    } else {
      WATTUNE_ASSIGN(added.traits, profile_alone(launches, gpu_));
      added.traits.name = name;
      added.traits.persistent = true;  // since sweeps run slow twins as well
    }
    if (launches.size() == 1) {
      const simulate::Residents all{&launches.front(), added.traits.profile.blocks_alone};
      added.traits.features = simulate::steady_flow(gpu_, {&all, 1}).features;
    }
    simulated_.push_back(std::move(launches));
    return {};
  }

  std::string device() const override { return gpu_.name; }
  bool is_simulated() const override { return true; }
  const simulate::GpuModel* gpu() const override { return &gpu_; }
  model::ChainSm sm() const override { return simulate::chain_sm(gpu_); }

  Result<std::unique_ptr<Machine>> machine() override {
    SimulatedMachineOptions options;
    const simulate::BoardModel* board = simulate::find_board_model(gpu_.board);
    board_clocks_.reset();
    if (board != nullptr) board_ = std::make_unique<simulate::SimulatedBoard>(*board);
    if (board != nullptr) board_clocks_ = std::make_unique<simulate::BoardClocks>(*board_);
    options.gpu.board = board != nullptr ? board_.get() : nullptr;
    auto machine = std::make_unique<SimulatedMachine>(gpu_, options);
    for (std::size_t i = 0; i < simulated_.size(); ++i) machine->add(simulated_[i], kernels_[i].traits);
    return std::unique_ptr<Machine>(std::move(machine));
  }

  backend::ClockControl* clock_control() override { return clocks().empty() ? nullptr : board_clocks_.get(); }

  Result<void> read_networks(const CorunOptions& options) {
    WATTUNE_ASSIGN(networks_, networks_of(options, simulated_board(gpu_), &gpu_));
    return {};
  }

  Result<void> choose(const ClockChoice& choice) {
    WATTUNE_ASSIGN(const auto anew, machine());
    if (board_clocks_ == nullptr)
      return clocks_refused(Error(ErrorCode::unavailable, "no clocks are simulated of this GPU").about(gpu_.name));
    WATTUNE_ASSIGN(settable_, choose_clocks(with_clocks_of(networks_, choice), *board_clocks_));
    return {};
  }

  Result<void> profile(std::size_t) override {
    for (StageKernel& kernel : kernels_)
      if (!std::exchange(kernel.is_profiled, true)) kernel.traits.persistent = !kernel.traits.rate_at_residency.empty();
    return {};
  }

 private:
  simulate::GpuModel gpu_;
  std::vector<std::vector<simulate::SimulatedKernel>> simulated_;  // launches of each kernel
  std::unique_ptr<simulate::SimulatedBoard> board_;                // board of the latest machine
  std::unique_ptr<simulate::BoardClocks> board_clocks_;
};

}  // namespace

Result<std::unique_ptr<Stage>> open_simulated_stage(const std::vector<std::string>& kernels, std::uint64_t waves,
                                                    const CorunOptions& options) {
  WATTUNE_ASSIGN(const simulate::GpuModel model, find_simulated_gpu(options.device));
  if (!options.sensors.empty())
    return Error(ErrorCode::invalid_argument, "a simulated GPU has sensors of its own and takes no others")
        .about(options.sensors)
        .hint("leave the name of the sensors out");
  auto stage = std::make_unique<SimulatedStage>(model);
  WATTUNE_TRY(stage->read_networks(options));
  if (options.clocks.sets) WATTUNE_TRY(stage->choose(options.clocks));
  for (std::size_t place = 0; place < kernels.size(); ++place) {
    WATTUNE_ASSIGN(std::vector<simulate::SimulatedKernel> launches, find_sequence(kernels[place]));
    WATTUNE_TRY(stage->add(name_of_place(kernels, place), std::move(launches), waves, options.profiles));
  }
  return std::unique_ptr<Stage>(std::move(stage));
}

}  // namespace wattune::schedule
