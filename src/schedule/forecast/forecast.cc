#include "wattune/schedule/forecast.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "schedule/interface/kernel_use.h"
#include "schedule/interface/timing_class.h"
#include "schedule/policy/pair_ways.h"
#include "simulate/interface/ptx_profile.h"

namespace wattune::inline v0_1::schedule {

namespace {

// The largest number of states of a Markov chain, so that a forecast takes milliseconds (docs/schedule.md). If a chain
// needs more states, more warps are combined into one unit.
constexpr unsigned kMostStates = 600;
constexpr unsigned kRoughestUnit = 8;  // largest number of warps that a unit combines

// Predicts with the finest chain that has at most kMostStates states.
template <typename Predict>
auto with_few_states(Predict predict) {
  for (model::ChainOptions options{.most_states = kMostStates};; options.warps_per_unit *= 2)
    if (auto predicted = predict(options); predicted || options.warps_per_unit >= kRoughestUnit) return predicted;
}

// Returns the ratios of resident blocks that fit on an SM. Fails with not_found if the compute capability is unknown.
Result<std::vector<model::BlockRatio>> feasible_ratios_of(const MachineLimits& limits, const KernelTraits& first,
                                                          const KernelTraits& second) {
  return model::feasible_ratios(limits.capability.value_or(model::ComputeCapability{}), first.block, second.block);
}

Result<PairForecast> chain_forecast(const MachineLimits& limits, const model::ChainSm& sm, model::RatioRule rule,
                                    const KernelTraits& first, const KernelTraits& second) {
  WATTUNE_ASSIGN(const auto ratios, feasible_ratios_of(limits, first, second));
  if (ratios.empty()) return PairForecast{};
  auto plan = with_few_states([&](const model::ChainOptions& options) {
    return model::plan_pair(sm, first.profile, second.profile, ratios, rule, options);
  });
  if (!plan) return std::move(plan).error().with_context("forecast of " + first.name + " with " + second.name);
  return PairForecast{.ratio = plan->ratio,
                      .rates = {plan->ipc[0] / plan->ipc_alone[0], plan->ipc[1] / plan->ipc_alone[1]},
                      .watts = watts_of(first, second)};
}

Result<std::vector<double>> ipc_of(const model::ChainSm& sm, std::span<const model::WarpLoad> loads) {
  return with_few_states(
      [&](const model::ChainOptions& options) { return model::instructions_per_cycle(sm, loads, options); });
}

// Returns the speeds with 1, 2 ... resident blocks on each SM, each divided by the speed with the most blocks.
Result<std::vector<double>> residency_rates(const model::ChainSm& sm, const KernelTraits& kernel) {
  if (!kernel.rate_at_residency.empty()) return kernel.rate_at_residency;
  std::vector<double> rates;
  for (unsigned blocks = 1; blocks <= kernel.profile.blocks_alone; ++blocks) {
    const model::WarpLoad load{kernel.profile.profile, blocks * kernel.profile.warps_per_block};
    WATTUNE_ASSIGN(const auto ipc, ipc_of(sm, {&load, 1}));
    rates.push_back(ipc.front());
  }
  for (double& rate : rates) rate /= rates.back();
  return rates;
}

// Returns the kernel's load without its use of pipelines and L2. A round of the chain lasts until all warps have
// received what they request. If the load included that use, warps that compute would wait for warps of the other
// kernel that queue at L2. The function packed() accounts for what both kernels use together.
model::WarpLoad waiting_load(const KernelTraits& kernel, double blocks) {
  model::WarpLoad load{kernel.profile.profile,
                       static_cast<unsigned>(std::max(1.0, std::round(blocks * kernel.profile.warps_per_block)))};
  load.profile.busy_cycles.clear();
  return load;
}

// Returns for each kernel the share of its speed that remains when both wait for the same memory, with these numbers of
// blocks on each SM. It is the speed by a chain of two kernels, divided by the speed by a chain of one kernel. Twice
// the issue rate keeps competition for issue slots out of the result.
Result<std::array<double, 2>> memory_shares(model::ChainSm sm, const KernelTraits& first, const KernelTraits& second,
                                            std::array<double, 2> blocks) {
  if (first.profile.profile.stalls.empty() || second.profile.profile.stalls.empty()) return std::array{1.0, 1.0};
  sm.issue_rate *= 2.0;
  const std::array loads = {waiting_load(first, blocks[0]), waiting_load(second, blocks[1])};
  WATTUNE_ASSIGN(const auto together, ipc_of(sm, loads));
  WATTUNE_ASSIGN(const auto of_first, ipc_of(sm, {loads.data(), 1}));
  WATTUNE_ASSIGN(const auto of_second, ipc_of(sm, {loads.data() + 1, 1}));
  return std::array{std::min(1.0, together[0] / of_first[0]), std::min(1.0, together[1] / of_second[0])};
}

std::vector<double> pipeline_and_memory(const KernelTraits& kernel) {
  const model::Utilisation likely = likely_utilisation(kernel);
  return {likely.pipeline, likely.memory};
}

// Returns for each kernel its use of each resource. If the use of a resource is unknown, returns only PUR and MUR.
std::array<std::vector<double>, 2> uses_of(const KernelTraits& first, const KernelTraits& second) {
  std::array known = {known_use(first), known_use(second)};
  if (known[0].size() == known[1].size() && !known[0].empty()) return known;
  return {pipeline_and_memory(first), pipeline_and_memory(second)};
}

// Returns the speeds, both reduced by the same factor if the two kernels together use more than all of a resource. Only
// resources from index `begin` on count.
std::array<double, 2> packed(std::array<double, 2> rates, const std::array<std::vector<double>, 2>& uses,
                             std::size_t begin = 0) {
  double most = 1.0;
  for (std::size_t i = begin; i < uses[0].size(); ++i)
    most = std::max(most, rates[0] * uses[0][i] + rates[1] * uses[1][i]);
  return {rates[0] / most, rates[1] / most};
}

Result<PairForecast> residency_forecast(const MachineLimits& limits, const model::ChainSm& sm,
                                        const Objective& objective, const KernelTraits& first,
                                        const KernelTraits& second) {
  WATTUNE_ASSIGN(const auto ratios, feasible_ratios_of(limits, first, second));
  WATTUNE_ASSIGN(const auto of_first, residency_rates(sm, first));
  WATTUNE_ASSIGN(const auto of_second, residency_rates(sm, second));
  const auto uses = uses_of(first, second);
  std::vector<PairForecast> ways;
  for (const model::BlockRatio& ratio : ratios) {
    if (ratio.first > of_first.size() || ratio.second > of_second.size()) continue;
    const std::array<double, 2> blocks = {static_cast<double>(ratio.first), static_cast<double>(ratio.second)};
    WATTUNE_ASSIGN(const auto shares, memory_shares(sm, first, second, blocks));
    const std::array rates = {of_first[ratio.first - 1] * shares[0], of_second[ratio.second - 1] * shares[1]};
    ways.push_back({.ratio = ratio, .rates = packed(rates, uses), .watts = watts_of(first, second)});
  }
  return best_of(objective, std::move(ways));
}

double rate_on(double share_of_sms, const KernelTraits& kernel) {
  return std::min(1.0, share_of_sms / std::max(kernel.saturating_share, 1e-6));
}

// Forecasts a pair whose first kernel has `sms` SMs of its own and whose second kernel has all others. Requests of both
// kernels compete in L2 and DRAM, but each kernel has its own pipelines. The chain models this by blocks of both on
// every SM, in proportion to their SMs.
Result<PairForecast> forecast_of_split(const MachineLimits& limits, const model::ChainSm& sm, unsigned sms,
                                       const KernelTraits& first, const KernelTraits& second) {
  const double share = static_cast<double>(sms) / limits.sms;
  WATTUNE_ASSIGN(const auto kept,
                 memory_shares(sm, first, second,
                               {share * first.profile.blocks_alone, (1.0 - share) * second.profile.blocks_alone}));
  const auto uses = uses_of(first, second);
  const std::size_t memory = uses[0].size() == simulate::kResources ? simulate::kSmResources : 1;
  const std::array rates = {rate_on(share, first) * kept[0], rate_on(1.0 - share, second) * kept[1]};
  return PairForecast{.sms_of_first = sms, .rates = packed(rates, uses, memory), .watts = watts_of(first, second)};
}

// Returns the time until both kernels have ended at a split, without giving the SMs of the kernel that ends first to
// the other. If a time alone is unknown, both kernels count as equally long.
double makespan_of(const PairForecast& split, const KernelTraits& first, const KernelTraits& second) {
  const bool are_known = first.alone && second.alone;
  const double of_first = are_known ? first.alone->value() : 1.0;
  const double of_second = are_known ? second.alone->value() : 1.0;
  return std::max(of_first / split.rates[0], of_second / split.rates[1]);
}

Result<PairForecast> split_forecast(const MachineLimits& limits, const model::ChainSm& sm, const KernelTraits& first,
                                    const KernelTraits& second) {
  PairForecast best;
  std::vector<PairForecast> others;
  for (const unsigned sms : splits_of(limits)) {
    WATTUNE_ASSIGN(PairForecast split, forecast_of_split(limits, sm, sms, first, second));
    if (ends_sooner(split, best, first, second)) std::swap(split, best);
    if (split.sms_of_first) others.push_back(std::move(split));
  }
  best.others = std::move(others);
  return best;
}

bool keeps_limits(const Objective& objective, const PairForecast& forecast) {
  const double slower = std::min(forecast.rates[0], forecast.rates[1]);
  if (objective.most_slowdown && slower * (1.0 + *objective.most_slowdown) < 1.0) return false;
  return !objective.power_cap || forecast.power() <= *objective.power_cap;
}

}  // namespace

std::optional<double> merit(const Objective& objective, const PairForecast& forecast) {
  if (objective.needs_power() && !forecast.watts) return std::nullopt;
  if (!keeps_limits(objective, forecast)) return std::nullopt;
  switch (objective.goal) {
    case Goal::throughput: return forecast.time_gain();
    case Goal::energy: return forecast.energy_gain();
    case Goal::energy_delay: return forecast.energy_gain() * forecast.time_gain();
  }
  return std::nullopt;
}

bool ends_sooner(const PairForecast& one, const PairForecast& other, const KernelTraits& first,
                 const KernelTraits& second) {
  return makespan_of(one, first, second) < makespan_of(other, first, second);
}

bool is_better(const Objective& objective, const PairForecast& one, const PairForecast& other) {
  const auto score = merit(objective, one);
  return score && *score > merit(objective, other).value_or(0.0);
}

PairForecast best_of(const Objective& objective, std::vector<PairForecast> ways) {
  std::size_t best = ways.size();
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (is_better(objective, ways[i], best < ways.size() ? ways[best] : PairForecast{})) best = i;
  if (best == ways.size()) return {};
  PairForecast chosen = std::move(ways[best]);
  ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(best));
  chosen.others = std::move(ways);
  return chosen;
}

PairShape PairShape::swapped(unsigned sms) const {
  return {.ratio = {ratio.second, ratio.first},
          .sms_of_first = sms_of_first ? std::optional(sms - *sms_of_first) : std::nullopt,
          .whole = whole,
          .urgent = urgent ? std::optional(1 - *urgent) : std::nullopt,
          .many_streams = many_streams};
}

PairForecast PairForecast::swapped(unsigned sms) const {
  const PairShape turned_shape = shape().swapped(sms);
  PairForecast turned{.ratio = turned_shape.ratio,
                      .sms_of_first = turned_shape.sms_of_first,
                      .whole = turned_shape.whole,
                      .urgent = turned_shape.urgent,
                      .many_streams = turned_shape.many_streams,
                      .rates = {rates[1], rates[0]},
                      .watts = watts,
                      .slower_alone = {slower_alone[1], slower_alone[0]},
                      .clocks = clocks};
  if (turned.watts) {
    std::ranges::reverse(turned.watts->added);
    std::ranges::reverse(turned.watts->alone);
  }
  for (const PairForecast& other : others) turned.others.push_back(other.swapped(sms));
  turned.measured = measured;
  turned.observed = {observed[1], observed[0]};
  if (proven)
    turned.proven = ProvenWay{
        .shape = proven->shape.swapped(sms), .works = {proven->works[1], proven->works[0]}, .speedup = proven->speedup};
  return turned;
}

// Returns the energy of the grid alone, divided by the kernel's time alone. Counts the twin instead if it takes less
// energy. Precondition: the kernel's power is known.
Watts most_frugal_alone(const KernelTraits& kernel) {
  const PowerTraits& power = *kernel.power;
  return power.twin ? std::min(power.alone, *power.twin / best_residency(kernel).speed) : power.alone;
}

std::optional<PairWatts> watts_of(const KernelTraits& first, const KernelTraits& second) {
  if (!first.power || !second.power) return std::nullopt;
  const Watts idle = 0.5 * (first.power->idle + second.power->idle);
  return PairWatts{.idle = idle,
                   .added = {first.power->alone - idle, second.power->alone - idle},
                   .alone = {most_frugal_alone(first), most_frugal_alone(second)}};
}

std::vector<PairForecast> ways_in_streams(const KernelTraits& first, const KernelTraits& second) {
  std::vector<PairForecast> ways;
  for (const bool many : {false, true})
    for (const std::optional<std::size_t> urgent :
         {std::optional<std::size_t>(), std::optional<std::size_t>(0), std::optional<std::size_t>(1)})
      ways.push_back({.whole = true,
                      .urgent = urgent,
                      .many_streams = many,
                      .rates = {0.5, 0.5},
                      .watts = watts_of(first, second)});
  return ways;
}

Forecaster residency_forecaster(const MachineLimits& limits, const model::ChainSm& sm, const Objective& objective) {
  return [=](const KernelTraits& first, const KernelTraits& second) {
    return residency_forecast(limits, sm, objective, first, second);
  };
}

Forecaster chain_forecaster(const MachineLimits& limits, const model::ChainSm& sm, model::RatioRule rule) {
  return [=](const KernelTraits& first, const KernelTraits& second) {
    return chain_forecast(limits, sm, rule, first, second);
  };
}

Forecaster split_forecaster(const MachineLimits& limits, const model::ChainSm& sm) {
  return
      [=](const KernelTraits& first, const KernelTraits& second) { return split_forecast(limits, sm, first, second); };
}

Forecaster whole_forecaster(const MachineLimits& limits, const model::ChainSm& sm) {
  return [=](const KernelTraits& first, const KernelTraits& second) -> Result<PairForecast> {
    WATTUNE_ASSIGN(PairForecast best, split_forecast(limits, sm, first, second));
    std::vector<PairForecast> ways = std::exchange(best.others, {});
    if (best.sms_of_first) ways.push_back(std::move(best));
    for (PairForecast& split : ways) split.whole = true;
    std::ranges::move(ways_in_streams(first, second), std::back_inserter(ways));
    return best_of({}, std::move(ways));
  };
}

Forecaster better_of(Forecaster one, Forecaster other, const Objective& objective) {
  return [one = std::move(one), other = std::move(other), objective](
             const KernelTraits& first, const KernelTraits& second) -> Result<PairForecast> {
    WATTUNE_ASSIGN(PairForecast by_one, one(first, second));
    WATTUNE_ASSIGN(PairForecast by_other, other(first, second));
    std::vector<PairForecast> ways;
    for (PairForecast* forecast : {&by_one, &by_other}) {
      std::vector<PairForecast> others = std::exchange(forecast->others, {});
      ways.push_back(std::move(*forecast));
      std::ranges::move(others, std::back_inserter(ways));
    }
    return best_of(objective, std::move(ways));
  };
}

Forecaster submission_forecaster(const MachineLimits& limits, const model::ChainSm& sm) {
  const Forecaster twins = better_of(residency_forecaster(limits, sm), split_forecaster(limits, sm), {});
  return better_of(twins, whole_forecaster(limits, sm), {});
}

}  // namespace wattune::schedule
