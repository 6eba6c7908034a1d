// SchedulerChain is the Markov chain of Kernelet's virtual SM: one scheduler with its share of warps and memory.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/stationary.h"
#include "wattune/model/warp_chain.h"

namespace wattune::inline v0_1::model {

// The memory's share of a scheduler. Times are in cycles in which the scheduler can issue.
struct SchedulerMemory {
  double requests_per_cycle = 1.0;
  double contention = 1.0;
  double offset = 0.0;
};

struct SchedulerLoad {
  std::array<StallKind, 2> stalls = {};
  double issue_distance = 1.0;
  std::vector<double> busy_cycles = {};  // cycles for which an instruction keeps its share of each resource busy
  unsigned units = 0;
  double unit = 1.0;  // number of warps that form one unit
};

// The numbers of warps, or of units of warps, that wait for an access of the first kind and of the second kind.
struct Waiting {
  unsigned first = 0;
  unsigned second = 0;

  unsigned both() const { return first + second; }
};

class SchedulerChain {
 public:
  // Builds the chain of one or two loads.
  SchedulerChain(const SchedulerMemory& memory, std::span<const SchedulerLoad> loads);

  static std::size_t states_of(std::span<const SchedulerLoad> loads);
  Transitions transitions() const;
  // Returns the instructions of each load per cycle, given the probability of each state.
  std::vector<double> instructions_per_cycle(std::span<const double> distribution) const;

 private:
  struct Part {
    SchedulerLoad load;
    std::vector<Waiting> states;
  };
  // The length of a round and its memory requests. In a round, every ready warp may issue one instruction.
  struct Round {
    double cycles = 1.0;
    double in_flight = 0.0;  // number of requests in flight
  };

  // Returns the state of each load, given the number of a joint state.
  std::array<std::size_t, 2> split(std::size_t state) const;
  double ready(const Part& part, std::size_t state) const;
  double cycles_of_round(std::span<const double> ready) const;
  double cycles_of(std::size_t resource, std::span<const double> ready) const;
  Round round_of(std::size_t state) const;
  // Returns the distribution of a load's state after the round: one probability for each of its states.
  std::vector<double> next(const Part& part, const Waiting& state, const Round& round) const;

  SchedulerMemory memory_;
  std::vector<Part> parts_;
  std::size_t resources_ = 1;  // number of resources: the scheduler and those of busy_cycles
};

}  // namespace wattune::model
