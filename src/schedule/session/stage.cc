#include "schedule/session/stage.h"

#include <array>
#include <string>
#include <utility>

#include "core/logging.h"
#include "schedule/interface/clock_profile.h"
#include "schedule/interface/power_profile.h"
#include "simulate/interface/counted_features.h"

namespace wattune::inline v0_1::schedule {

// Returns the given window, or else the usual one. The usual window is long for real boards, whose counters are renewed
// every 100 ms, and short for simulated ones.
Nanoseconds Stage::window_or_usual(std::optional<Nanoseconds> window) const {
  return window.value_or(is_simulated() ? nanoseconds_from_ms(20) : nanoseconds_from_seconds(3));
}

std::array<Identity, 2> Stage::identities_of(KernelId first, KernelId second) const {
  std::array<Identity, 2> both = {kernels_[first].identity, kernels_[second].identity};
  if (const std::string clock = held_clock(); !clock.empty())
    for (Identity& identity : both) identity.emplace("clock", clock);
  return both;
}

std::optional<PairForecast> Stage::remembered(KernelId first, KernelId second, unsigned sms) const {
  const auto [one, other] = identities_of(first, second);
  return memory_.find(one, other, sms);
}

void Stage::remember(KernelId first, KernelId second, unsigned sms, const std::vector<PairForecast>& ways) {
  const auto [one, other] = identities_of(first, second);
  memory_.note(one, other, sms, ways);
  if (const auto saved = memory_.save(); !saved)
    log_warning("the measured gains of pairs are not kept: {}", saved.error().to_string());
}

Result<void> Stage::profile_power(std::optional<Nanoseconds> window) {
  WATTUNE_ASSIGN(const auto profiled, machine());
  auto powers = schedule::profile_power(*profiled, window_or_usual(window));
  if (!powers) return std::move(powers).error().with_context(device());
  for (std::size_t i = 0; i < kernels_.size(); ++i) kernels_[i].traits.power = (*powers)[i];
  return {};
}

Result<void> Stage::measure_pair_power(Machine& on, std::optional<Nanoseconds> window, const Objective& objective,
                                       PairTable& table, const std::atomic<bool>* cancel) const {
  return schedule::measure_pair_power(on, window_or_usual(window), objective, table, cancel);
}

Result<void> Stage::profile_at_clocks(const Objective& objective, std::optional<Nanoseconds> window,
                                      std::size_t rounds) {
  WATTUNE_ASSIGN(const auto profiled, machine());
  auto profiles = schedule::profile_at_clocks(
      *profiled, *clock_control(),
      {.clocks = clocks(), .window = window_or_usual(window), .rounds = rounds, .objective = objective});
  if (!profiles) return std::move(profiles).error().with_context(device());
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    KernelTraits& traits = kernels_[i].traits;
    traits.at_clocks = std::move((*profiles)[i]);
    traits.best_clocks = best_clocks(traits, objective);
  }
  return {};
}

Result<void> Stage::ask_networks() {
  for (StageKernel& kernel : kernels_) {
    KernelTraits& traits = kernel.traits;
    if (!traits.features && kernel.costs && gpu() != nullptr && traits.alone)
      traits.features = simulate::features_of(*kernel.costs, traits.blocks, *traits.alone, *gpu());
    if (!traits.features)
      return Error(ErrorCode::unavailable,
                   "networks need the features of each kernel, and those of this one are unknown")
          .about(traits.name)
          .hint("a profile has them, by counts of its instructions or by performance counters that may be read");
    if (!clocks().empty()) traits.best_clocks = nearest_setting(networks_->at(*traits.features), clocks());
  }
  return {};
}

Result<OwnData> Stage::own_data(KernelId /*kernel*/, const OwnArguments& /*arguments*/) {
  return Error(ErrorCode::unavailable, "a simulated GPU has no memory").about(device());
}

std::optional<Joules> known_energy(const Stage& stage, std::optional<Joules> energy, Nanoseconds time) {
  if (!energy || (!stage.is_simulated() && time < nanoseconds_from_seconds(1))) return std::nullopt;
  return energy;
}

}  // namespace wattune::schedule
