// Jiao's kernels that run together on a simulated GT 640 at its highest clocks. They are compared by the mechanism that
// brings their blocks to the SMs. Persistent kernels keep the ratio of blocks that was asked for; slices pass through
// the only hardware queue of such a GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lab/perf/gt640_groups.h"
#include "schedule/interface/joint_run.h"
#include "schedule/interface/simulated_machine.h"
#include "simulate/interface/simulated_board.h"

namespace wattune::perf {

using Group = std::vector<const Gt640Kernel*>;
using Blocks = std::vector<unsigned>;  // of each kernel on each SM

inline schedule::JointRun run_group(const Group& kernels, const Blocks& per_sm, schedule::Form form) {
  simulate::SimulatedBoard board(*simulate::find_board_model("GT640"));
  std::vector<schedule::ProfiledKernel> all;
  std::vector<schedule::Party> parties;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    all.push_back({kernels[i]->kernel, schedule::traits_of(kernels[i]->kernel, gt640()).value()});
    parties.push_back({.kernel = i,
                       .form = form,
                       .per_sm = per_sm[i],
                       .slice_blocks = form == schedule::Form::slices ? std::uint64_t{per_sm[i]} * gt640().sms : 0,
                       .repetitions = 1000});
  }
  const auto machine = schedule::simulated_machine(gt640(), all, {.gpu = {.board = &board}});
  return schedule::run_jointly(*machine, parties, {.stop_after = nanoseconds_from_ms(150)}).value();
}

// A mechanism that brings the blocks of kernels to the SMs. Its gain is one less than the joules per block of the
// kernels alone over those of the kernels together.
class Mechanism {
 public:
  explicit Mechanism(schedule::Form form) : form_(form) {}

  // Returns the gain at the best ratio of blocks, among the ratios that leave no SM room for one more block.
  double best_gain(const Group& kernels) const {
    std::vector<double> alone;
    for (const Gt640Kernel* const kernel : kernels) {
      const schedule::JointRun run = run_group({kernel}, {0}, schedule::Form::whole);
      alone.push_back(run.energy->value() / static_cast<double>(run.parties.front().blocks));
    }
    double best = -1.0;
    for (const Blocks& blocks : ratios(kernels.size())) best = std::max(best, gain(kernels, blocks, alone));
    return best;
  }

 private:
  static constexpr unsigned kMostBlocks = 8;  // blocks of these on an SM

  static std::vector<Blocks> ratios(std::size_t kernels) {
    std::vector<Blocks> all;
    for (unsigned i = 1; i < kMostBlocks; ++i)
      for (unsigned j = 1; i + j <= kMostBlocks; ++j) {
        if (kernels == 2 && i + j == kMostBlocks) all.push_back({i, j});
        for (unsigned k = 1; kernels == 3 && i + j + k <= kMostBlocks; ++k)
          if (i + j + k + 1 >= kMostBlocks) all.push_back({i, j, k});
      }
    return all;
  }
  double gain(const Group& kernels, const Blocks& blocks, const std::vector<double>& alone) const {
    const schedule::JointRun run = run_group(kernels, blocks, form_);
    double in_turn = 0.0;
    for (std::size_t i = 0; i < kernels.size(); ++i) in_turn += alone[i] * static_cast<double>(run.parties[i].blocks);
    return in_turn / run.energy->value() - 1.0;
  }

  schedule::Form form_;
};

// Returns the greatest gain of all twos from these three kernels, while both run.
inline double best_gain_of_two(const Mechanism& mechanism, const Triple& triple) {
  double best = -1.0;
  for (std::size_t out = 0; out < 3; ++out)
    best = std::max(best, mechanism.best_gain({triple.kernels[(out + 1) % 3], triple.kernels[(out + 2) % 3]}));
  return best;
}

}  // namespace wattune::perf
