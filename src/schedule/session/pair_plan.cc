#include "schedule/session/pair_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "schedule/interface/policy.h"
#include "schedule/interface/queue_experiment.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Returns the ways of the pair. Pilots add those that a sweep has no rows of: twins on SMs of their own.
Result<PairForecast> known_ways(Machine& machine, const PairSweep& sweep) {
  const KernelTraits& first = *machine.kernel(sweep.kernels[0]);
  const KernelTraits& second = *machine.kernel(sweep.kernels[1]);
  std::vector<PairForecast> ways = swept_ways(machine, sweep, watts_of(first, second));
  if (first.persistent && second.persistent) {
    WATTUNE_ASSIGN(PairForecast best, measured_forecaster(machine, Form::persistent)(first, second));
    std::vector<PairForecast> pilots = std::exchange(best.others, {});
    pilots.push_back(std::move(best));
    for (PairForecast& pilot : pilots)
      if (std::ranges::find(ways, pilot.shape(), &PairForecast::shape) == ways.end()) ways.push_back(std::move(pilot));
  }
  return best_of({}, std::move(ways));
}

// Returns the highest speed that a kernel alone may have on so many SMs: that on the next more that were measured.
std::optional<double> highest_speed_on(const KernelTraits& kernel, unsigned sms) {
  const auto above = std::ranges::lower_bound(kernel.speed_on_sms, sms, {}, &SpeedOnSms::sms);
  return above == kernel.speed_on_sms.end() ? std::nullopt : std::optional(above->speed);
}

// Returns the highest speed that a kernel alone may have in its share of a row; nullopt if none was measured.
std::optional<double> highest_speed_in_share(const KernelTraits& kernel, const Arrangement& how, std::size_t which,
                                             unsigned sms) {
  if (how.way == Way::split) return highest_speed_on(kernel, which == 0 ? how.sms_of_first : sms - how.sms_of_first);
  const unsigned blocks = which == 0 ? how.ratio.first : how.ratio.second;
  if (blocks == 0 || blocks > kernel.rate_at_residency.size()) return std::nullopt;
  return kernel.twin_speed * kernel.rate_at_residency[blocks - 1];
}

// Returns the speeds of both kernels in a row while both ran. The one that ended first did so all the time. The work
// that the other may have done alone at the end is taken off, so that its speed is rather too low than too high.
std::array<double, 2> rates_together(const Machine& machine, const PairSweep& sweep, const SweepRow& row) {
  constexpr double kLeastPart = 0.1;  // of the speed over the whole row, which noise must not undercut
  std::array<double, 2> rates = {sweep.alone[0] / row.times[0], sweep.alone[1] / row.times[1]};
  const std::size_t later = row.times[0] > row.times[1] ? 0 : 1;
  const Nanoseconds together = row.times[1 - later];
  const KernelTraits& kernel = *machine.kernel(sweep.kernels[later]);
  if (const auto alone = highest_speed_in_share(kernel, row.arrangement, later, machine.limits().sms)) {
    const Nanoseconds done_alone = *alone * (row.times[later] - together);
    const double together_rate = (sweep.alone[later] - done_alone) / together;
    rates[later] = std::clamp(together_rate, kLeastPart * rates[later], rates[later]);
  }
  return rates;
}

// Returns the works of both kernels in turns, so that both are among the first works of the queue, which a policy looks
// at.
std::vector<Arrival> works_of(const PairSweep& sweep) {
  const auto& [first, second] = sweep.repetitions;
  std::vector<Arrival> works;
  for (std::size_t i = 0, j = 0; i < first || j < second;) {
    const bool is_first = i < first && i * second <= j * first;
    works.push_back({.moment = {}, .kernel = sweep.kernels[is_first ? 0 : 1]});
    ++(is_first ? i : j);
  }
  return works;
}

bool is_shared(const Span& span) { return span.form != Form::whole || span.sms.count > 0; }

// Returns the time from the first block to the last, as for the rows of a sweep.
Nanoseconds makespan_of(const Trace& trace) {
  const auto& spans = trace.spans();
  if (spans.empty()) return {};
  return std::ranges::max_element(spans, {}, &Span::end)->end -
         std::ranges::min_element(spans, {}, &Span::begin)->begin;
}

}  // namespace

std::vector<PairForecast> swept_ways(const Machine& machine, const PairSweep& sweep,
                                     const std::optional<PairWatts>& watts) {
  std::vector<PairForecast> ways;
  for (const SweepRow& row : sweep.rows) {
    const Arrangement& how = row.arrangement;
    if (row.failure || (how.way != Way::split && how.way != Way::shares)) continue;
    ways.push_back({.ratio = how.ratio,
                    .sms_of_first = how.way == Way::split ? std::optional(how.sms_of_first) : std::nullopt,
                    .whole = how.way == Way::split,
                    .rates = rates_together(machine, sweep, row),
                    .watts = watts,
                    .measured = std::max<std::size_t>(1, row.makespans.size())});
  }
  return ways;
}

PairPlan::PairPlan(Machine& machine, const PairSweep& sweep)
    : machine_(&machine), sweep_(&sweep), table_(machine.limits().sms), works_(works_of(sweep)) {}

Result<PairPlan> PairPlan::make(Machine& machine, const PairSweep& sweep) {
  PairPlan plan(machine, sweep);
  WATTUNE_ASSIGN(const PairForecast forecast, known_ways(machine, sweep));
  plan.table_.learn(sweep.kernels[0], sweep.kernels[1], forecast);
  return plan;
}

Result<Nanoseconds> PairPlan::run() {
  trace_ = Trace();
  WATTUNE_TRY(schedule::run_queue(*machine_, works_, {.policy = "paired"}, table_, &trace_));
  return makespan_of(trace_);
}

PairForecast PairPlan::way() const {
  const std::array names = {machine_->kernel(sweep_->kernels[0])->name, machine_->kernel(sweep_->kernels[1])->name};
  const std::vector<PairForecast> ways = table_.ways(sweep_->kernels[0], sweep_->kernels[1]);
  std::array<const Span*, 2> first = {};
  for (const Span& span : trace_.spans())
    for (std::size_t i = 0; i < 2; ++i)
      if (first[i] == nullptr && span.kernel == names[i] && is_shared(span)) first[i] = &span;
  if (first[0] == nullptr || first[1] == nullptr) return {.rates = ways.front().rates};
  const unsigned sms = first[0]->sms.count;
  const PairShape shape = sms > 0 ? PairShape{.ratio = {}, .sms_of_first = sms, .whole = first[0]->form == Form::whole}
                                  : PairShape{.ratio = {first[0]->per_sm, first[1]->per_sm}};
  const auto taken = std::ranges::find(ways, shape, &PairForecast::shape);
  return taken == ways.end() ? ways.front() : *taken;
}

}  // namespace wattune::schedule
