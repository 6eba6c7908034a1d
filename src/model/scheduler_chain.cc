#include "model/scheduler_chain.h"

#include <algorithm>

namespace wattune::inline v0_1::model {

namespace {

// Returns the probability of each number of successes, 0 to `trials`.
std::vector<double> binomial(unsigned trials, double success) {
  std::vector<double> result(trials + 1, 0.0);
  result[0] = 1.0;
  for (unsigned done = 0; done < trials; ++done) {
    for (unsigned k = done + 1; k > 0; --k) result[k] = result[k] * (1.0 - success) + result[k - 1] * success;
    result[0] *= 1.0 - success;
  }
  return result;
}

std::vector<Waiting> states_of_part(const SchedulerLoad& load) {
  std::vector<Waiting> states;
  const unsigned most_first = load.stalls[0].ratio > 0.0 ? load.units : 0;
  for (unsigned first = 0; first <= most_first; ++first) {
    const unsigned most_second = load.stalls[1].ratio > 0.0 ? load.units - first : 0;
    for (unsigned second = 0; second <= most_second; ++second) states.push_back({first, second});
  }
  return states;
}

// Returns the index of the state {first, second} among the states of a load.
std::size_t place_of(const SchedulerLoad& load, unsigned first, unsigned second) {
  if (load.stalls[1].ratio <= 0.0) return first;
  return static_cast<std::size_t>(first) * (load.units + 1) - static_cast<std::size_t>(first) * (first - 1) / 2 +
         second;
}

double busy_cycles(const SchedulerLoad& load, std::size_t resource) {
  if (resource == 0) return 1.0;  // resource 0 is the scheduler
  return resource <= load.busy_cycles.size() ? load.busy_cycles[resource - 1] : 0.0;
}

double turn(double cycles, double distance) { return std::min(1.0, cycles / distance); }

}  // namespace

SchedulerChain::SchedulerChain(const SchedulerMemory& memory, std::span<const SchedulerLoad> loads) : memory_(memory) {
  for (const SchedulerLoad& load : loads) {
    parts_.push_back({load, states_of_part(load)});
    resources_ = std::max(resources_, load.busy_cycles.size() + 1);
  }
}

std::size_t SchedulerChain::states_of(std::span<const SchedulerLoad> loads) {
  std::size_t states = 1;
  for (const SchedulerLoad& load : loads) states *= states_of_part(load).size();
  return states;
}

std::array<std::size_t, 2> SchedulerChain::split(std::size_t state) const {
  if (parts_.size() == 1) return {state, 0};
  return {state / parts_[1].states.size(), state % parts_[1].states.size()};
}

double SchedulerChain::ready(const Part& part, std::size_t state) const {
  return part.load.unit * (part.load.units - part.states[state].both());
}

// Computes for how long the instructions of a round keep a resource busy. In a round of T cycles, a ready warp issues
// with probability min(1, T / distance), since `distance` cycles pass between its instructions. So T solves T = sum of
// ready * busy * min(1, T / distance).
double SchedulerChain::cycles_of(std::size_t resource, std::span<const double> ready) const {
  const auto busy = [&](std::size_t part) { return ready[part] * busy_cycles(parts_[part].load, resource); };
  double always = 0.0;
  double seldom = 0.0;
  for (std::size_t part = 0; part < parts_.size(); ++part) always += busy(part);
  std::array<std::size_t, 2> order = {0, parts_.size() - 1};
  if (parts_.front().load.issue_distance < parts_.back().load.issue_distance) std::swap(order[0], order[1]);
  double cycles = always;
  for (std::size_t i = 0; i < parts_.size() && cycles < parts_[order[i]].load.issue_distance; ++i) {
    always -= busy(order[i]);
    seldom += busy(order[i]) / parts_[order[i]].load.issue_distance;
    cycles = always / (1.0 - seldom);
  }
  return cycles;
}

// Returns the length of a round: the time of its busiest resource, but at least one cycle. If only the scheduler counts
// and each warp issues in each round, it is Kernelet's R = max(1, W - i).
double SchedulerChain::cycles_of_round(std::span<const double> ready) const {
  double cycles = 1.0;
  for (std::size_t resource = 0; resource < resources_; ++resource)
    cycles = std::max(cycles, cycles_of(resource, ready));
  return cycles;
}

SchedulerChain::Round SchedulerChain::round_of(std::size_t state) const {
  const auto places = split(state);
  std::array<double, 2> ready_warps = {};
  Round round;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto& [load, states] = parts_[i];
    ready_warps[i] = ready(parts_[i], places[i]);
    round.in_flight += load.unit * (states[places[i]].first * load.stalls[0].requests +
                                    states[places[i]].second * load.stalls[1].requests);
  }
  round.cycles = cycles_of_round({ready_warps.data(), parts_.size()});
  return round;
}

std::vector<double> SchedulerChain::next(const Part& part, const Waiting& state, const Round& round) const {
  const SchedulerLoad& load = part.load;
  const double delay = memory_.contention * round.in_flight / memory_.requests_per_cycle + memory_.offset;
  const auto answered = [&](const StallKind& stall) {
    return std::min(1.0, round.cycles / (stall.latency + stall.queued * delay));
  };
  const double stall_ratio = load.stalls[0].ratio + load.stalls[1].ratio;
  const auto stalling = binomial(load.units - state.both(), turn(round.cycles, load.issue_distance) * stall_ratio);
  const auto first_back = binomial(state.first, answered(load.stalls[0]));
  const auto second_back = binomial(state.second, answered(load.stalls[1]));
  std::vector<double> result(part.states.size(), 0.0);
  for (unsigned stalled = 0; stalled < stalling.size(); ++stalled) {
    const auto of_first = binomial(stalled, stall_ratio > 0.0 ? load.stalls[0].ratio / stall_ratio : 0.0);
    for (unsigned first = 0; first <= stalled; ++first) {
      const double went = stalling[stalled] * of_first[first];
      if (went <= 0.0) continue;
      for (unsigned back = 0; back < first_back.size(); ++back)
        for (unsigned other = 0; other < second_back.size(); ++other)
          result[place_of(load, state.first + first - back, state.second + stalled - first - other)] +=
              went * first_back[back] * second_back[other];
    }
  }
  return result;
}

Transitions SchedulerChain::transitions() const {
  const std::size_t columns = parts_.size() == 2 ? parts_[1].states.size() : 1;
  Transitions chain{parts_[0].states.size() * columns};
  for (std::size_t from = 0; from < chain.states; ++from) {
    const Round round = round_of(from);
    const auto places = split(from);
    const auto first = next(parts_[0], parts_[0].states[places[0]], round);
    const auto second =
        parts_.size() == 2 ? next(parts_[1], parts_[1].states[places[1]], round) : std::vector<double>{1.0};
    for (std::size_t i = 0; i < first.size(); ++i)
      for (std::size_t j = 0; j < columns; ++j) chain.at(from, i * columns + j) = first[i] * second[j];
  }
  return chain;
}

std::vector<double> SchedulerChain::instructions_per_cycle(std::span<const double> distribution) const {
  std::vector<double> issued(parts_.size(), 0.0);
  double cycles = 0.0;
  for (std::size_t state = 0; state < distribution.size(); ++state) {
    const double passed = round_of(state).cycles;
    const auto places = split(state);
    cycles += distribution[state] * passed;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      issued[i] += distribution[state] * ready(parts_[i], places[i]) * turn(passed, parts_[i].load.issue_distance);
  }
  for (double& each : issued) each /= cycles;
  return issued;
}

}  // namespace wattune::model
