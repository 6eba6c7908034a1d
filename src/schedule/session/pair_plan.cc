#include "schedule/session/pair_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/median.h"
#include "schedule/interface/policy.h"
#include "schedule/interface/queue_experiment.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr std::size_t kChoosingRounds = 3;  // rounds of choosing; in each, every way to choose from runs once

// Returns the known ways of the pair. A sweep has no rows for twins on SMs of their own, so pilots measure these.
Result<PairForecast> known_ways(Machine& machine, const PairSweep& sweep) {
  const KernelTraits& first = *machine.kernel(sweep.kernels[0]);
  const KernelTraits& second = *machine.kernel(sweep.kernels[1]);
  std::vector<PairForecast> ways = swept_ways(machine, sweep, watts_of(first, second));
  for (PairForecast& way : ways_in_streams(first, second))
    if (way.many_streams) ways.push_back(std::move(way));
  if (first.persistent && second.persistent) {
    WATTUNE_ASSIGN(PairForecast best, measured_forecaster(machine, Form::persistent)(first, second));
    std::vector<PairForecast> pilots = std::exchange(best.others, {});
    pilots.push_back(std::move(best));
    for (PairForecast& pilot : pilots)
      if (std::ranges::find(ways, pilot.shape(), &PairForecast::shape) == ways.end()) ways.push_back(std::move(pilot));
  }
  return best_of({}, std::move(ways));
}

// Returns an upper bound on the speed of a kernel alone on `sms` SMs. It is the speed on the next larger measured
// number of SMs. Returns nullopt if no such number was measured.
std::optional<double> highest_speed_on(const KernelTraits& kernel, unsigned sms) {
  const auto above = std::ranges::lower_bound(kernel.speed_on_sms, sms, {}, &SpeedOnSms::sms);
  return above == kernel.speed_on_sms.end() ? std::nullopt : std::optional(above->speed);
}

// Returns the highest speed that a kernel may have alone in the share of the GPU that it has in this arrangement.
// Returns nullopt if no such speed was measured.
std::optional<double> highest_speed_in_share(const KernelTraits& kernel, const Arrangement& how, std::size_t which,
                                             unsigned sms) {
  if (how.way == Way::split) return highest_speed_on(kernel, which == 0 ? how.sms_of_first : sms - how.sms_of_first);
  if (how.way != Way::shares) return 1.0;  // on all SMs, its highest speed is 1
  const unsigned blocks = which == 0 ? how.ratio.first : how.ratio.second;
  if (blocks == 0 || blocks > kernel.rate_at_residency.size()) return std::nullopt;
  return kernel.twin_speed * kernel.rate_at_residency[blocks - 1];
}

// Returns the speeds of both kernels in a row while both ran. The kernel that ended first ran beside the other all the
// time. From the work of the other, the part that it may have done alone at the end is subtracted. So its speed is
// rather too low than too high.
std::array<double, 2> rates_together(const Machine& machine, const PairSweep& sweep, const SweepRow& row) {
  constexpr double kLeastPart = 0.1;  // least part of the speed over the whole row, against noise
  std::array<Nanoseconds, 2> times = row.times;
  const std::size_t later = times[0] > times[1] ? 0 : 1;
  // In streams, the kernel that ended later may have waited for SMs before its first block.
  if (shape_of(row.arrangement).is_in_streams()) times[later] = row.makespan;
  std::array<double, 2> rates = {sweep.alone[0] / times[0], sweep.alone[1] / times[1]};
  const Nanoseconds together = times[1 - later];
  const KernelTraits& kernel = *machine.kernel(sweep.kernels[later]);
  if (const auto alone = highest_speed_in_share(kernel, row.arrangement, later, machine.limits().sms)) {
    const Nanoseconds done_alone = *alone * (times[later] - together);
    const double together_rate = (sweep.alone[later] - done_alone) / together;
    rates[later] = std::clamp(together_rate, kLeastPart * rates[later], rates[later]);
  }
  return rates;
}

// Returns the works of both kernels in turns. So both kernels are among the first works of the queue, at which a policy
// looks.
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

// Returns the time from the first block to the last, which is also the time that rows of a sweep have.
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
    const PairShape shape = shape_of(row.arrangement);
    if (row.failure || !shape.is_together()) continue;
    ways.push_back({.ratio = shape.ratio,
                    .sms_of_first = shape.sms_of_first,
                    .whole = shape.whole,
                    .urgent = shape.urgent,
                    .rates = rates_together(machine, sweep, row),
                    .watts = watts,
                    .measured = std::max<std::size_t>(1, row.makespans.size())});
  }
  return ways;
}

PairPlan::PairPlan(Machine& machine, const PairSweep& sweep, PairForecast known)
    : machine_(&machine),
      sweep_(&sweep),
      known_(std::move(known)),
      table_(machine.limits().sms),
      shown_(machine.limits().sms),
      works_(works_of(sweep)) {
  table_.learn(sweep.kernels[0], sweep.kernels[1], known_);
}

Result<PairPlan> PairPlan::make(Machine& machine, const PairSweep& sweep) {
  WATTUNE_ASSIGN(PairForecast known, known_ways(machine, sweep));
  PairPlan plan(machine, sweep, std::move(known));
  WATTUNE_TRY(plan.choose());
  return plan;
}

void PairPlan::keep_to(const PairShape& shape) { prove(ProvenWay{.shape = shape, .works = sweep_->repetitions}); }

void PairPlan::prove(const std::optional<ProvenWay>& proven) {
  known_.proven = proven;
  table_.learn(sweep_->kernels[0], sweep_->kernels[1], known_);
}

// Returns the shapes of the best row, of the best baseline, and of many streams.
std::vector<PairShape> PairPlan::shapes_to_choose_from() const {
  std::vector<PairShape> shapes;
  const auto is_any = [](const SweepRow&) { return true; };
  for (const SweepRow* row : {sweep_->best(is_any), sweep_->best(is_baseline)})
    if (row != nullptr) shapes.push_back(shape_of(row->arrangement));
  for (const PairForecast& way : table_.ways(sweep_->kernels[0], sweep_->kernels[1]))
    if (way.many_streams) shapes.push_back(way.shape());
  return shapes;
}

// Runs the choice of the policy and the shapes in turns, and keeps to the fastest of them. This is needed because the
// speeds of both kernels in a row may be wrong, while the time of the row is right.
Result<void> PairPlan::choose() {
  std::vector<std::optional<ProvenWay>> choices = {std::nullopt};
  for (const PairShape& shape : shapes_to_choose_from()) {
    keep_to(shape);
    if (std::ranges::find(choices, known_.proven) == choices.end()) choices.push_back(known_.proven);
  }
  const bool is_exact = std::ranges::all_of(sweep_->rows, [](const SweepRow& row) { return row.makespans.size() < 2; });
  std::vector<std::vector<double>> times(choices.size());
  const std::size_t rounds = is_exact ? 1 : 1 + kChoosingRounds;  // the first round creates streams, and is not counted
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const std::size_t place = (i + round) % choices.size();
      prove(choices[place]);
      WATTUNE_ASSIGN(const Nanoseconds time, run());
      if (is_exact || round > 0) times[place].push_back(time.value());
    }
  std::size_t best = 0;
  for (std::size_t i = 1; i < choices.size(); ++i)
    if (median_of(times[i]) < median_of(times[best])) best = i;
  prove(choices[best]);
  return {};
}

Result<Nanoseconds> PairPlan::run() {
  trace_ = Trace();
  WATTUNE_ASSIGN(QueueRun run, schedule::run_queue(*machine_, works_, {.policy = "paired"}, table_, &trace_));
  shown_ = std::move(run.pairs);
  return makespan_of(trace_);
}

PairForecast PairPlan::way() const {
  const auto& [first, second] = sweep_->kernels;
  const std::vector<PairForecast> ways = table_.ways(first, second);
  const auto decision =
      std::ranges::find_if(trace_.decisions(), [](const Decision& each) { return each.pair.has_value(); });
  PairForecast way{.rates = ways.front().rates};
  if (decision != trace_.decisions().end()) {
    const PlannedPair& pair = *decision->pair;
    const PairShape shape = pair.first == first ? pair.shape : pair.shape.swapped(machine_->limits().sms);
    const auto taken = std::ranges::find(ways, shape, &PairForecast::shape);
    if (taken != ways.end()) way = *taken;
  }
  way.proven = known_.proven;
  if (!way.proven || !way.proven->shape.is_together()) return way;
  const auto shown = shown_.find(first, second, way.proven->shape, {});
  if (!shown) return way;
  way.proven->speedup = shown->speedup();
  if (way.many_streams && way.shape() == way.proven->shape) {
    way.rates = shown->rates;
    way.measured = shown->measured;
  }
  return way;
}

}  // namespace wattune::schedule
