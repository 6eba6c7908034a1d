#include "cli/corun_stage.h"

#include <utility>

#include "wattune/schedule/clock_profile.h"
#include "wattune/schedule/power_profile.h"

namespace wattune::cli {

namespace {

constexpr std::string_view kSimulated = "simulated:";

}  // namespace

// Returns the window, or the usual one: counters of boards are renewed every 100 ms, simulated ones at once.
Nanoseconds CorunStage::window_or_usual(std::optional<Nanoseconds> window) const {
  return window.value_or(is_simulated() ? nanoseconds_from_ms(20) : nanoseconds_from_seconds(3));
}

Result<void> CorunStage::profile_power(std::optional<Nanoseconds> window) {
  WATTUNE_ASSIGN(const auto profiled, machine());
  auto powers = schedule::profile_power(*profiled, window_or_usual(window));
  if (!powers) return std::move(powers).error().with_context(device());
  for (std::size_t i = 0; i < kernels_.size(); ++i) kernels_[i].traits.power = (*powers)[i];
  return {};
}

Result<void> CorunStage::measure_pair_power(schedule::Machine& on, std::optional<Nanoseconds> window,
                                            const schedule::Objective& objective, schedule::PairTable& table,
                                            const std::atomic<bool>* cancel) const {
  return schedule::measure_pair_power(on, window_or_usual(window), objective, table, cancel);
}

Result<void> CorunStage::profile_at_clocks(const schedule::Objective& objective, std::optional<Nanoseconds> window,
                                           std::size_t rounds) {
  WATTUNE_ASSIGN(const auto profiled, machine());
  auto profiles = schedule::profile_at_clocks(*profiled, *clock_control(),
                                              {.clocks = clocks_, .window = window_or_usual(window), .rounds = rounds});
  if (!profiles) return std::move(profiles).error().with_context(device());
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    schedule::KernelTraits& traits = kernels_[i].traits;
    traits.at_clocks = std::move((*profiles)[i]);
    traits.best_clocks = schedule::best_clocks(traits, objective);
  }
  return {};
}

std::optional<Joules> known_energy(const CorunStage& stage, Joules energy, Nanoseconds time) {
  if (!(energy > Joules(0)) || (!stage.is_simulated() && time < nanoseconds_from_seconds(1))) return std::nullopt;
  return energy;
}

Result<std::unique_ptr<CorunStage>> open_stage(const std::string& device, const CorunKernels& kernels,
                                               const ProfileFile& profiles, const CorunClocks& clocks) {
  if (device.starts_with(kSimulated))
    return open_simulated_stage(device.substr(kSimulated.size()), kernels, profiles, clocks);
  if (!kernels.names.empty())
    return Error(ErrorCode::invalid_argument, "--kernels names kernels of simulated GPUs")
        .about(kernels.names.front())
        .hint("--device simulated:H100, or specs instead");
  return open_device_stage(device, kernels, profiles, clocks);
}

}  // namespace wattune::cli
