// Groups of Jiao's kernels on a simulated GT 640: three at once, and all eleven under the greedy schedule.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "lab/perf/gt640_pair.h"
#include "schedule/interface/profit_table.h"

namespace wattune::perf {

struct Triple {
  std::array<const Gt640Kernel*, 3> kernels;
  double promise = 0.0;  // sum of the gains of its pairs

  std::string name() const {
    return kernels[0]->kernel.name + ", " + kernels[1]->kernel.name + ", " + kernels[2]->kernel.name;
  }
};

inline std::vector<Triple> most_promising_triples(std::size_t count) {
  const auto& kernels = simulate::gt640_kernels();
  std::vector<std::vector<double>> gains(kernels.size(), std::vector<double>(kernels.size()));
  for (const RankedPair& pair : all_pairs()) gains[pair.places[0]][pair.places[1]] = pair.gain;
  std::vector<Triple> all;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j)
      for (std::size_t k = j + 1; k < kernels.size(); ++k)
        all.push_back({{&kernels[i], &kernels[j], &kernels[k]}, gains[i][j] + gains[i][k] + gains[j][k]});
  std::ranges::sort(all, std::ranges::greater(), &Triple::promise);
  all.resize(std::min(count, all.size()));
  return all;
}

struct TripleResult {
  double gain_of_three = -1.0;
  double gain_of_two = -1.0;     // of the best two and the third alone, for the same work
  double gain_while_two = -1.0;  // of the best two for theirs
};

// Returns the joules that a kernel takes for 1e9 * `operations` operations, alone at its best clocks.
inline double joules_alone(const Gt640Kernel& kernel, double operations) {
  return 1e9 * operations / alone(kernel, Clocks::best).operations_per_joule();
}

// The joules of three kernels that do not run together: each alone, and the best two of them.
struct WithoutThree {
  explicit WithoutThree(const Triple& triple) {
    for (std::size_t i = 0; i < 3; ++i) {
      joules_alone[i] = perf::joules_alone(*triple.kernels[i], 1.0);
      const Pair pair(*triple.kernels[(i + 1) % 3], *triple.kernels[(i + 2) % 3]);
      twos[i] = pair.exhaustive().efficiency;
      gain = std::max(gain, pair.gain(twos[i]));
    }
  }

  std::array<double, 3> joules_alone;  // of 1e9 operations of each at the best clocks for it
  std::array<Efficiency, 3> twos;      // the best of two, by the kernel that is left out
  double gain = -1.0;                  // the most of these
};

// Returns the least joules of the work if two of three kernels run together at their best ratio until one is done. The
// rest of the other one and the third kernel then run alone.
inline double joules_of_two(const WithoutThree& others, const std::vector<double>& work) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t out = 0; out < 3; ++out) {
    const std::array<std::size_t, 2> in = {(out + 1) % 3, (out + 2) % 3};
    const Efficiency& best = others.twos[out];
    const double time = std::min(work[in[0]] / best.flow.rates[0], work[in[1]] / best.flow.rates[1]);
    double joules = best.power.value() * time + others.joules_alone[out] * work[out];
    for (std::size_t i = 0; i < 2; ++i)
      joules += others.joules_alone[in[i]] * (work[in[i]] - time * best.flow.rates[i]);
    least = std::min(least, joules);
  }
  return least;
}

// Runs three kernels together with these numbers of blocks, at all clocks. Replaces `result` where the gain is greater.
inline void try_three(const Triple& triple, const WithoutThree& others, const std::array<unsigned, 3>& blocks,
                      TripleResult& result) {
  std::array<Residents, 3> residents;
  for (std::size_t i = 0; i < 3; ++i) residents[i] = {&triple.kernels[i]->kernel, blocks[i]};
  for (const ClockPair& clocks : simulate::clock_pairs(gt640())) {
    const Efficiency here = simulate::efficiency_at(gt640(), clocks, residents);
    double in_turn = 0.0;
    for (std::size_t i = 0; i < 3; ++i) in_turn += others.joules_alone[i] * here.flow.rates[i];
    const double gain = in_turn / here.power.value() - 1.0;
    if (gain <= result.gain_of_three) continue;
    result = {gain, in_turn / joules_of_two(others, here.flow.rates) - 1.0, others.gain};
  }
}

inline TripleResult judge(const Triple& triple) {
  const WithoutThree others(triple);
  TripleResult result;
  for (unsigned i = 1; i < 8; ++i)
    for (unsigned j = 1; i + j < 8; ++j)
      for (unsigned k = 1; i + j + k <= 8; ++k) try_three(triple, others, {i, j, k}, result);
  return result;
}

struct PoolResult {
  schedule::PoolPlan plan;
  double over_best = 0.0;     // gain over one after the other at the best clocks for each
  double over_highest = 0.0;  // and at the highest clocks
};

// Runs all eleven kernels with the numbers of blocks of Jiao's table 3, under the greedy schedule.
inline PoolResult run_pool() {
  const auto& kernels = simulate::gt640_kernels();
  schedule::PairTable forecasts;
  for (const RankedPair& each : all_pairs())
    forecasts.learn(each.places[0], each.places[1], each.pair.forecast(each.best, Clocks::best));
  schedule::ProfitTable profits({.goal = schedule::Goal::energy});
  std::vector<schedule::PoolKernel> pool;
  double best = 0.0;
  double highest = 0.0;
  std::vector<double> joules_per_block;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double blocks = static_cast<double>(kernels[i].kernel.blocks);
    const double operations = blocks * kernels[i].kernel.instructions_per_block() * 1e-9;
    const double joules = joules_alone(kernels[i], operations);
    best += joules;
    highest += 1e9 * operations / alone(kernels[i], Clocks::highest).operations_per_joule();
    joules_per_block.push_back(joules / blocks);
    profits.add(i, forecasts);
    pool.push_back({i, blocks, blocks * alone(kernels[i], Clocks::highest).flow.operations / operations});
  }
  PoolResult result{.plan = schedule::plan_pool(pool, profits)};
  double joules = 0.0;
  for (const schedule::PoolPhase& phase : result.plan.phases)
    joules += phase.seconds * phase.pair.forecast.power().value();
  for (const schedule::PoolKernel& left : result.plan.alone) joules += left.blocks * joules_per_block[left.kernel];
  result.over_best = best / joules - 1.0;
  result.over_highest = highest / joules - 1.0;
  return result;
}

}  // namespace wattune::perf
