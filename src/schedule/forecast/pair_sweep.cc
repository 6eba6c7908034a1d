#include "wattune/schedule/pair_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/median.h"
#include "schedule/interface/joint_run.h"
#include "schedule/interface/profile.h"
#include "wattune/schedule/round_times.h"

namespace wattune::inline v0_1::schedule {

namespace {

using Parties = std::array<Party, 2>;

Parties whole_parties(const PairSweep& sweep) {
  Parties parties;
  for (std::size_t i = 0; i < 2; ++i) parties[i] = {.kernel = sweep.kernels[i], .repetitions = sweep.repetitions[i]};
  return parties;
}

Parties parties_of(const Machine& machine, const PairSweep& sweep, const Arrangement& arrangement) {
  if (arrangement.way == Way::in_turn) return whole_parties(sweep);
  Parties parties = parties_of(machine, sweep.kernels, shape_of(arrangement));
  for (std::size_t i = 0; i < 2; ++i) parties[i].repetitions = sweep.repetitions[i];
  return parties;
}

// Runs the two kernels one after the other. Excludes the pause of the host between them, which a stream would not have.
Result<JointRun> run_in_turn(Machine& machine, const Parties& parties) {
  WATTUNE_ASSIGN(JointRun run, run_jointly(machine, {parties.data(), 1}));
  WATTUNE_ASSIGN(const JointRun second, run_jointly(machine, {parties.data() + 1, 1}));
  PartyRun& behind = run.parties.emplace_back(second.parties.front());
  behind = {.begin = run.parties.front().end, .end = run.parties.front().end + behind.time(), .blocks = behind.blocks};
  run.energy = run.energy && second.energy ? std::optional(*run.energy + *second.energy) : std::nullopt;
  return run;
}

Result<JointRun> run_arrangement(Machine& machine, const PairSweep& sweep, const Arrangement& arrangement) {
  const Parties parties = parties_of(machine, sweep, arrangement);
  return arrangement.way == Way::in_turn ? run_in_turn(machine, parties) : run_jointly(machine, parties);
}

// The measurements of repeated runs in one way.
struct Measured {
  std::vector<double> makespans, first_times, second_times, joules;

  void add(const JointRun& run) {
    makespans.push_back(run.makespan().value());
    first_times.push_back(run.parties.front().time().value());
    second_times.push_back(run.parties.back().time().value());
    joules.push_back(run.energy.value_or(Joules()).value());
  }
  Nanoseconds makespan() const { return Nanoseconds(median_of(makespans)); }
  std::optional<Joules> energy() const {
    const Joules median(median_of(joules));
    return median > Joules() ? std::optional(median) : std::nullopt;
  }
  std::vector<Nanoseconds> by_round() const { return {makespans.begin(), makespans.end()}; }
};

// Returns the smallest numbers of repetitions such that the total times of both kernels differ by at most `match`, and
// are at least `least_time`. The search ends at 0.5 / match repetitions of the longer kernel, because rounding changes
// the other number by at most 0.5.
Result<std::array<std::size_t, 2>> matched_repetitions(std::array<Nanoseconds, 2> once, const SweepOptions& options) {
  const std::size_t longer = once[0] >= once[1] ? 0 : 1;
  const double ratio = once[longer] / once[1 - longer];
  if (!(ratio <= options.most_repetitions))
    return Error(ErrorCode::invalid_argument,
                 "the times of the two kernels alone differ too much to be matched by repetitions")
        .about(fmt::format("{:.3f} ms and {:.3f} ms", to_ms(once[0]), to_ms(once[1])))
        .hint(fmt::format("the shorter one would have to run more than {:g} times; choose other problem sizes",
                          options.most_repetitions));
  double of_longer = std::max(1.0, std::ceil(options.least_time / once[longer]));
  while (std::abs(std::round(of_longer * ratio) / (of_longer * ratio) - 1.0) > options.match) ++of_longer;
  std::array<std::size_t, 2> repetitions{};
  repetitions[longer] = static_cast<std::size_t>(of_longer);
  repetitions[1 - longer] = static_cast<std::size_t>(std::round(of_longer * ratio));
  return repetitions;
}

std::vector<Arrangement> baselines_of(const MachineLimits& limits) {
  std::vector<Arrangement> all = {{.way = Way::in_turn},
                                  {.way = Way::streams},
                                  {.way = Way::priority, .urgent = 0},
                                  {.way = Way::priority, .urgent = 1}};
  for (const unsigned sms : splits_of(limits)) all.push_back({.way = Way::split, .sms_of_first = sms});
  return all;
}

class Sweeper {
 public:
  Sweeper(Machine& machine, KernelId first, KernelId second, const SweepOptions& options)
      : machine_(machine), options_(options) {
    sweep_.kernels = {first, second};
  }

  Result<PairSweep> run() {
    WATTUNE_TRY(list_rows());
    WATTUNE_TRY(match());
    if (is_repeated()) WATTUNE_TRY(run_unmeasured());
    for (const std::vector<std::size_t>& order : orders()) WATTUNE_TRY(run_round(order));
    summarise();
    return std::move(sweep_);
  }

 private:
  Result<void> list_rows() {
    WATTUNE_ASSIGN(const auto ratios, ratios_of(machine_, sweep_.kernels[0], sweep_.kernels[1]));
    if (options_.rounds == 0) return Error(ErrorCode::invalid_argument, "a sweep needs at least one round");
    for (const Arrangement& arrangement : baselines_of(machine_.limits())) sweep_.rows.push_back({arrangement});
    for (const model::BlockRatio& ratio : ratios) sweep_.rows.push_back({{.way = Way::shares, .ratio = ratio}});
    together_.resize(sweep_.rows.size());
    return {};
  }

  Result<void> match() {
    std::array<Nanoseconds, 2> once;
    for (std::size_t i = 0; i < 2; ++i) {
      WATTUNE_ASSIGN(once[i], time_alone(machine_, sweep_.kernels[i]));
    }
    WATTUNE_ASSIGN(sweep_.repetitions, matched_repetitions(once, options_));
    return {};
  }

  bool is_repeated() const { return options_.rounds > 1; }
  // Returns the number of measurements in a round: each kernel alone, then each row.
  std::size_t entrants() const { return 2 + sweep_.rows.size(); }

  // Returns for each round a random order of the measurements. A single round keeps the order of the rows, because it
  // cannot average out a drift.
  std::vector<std::vector<std::size_t>> orders() const {
    auto drawn = balanced_orders(entrants(), options_.rounds, options_.seed);
    if (!is_repeated()) std::ranges::sort(drawn.front());
    return drawn;
  }

  // Runs each row once without measuring, with one repetition of each kernel, to create its streams. Kernels alone need
  // no such run, because match() has run them.
  Result<void> run_unmeasured() {
    for (SweepRow& row : sweep_.rows) {
      WATTUNE_TRY(go_on());
      if (auto run = run_pair(machine_, sweep_.kernels, row.arrangement); !run)
        WATTUNE_TRY(drop(row, std::move(run).error()));
    }
    return {};
  }

  Result<void> run_round(const std::vector<std::size_t>& order) {
    for (const std::size_t entrant : order) {
      WATTUNE_TRY(go_on());
      WATTUNE_TRY(entrant < 2 ? run_one(entrant) : run_row(entrant - 2));
    }
    return {};
  }

  Result<void> go_on() {
    const std::size_t all = options_.rounds * entrants() + (is_repeated() ? sweep_.rows.size() : 0);
    if (!options_.on_progress || options_.on_progress(done_++, all)) return {};
    return Error(ErrorCode::cancelled, "the sweep was ended by its user");
  }

  Result<void> run_one(std::size_t kernel) {
    const Party party = whole_parties(sweep_)[kernel];
    WATTUNE_ASSIGN(const JointRun run, run_jointly(machine_, {&party, 1}));
    alone_[kernel].add(run);
    return {};
  }

  Result<void> run_row(std::size_t row) {
    if (sweep_.rows[row].failure) return {};
    auto run = run_arrangement(machine_, sweep_, sweep_.rows[row].arrangement);
    if (!run) return drop(sweep_.rows[row], std::move(run).error());
    together_[row].add(*run);
    return {};
  }

  // Stores why a row failed. Fails only if the device is lost; other errors let the other rows continue.
  static Result<void> drop(SweepRow& row, Error why) {
    if (why.code() == ErrorCode::device_lost) return why;
    row.failure = std::move(why);
    return {};
  }

  void summarise() {
    for (std::size_t i = 0; i < 2; ++i) {
      sweep_.alone[i] = alone_[i].makespan();
      sweep_.alone_by_round[i] = alone_[i].by_round();
      sweep_.energy_alone[i] = alone_[i].energy();
    }
    for (std::size_t i = 0; i < sweep_.rows.size(); ++i) {
      SweepRow& row = sweep_.rows[i];
      if (row.failure) continue;
      row.times = {Nanoseconds(median_of(together_[i].first_times)), Nanoseconds(median_of(together_[i].second_times))};
      row.makespan = together_[i].makespan();
      row.makespans = together_[i].by_round();
      row.gain = (sweep_.alone[0] + sweep_.alone[1]) / row.makespan - 1.0;
      row.energy = together_[i].energy();
    }
  }

  Machine& machine_;
  const SweepOptions& options_;
  PairSweep sweep_;
  std::size_t done_ = 0;
  std::array<Measured, 2> alone_;
  std::vector<Measured> together_;  // measurements of each row
};

bool knows_sms(const MachineLimits& limits) { return limits.capability.has_value(); }
bool can_share_sms(const KernelTraits& kernel) { return kernel.persistent || kernel.sliceable; }

}  // namespace

std::string_view to_string(Way way) {
  switch (way) {
    case Way::in_turn: return "in_turn";
    case Way::streams: return "streams";
    case Way::priority: return "priority";
    case Way::split: return "split";
    case Way::shares: return "shares";
  }
  return "?";
}

std::string describe(const Arrangement& arrangement, const MachineLimits& limits) {
  switch (arrangement.way) {
    case Way::in_turn: return "one after the other";
    case Way::streams: return "two streams";
    case Way::priority: return fmt::format("priority for the {}", arrangement.urgent == 0 ? "first" : "second");
    case Way::split:
      return fmt::format("{}:{} SMs (green contexts)", arrangement.sms_of_first, limits.sms - arrangement.sms_of_first);
    case Way::shares:
      return fmt::format(
          fmt::runtime(knows_sms(limits) ? "{}:{} resident blocks per SM" : "slices of {}:{} blocks per unit"),
          arrangement.ratio.first, arrangement.ratio.second);
  }
  return "?";
}

PairShape shape_of(const Arrangement& arrangement) {
  switch (arrangement.way) {
    case Way::in_turn: return {};
    case Way::streams: return {.whole = true};
    case Way::priority: return {.whole = true, .urgent = arrangement.urgent};
    case Way::split: return {.sms_of_first = arrangement.sms_of_first, .whole = true};
    case Way::shares: return {.ratio = arrangement.ratio};
  }
  return {};
}

Arrangement arrangement_of(const PairShape& shape) {
  if (shape.sms_of_first) return {.way = Way::split, .sms_of_first = *shape.sms_of_first};
  if (shape.ratio.first > 0) return {.way = Way::shares, .ratio = shape.ratio};
  if (shape.urgent) return {.way = Way::priority, .urgent = *shape.urgent};
  return {.way = shape.whole ? Way::streams : Way::in_turn};
}

double expected_gain(const std::array<Nanoseconds, 2>& alone, const std::array<double, 2>& rates,
                     const std::array<double, 2>& after) {
  std::array<Nanoseconds, 2> whole = {};  // time of each kernel if the other kernel never ended
  for (std::size_t i = 0; i < 2; ++i)
    whole[i] = rates[i] > 0.0 ? alone[i] / rates[i] : Nanoseconds(std::numeric_limits<double>::infinity());
  const std::size_t longer = whole[0] > whole[1] ? 0 : 1;
  const Nanoseconds together = std::min(whole[0], whole[1]);
  if (!std::isfinite(together.value())) return 0.0;
  const Nanoseconds left = alone[longer] - together * rates[longer];
  return (alone[0] + alone[1]) / (together + left / after[longer]) - 1.0;
}

bool is_share(const SweepRow& row) { return row.arrangement.way == Way::shares; }
bool is_baseline(const SweepRow& row) { return !is_share(row); }

const SweepRow* PairSweep::best(const std::function<bool(const SweepRow&)>& is_meant) const {
  const SweepRow* best = nullptr;
  for (const SweepRow& row : rows)
    if (!row.failure && is_meant(row) && (best == nullptr || row.gain > best->gain)) best = &row;
  return best;
}

Result<std::vector<model::BlockRatio>> ratios_of(const Machine& machine, KernelId first, KernelId second) {
  std::array<const KernelTraits*, 2> kernels = {machine.kernel(first), machine.kernel(second)};
  for (std::size_t i = 0; i < 2; ++i)
    if (kernels[i] == nullptr)
      return Error(ErrorCode::not_found, "the machine has no kernel of this number")
          .about(fmt::format("{}", i == 0 ? first : second));
  if (!std::ranges::all_of(kernels, [](const KernelTraits* kernel) { return can_share_sms(*kernel); }))
    return std::vector<model::BlockRatio>();
  if (!knows_sms(machine.limits())) return std::vector<model::BlockRatio>{{1, 3}, {2, 2}, {3, 1}};
  return model::feasible_ratios(*machine.limits().capability, kernels[0]->block, kernels[1]->block);
}

Result<Nanoseconds> time_both_alone(Machine& machine, const PairSweep& sweep) {
  Nanoseconds time;
  for (const Party& party : whole_parties(sweep)) {
    WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, {&party, 1}));
    time += run.makespan();
  }
  return time;
}

Result<Nanoseconds> time_together(Machine& machine, const PairSweep& sweep, const Arrangement& arrangement) {
  WATTUNE_ASSIGN(const JointRun run, run_arrangement(machine, sweep, arrangement));
  return run.makespan();
}

Result<void> run_alone(Machine& machine, KernelId kernel) {
  const Party party{.kernel = kernel};
  WATTUNE_TRY(run_jointly(machine, {&party, 1}));
  return {};
}

Result<void> run_pair(Machine& machine, std::array<KernelId, 2> kernels, const Arrangement& arrangement) {
  WATTUNE_TRY(run_arrangement(machine, PairSweep{.kernels = kernels, .rows = {}}, arrangement));
  return {};
}

Result<PairSweep> sweep_pair(Machine& machine, KernelId first, KernelId second, const SweepOptions& options) {
  return Sweeper(machine, first, second, options).run();
}

}  // namespace wattune::schedule
