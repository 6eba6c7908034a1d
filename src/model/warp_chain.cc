#include "wattune/model/warp_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/scheduler_chain.h"

namespace wattune::inline v0_1::model {

namespace {

constexpr std::size_t kMostKinds = 2;

Error chain_refuses(std::string message, std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(std::move(what)).with_context("warp chain");
}

Result<void> check_stall(const StallKind& stall) {
  if (!(stall.ratio >= 0.0 && stall.ratio <= 1.0))
    return chain_refuses("a ratio of instructions is not from 0 to 1", fmt::format("{}", stall.ratio));
  if (!(stall.latency >= 1.0 && std::isfinite(stall.latency)))
    return chain_refuses("a latency is not at least one cycle", fmt::format("{}", stall.latency));
  if (!(stall.queued >= 0.0 && stall.queued <= 1.0))
    return chain_refuses("a share of accesses is not from 0 to 1", fmt::format("{}", stall.queued));
  if (!(stall.requests >= 0.0 && std::isfinite(stall.requests)))
    return chain_refuses("an access cannot make so many requests", fmt::format("{}", stall.requests));
  return {};
}

Result<void> check_load(const WarpLoad& load) {
  const WarpProfile& profile = load.profile;
  if (load.warps == 0) return chain_refuses("a kernel without warps issues nothing", "warps 0").hint("leave it out");
  if (profile.stalls.size() > kMostKinds)
    return chain_refuses("warps wait in two ways at most", fmt::format("{} kinds of stalls", profile.stalls.size()));
  double ratios = 0.0;
  for (const StallKind& stall : profile.stalls) {
    WATTUNE_TRY(check_stall(stall));
    ratios += stall.ratio;
  }
  if (ratios > 1.0)
    return chain_refuses("the ratios of a kernel's stalls add up to more than 1", fmt::format("{}", ratios));
  for (const double busy : profile.busy_cycles)
    if (!(busy >= 0.0 && std::isfinite(busy)))
      return chain_refuses("no resource is busy for so many cycles", fmt::format("{}", busy));
  if (!(profile.issue_distance >= 1.0 && std::isfinite(profile.issue_distance)))
    return chain_refuses("instructions of a warp are at least one cycle apart",
                         fmt::format("{}", profile.issue_distance));
  return {};
}

Result<void> check_sm(const ChainSm& sm) {
  if (sm.schedulers == 0) return chain_refuses("an SM has a scheduler at least", "0");
  if (!(sm.issue_rate > 0.0 && sm.requests_per_cycle > 0.0 && sm.contention >= 0.0 && sm.offset >= 0.0))
    return chain_refuses("rates of an SM are positive, contention and offset not negative",
                         fmt::format("{}, {}, {}, {}", sm.issue_rate, sm.requests_per_cycle, sm.contention, sm.offset));
  return {};
}

// Returns the number of a kernel's warps on this scheduler. If the warps cannot be divided equally, the first
// schedulers get one more warp. The second kernel's further warps go to the last schedulers, because warps go to
// schedulers that have fewer.
unsigned warps_on(const ChainSm& sm, unsigned warps, unsigned scheduler, bool from_the_end) {
  const unsigned place = from_the_end ? sm.schedulers - 1 - scheduler : scheduler;
  return warps / sm.schedulers + (place < warps % sm.schedulers ? 1 : 0);
}

SchedulerLoad load_on(const ChainSm& sm, const WarpProfile& profile, unsigned warps, const ChainOptions& options) {
  SchedulerLoad load;
  load.issue_distance = std::max(1.0, profile.issue_distance * sm.issue_rate);
  load.busy_cycles = profile.busy_cycles;
  for (double& each : load.busy_cycles) each *= sm.schedulers * sm.issue_rate;
  load.units = (warps + options.warps_per_unit - 1) / options.warps_per_unit;
  load.unit = load.units == 0 ? 1.0 : static_cast<double>(warps) / load.units;
  for (std::size_t i = 0; i < profile.stalls.size(); ++i) {
    load.stalls[i] = profile.stalls[i];
    load.stalls[i].latency *= sm.issue_rate;
  }
  return load;
}

std::vector<SchedulerLoad> loads_on(const ChainSm& sm, std::span<const WarpLoad> loads, unsigned scheduler,
                                    const ChainOptions& options) {
  std::vector<SchedulerLoad> result;
  for (std::size_t i = 0; i < loads.size(); ++i)
    result.push_back(load_on(sm, loads[i].profile, warps_on(sm, loads[i].warps, scheduler, i == 1), options));
  return result;
}

// Returns the memory of Kernelet's virtual SM (section 4.4 of its paper), in cycles of the virtual SM's scheduler.
SchedulerMemory memory_of_scheduler(const ChainSm& sm) {
  return {sm.requests_per_cycle / sm.schedulers / sm.issue_rate, sm.contention, sm.offset * sm.issue_rate};
}

std::vector<double> solve(const ChainSm& sm, std::span<const SchedulerLoad> loads) {
  const SchedulerChain chain(memory_of_scheduler(sm), loads);
  return chain.instructions_per_cycle(stationary_distribution(chain.transitions()));
}

bool same_units(std::span<const SchedulerLoad> a, std::span<const SchedulerLoad> b) {
  return std::ranges::equal(
      a, b, [](const SchedulerLoad& x, const SchedulerLoad& y) { return x.units == y.units && x.unit == y.unit; });
}

}  // namespace

// Sums the instructions per cycle over the schedulers. Neighbouring schedulers with the same numbers of warps are
// computed only once.
Result<std::vector<double>> instructions_per_cycle(const ChainSm& sm, std::span<const WarpLoad> loads,
                                                   const ChainOptions& options) {
  if (loads.empty() || loads.size() > 2)
    return chain_refuses("the chain is of one kernel or of two", fmt::format("{}", loads.size()));
  if (options.warps_per_unit == 0) return chain_refuses("a unit is a warp at least", "warps_per_unit 0");
  WATTUNE_TRY(check_sm(sm));
  for (const WarpLoad& load : loads) WATTUNE_TRY(check_load(load));
  std::vector<double> total(loads.size(), 0.0);
  std::vector<SchedulerLoad> solved;
  std::vector<double> issued;
  for (unsigned scheduler = 0; scheduler < sm.schedulers; ++scheduler) {
    const auto here = loads_on(sm, loads, scheduler, options);
    if (solved.empty() || !same_units(here, solved)) {
      const std::size_t states = SchedulerChain::states_of(here);
      if (states > options.most_states)
        return chain_refuses(fmt::format("more than {} states", options.most_states), fmt::format("{}", states))
            .hint("let more warps move as one (warps_per_unit)");
      issued = solve(sm, here);
      solved = here;
    }
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += issued[i] * sm.issue_rate;
  }
  return total;
}

}  // namespace wattune::model
