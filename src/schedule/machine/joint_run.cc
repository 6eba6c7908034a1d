#include "schedule/interface/joint_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/interface/timing_class.h"
#include "schedule/machine/carveout.h"
#include "schedule/machine/counter_span.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Returns how many works of a lane are sent in advance, so that the lane never waits for the host. With one hardware
// queue, waiting launches of one lane would hold back the other lanes. Streams take about a thousand launches.
unsigned works_ahead(const MachineLimits& limits, const KernelTraits& kernel) {
  if (limits.hardware_queues == 1) return 1;
  return kernel.launches > 1 ? 2 : 4;
}

constexpr unsigned kLanesOfSlices = 2;  // number of lanes; one slice begins while the other ends, as in schedulers

struct PartyState {
  const Party* party = nullptr;
  std::uint64_t grid = 0;
  bool is_sequence = false;
  unsigned first_lane = 0;
  unsigned window = 1;
  std::uint64_t shared_bytes = 0;
  std::size_t repetitions_left = 0;
  std::uint64_t next_block = 0;
  unsigned launched = 0;
  unsigned in_flight = 0;
  PartyRun run = {};

  // Returns the number of the party's lanes. Slices of a work that has several launches share one lane.
  unsigned lanes() const { return party->form == Form::slices && !is_sequence ? kLanesOfSlices : 1; }
  bool is_done() const { return repetitions_left == 0 && in_flight == 0; }
  bool wants_launch() const { return repetitions_left > 0 && in_flight < window; }

  Launch next_launch() const {
    const std::uint64_t left = grid - next_block;
    return {.kernel = party->kernel,
            .form = party->form,
            .first_block = next_block,
            .blocks = party->form == Form::slices ? std::min(left, party->slice_blocks) : left,
            .per_sm = party->per_sm,
            .lane = first_lane + launched % lanes(),
            .priority = party->priority,
            .sms = party->sms,
            .shared_bytes = shared_bytes};
  }

  void note_launch(std::uint64_t blocks) {
    ++launched;
    ++in_flight;
    next_block += blocks;
    if (next_block < grid) return;
    next_block = 0;
    --repetitions_left;
  }

  void note_end(const Ended& ended) {
    --in_flight;
    run.begin = std::min(run.begin, ended.begin);
    run.end = std::max(run.end, ended.end);
    run.blocks += ended.blocks;
    run.launches.push_back({.begin = ended.begin, .end = ended.end, .blocks = ended.blocks});
  }
};

std::uint64_t shared_bytes_of(const Machine& machine, std::span<const Party> parties) {
  std::vector<Residents> residents;
  for (const Party& party : parties) {
    if (party.sms.count > 0) continue;
    const KernelTraits& kernel = *machine.kernel(party.kernel);
    if (party.form == Form::persistent) residents.push_back({&kernel, party.per_sm});
    if (party.form == Form::slices)
      residents.push_back(sliced_residents(machine.limits(), kernel, party.slice_blocks * kLanesOfSlices));
  }
  return shared_bytes_of(machine.limits(), residents);
}

class JointRunner {
 public:
  JointRunner(Machine& machine, std::span<const Party> parties, const JointRunOptions& options)
      : machine_(machine), options_(options) {
    const std::uint64_t shared_bytes = shared_bytes_of(machine, parties);
    for (const Party& party : parties) {
      const KernelTraits& kernel = *machine.kernel(party.kernel);
      states_.push_back({.party = &party,
                         .grid = kernel.blocks,
                         .is_sequence = kernel.launches > 1,
                         .first_lane = static_cast<unsigned>(states_.size()) * kLanesOfSlices,
                         .window = party.form == Form::slices ? kLanesOfSlices : works_ahead(machine.limits(), kernel),
                         .shared_bytes = shared_bytes,
                         .repetitions_left = party.repetitions});
    }
    for (std::size_t i = 0; i < parties.size(); ++i) order_.push_back(i);
    std::ranges::stable_sort(order_, {}, [&](std::size_t place) {
      const Party& party = parties[place];
      return is_resident(party.form, party.sms) ? launch_rank(*machine.kernel(party.kernel)) : 0.0;
    });
  }

  Result<JointRun> run() {
    const Nanoseconds begin = machine_.now();
    const auto counted = [this] { return machine_.energy().value_or(Joules()); };
    const Joules energy = counted();
    CounterSpan counter(begin, energy);
    const auto stop_at = [&] { return begin + (ran_often() ? options_.stop_after : options_.longest); };
    for (feed(); !flights_.empty(); feed()) {
      const Nanoseconds now = machine_.now();
      if (now >= begin + options_.limit) return overdue();
      for (const Ended& ended : machine_.wait(now < stop_at() ? stop_at() : begin + options_.limit)) note(ended);
      counter.note(machine_.now(), counted());
      if (machine_.now() >= stop_at() || (options_.until && states_[*options_.until].is_done())) stop();
    }
    if (failure_) return *std::move(failure_);
    JointRun result{.parties = {}, .energy = energy_between(energy, counted()), .power = counter.power()};
    for (const PartyState& state : states_) result.parties.push_back(state.run);
    return result;
  }

 private:
  // Tells whether enough grids of each party have run beside the others. Slices count by their blocks.
  bool ran_often() const {
    if (options_.least_grids == 0) return true;
    constexpr double kRounding = 1e-6;  // rounding error of a sum of blocks
    Nanoseconds begin;
    for (const PartyState& each : states_) begin = std::max(begin, each.run.begin);
    return std::ranges::all_of(states_, [&](const PartyState& each) {
      const auto least = static_cast<double>(options_.least_grids * each.grid);
      return each.run.blocks_between(begin, kForever) + kRounding >= least;
    });
  }

  // Launches for all parties in turn, so that no party gains a lead by the time that launching takes.
  void feed() {
    for (bool any = true; any;) {
      any = false;
      for (const std::size_t i : order_)
        if (states_[i].wants_launch()) any = launch(i) || any;
    }
  }

  bool launch(std::size_t place) {
    PartyState& state = states_[place];
    const Launch launch = state.next_launch();
    auto id = machine_.launch(launch);
    if (!id) {
      fail(std::move(id).error(), state);
      return false;
    }
    state.note_launch(launch.blocks);
    flights_.emplace(*id, place);
    return true;
  }

  void note(const Ended& ended) {
    const auto flight = flights_.find(ended.launch);
    if (flight == flights_.end()) return;
    PartyState& state = states_[flight->second];
    flights_.erase(flight);
    state.note_end(ended);
    if (ended.error) fail(*ended.error, state);
  }

  void stop() {
    for (PartyState& state : states_) state.repetitions_left = 0;
    for (const auto& [launch, place] : flights_) machine_.stop(launch);
  }

  // Ends the run with this error and stops the other launches. On a lost device no launch will end, so none is waited
  // for.
  void fail(Error error, const PartyState& state) {
    if (error.code() == ErrorCode::device_lost) flights_.clear();
    if (!failure_) failure_ = std::move(error).with_context(machine_.kernel(state.party->kernel)->name);
    stop();
  }

  Error overdue() const {
    const KernelTraits& kernel = *machine_.kernel(states_[flights_.begin()->second].party->kernel);
    return Error(ErrorCode::device_lost,
                 fmt::format("{} did not end within {:.0f} s", kernel.name, options_.limit.value() * 1e-9));
  }

  Machine& machine_;
  const JointRunOptions& options_;
  std::vector<PartyState> states_;
  std::vector<std::size_t> order_;           // order of the parties' launches; is_resident() gives the reason
  std::map<LaunchId, std::size_t> flights_;  // index of each launch's party
  std::optional<Error> failure_;
};

}  // namespace

double PartyRun::blocks_between(Nanoseconds from, Nanoseconds until) const {
  const auto is_inside = [&](const PartyLaunch& each) { return each.begin >= from && each.end <= until; };
  double inside = 0.0;
  Nanoseconds time_inside;
  for (const PartyLaunch& each : launches) {
    if (!is_inside(each)) continue;
    inside += static_cast<double>(each.blocks);
    time_inside += each.end - each.begin;
  }
  double sum = inside;
  for (const PartyLaunch& each : launches) {
    const Nanoseconds within = std::min(each.end, until) - std::max(each.begin, from);
    if (is_inside(each) || !(within > Nanoseconds(0))) continue;
    const auto its_blocks = static_cast<double>(each.blocks);
    const Nanoseconds usual = inside > 0.0 ? its_blocks / inside * time_inside : Nanoseconds();
    sum += its_blocks * (within / std::max(usual, each.end - each.begin));
  }
  return sum;
}

Result<JointRun> run_jointly(Machine& machine, std::span<const Party> parties, const JointRunOptions& options) {
  return JointRunner(machine, parties, options).run();
}

Party sliced_party(const Machine& machine, KernelId kernel, unsigned per_sm) {
  const std::uint64_t wave = static_cast<std::uint64_t>(per_sm) * machine.limits().sms;
  const std::uint64_t least = machine.kernel(kernel)->least_slice;
  const std::uint64_t waves = std::max<std::uint64_t>(1, (least + wave - 1) / wave);
  return {.kernel = kernel, .form = Form::slices, .slice_blocks = waves * wave};
}

Party shared_party(const Machine& machine, KernelId kernel, unsigned per_sm) {
  if (!machine.kernel(kernel)->persistent) return sliced_party(machine, kernel, per_sm);
  return {.kernel = kernel, .form = Form::persistent, .per_sm = per_sm};
}

std::array<Party, 2> parties_of(const Machine& machine, const std::array<KernelId, 2>& pair, const PairShape& shape) {
  if (shape.is_in_streams()) {
    std::array<Party, 2> parties = {Party{.kernel = pair[0]}, Party{.kernel = pair[1]}};
    if (shape.urgent) parties[*shape.urgent].priority = 1;
    return parties;
  }
  if (!shape.sms_of_first)
    return {shared_party(machine, pair[0], shape.ratio.first), shared_party(machine, pair[1], shape.ratio.second)};
  const auto ranges = split_ranges(machine.limits(), *shape.sms_of_first);
  std::array<Party, 2> parties;
  for (std::size_t i = 0; i < 2; ++i) {
    const unsigned resident = std::max(1U, machine.kernel(pair[i])->profile.blocks_alone);
    parties[i] = {.kernel = pair[i],
                  .form = shape.whole ? Form::whole : Form::persistent,
                  .per_sm = shape.whole ? 0 : resident,
                  .sms = ranges[i]};
  }
  return parties;
}

}  // namespace wattune::schedule
