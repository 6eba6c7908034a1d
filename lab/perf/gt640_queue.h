// A queue of Jiao's kernels on a simulated GT 640, whose clocks a scheduler may set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/perf/gt640_networks.h"
#include "lab/perf/gt640_pair.h"
#include "schedule/interface/queue_experiment.h"
#include "simulate/interface/board_clocks.h"

namespace wattune::perf {

enum class Pairs { none, at_highest_clocks, at_best_clocks, by_networks };

struct QueueEntrant {
  std::string policy;
  Pairs pairs = Pairs::none;  // pairs that it knows; by networks it knows of each kernel alone no more than they do
  bool clocks = false;        // true if it may set clocks
};

class Gt640Queue {
 public:
  // Makes a queue of `of_each` works of each kernel. The kernels take turns; all works are there from the beginning.
  explicit Gt640Queue(std::size_t of_each) {
    for (const Gt640Kernel& row : simulate::gt640_kernels()) {
      schedule::ProfiledKernel kernel{row.kernel, traits_at(row, simulate::highest_clocks(gt640()))};
      kernel.kernel.instructions *= kLonger;
      kernel.traits.alone = kLonger * nanoseconds_from_ms(100);
      kernel.traits.best_clocks = setting_of(alone(row, Clocks::best).clocks);
      operations_ += static_cast<double>(of_each * kernel.kernel.blocks) * kernel.kernel.instructions_per_block();
      kernels_.push_back(std::move(kernel));
    }
    for (std::size_t i = 0; i < of_each * kernels_.size(); ++i) arrivals_.push_back({.kernel = i % kernels_.size()});
  }

  double operations() const { return operations_; }

  schedule::QueueRun run(const QueueEntrant& entrant) const {
    simulate::SimulatedBoard board(*simulate::find_board_model(gt640().board));
    simulate::BoardClocks clocks(board);
    const bool by_networks = entrant.pairs == Pairs::by_networks;
    const auto machine = schedule::simulated_machine(gt640(), by_networks ? with_clocks_by_networks() : kernels_,
                                                     {.gpu = {.board = &board}});
    schedule::QueueOptions options{.policy = entrant.policy,
                                   .policy_options = {.objective = {.goal = schedule::Goal::energy}},
                                   .scheduler = {.clocks = entrant.clocks ? &clocks : nullptr}};
    if (by_networks) options.scheduler.correction_weight = 0.0;
    return schedule::run_queue(*machine, arrivals_, options, forecasts(entrant.pairs)).value();
  }

 private:
  static constexpr double kLonger = 15.0;  // than 100 ms, so that holding a clock for a second pays

  std::vector<schedule::ProfiledKernel> with_clocks_by_networks() const {
    std::vector<schedule::ProfiledKernel> kernels = kernels_;
    for (std::size_t i = 0; i < kernels.size(); ++i)
      kernels[i].traits.best_clocks = clocks_by_networks(simulate::gt640_kernels()[i]);
    return kernels;
  }

  static schedule::PairTable forecasts(Pairs pairs) {
    schedule::PairTable table(gt640().sms);
    if (pairs == Pairs::none) return table;
    const Clocks clocks = pairs == Pairs::at_best_clocks ? Clocks::best : Clocks::highest;
    const auto& kernels = simulate::gt640_kernels();
    for (std::size_t i = 0; i < kernels.size(); ++i)
      for (std::size_t j = i + 1; j < kernels.size(); ++j) {
        const Pair pair(kernels[i], kernels[j]);
        table.learn(i, j,
                    pairs == Pairs::by_networks ? network_forecast({with_features(kernels[i], Fidelity::fast),
                                                                    with_features(kernels[j], Fidelity::fast)})
                                                : pair.forecast(pair.best_ratio(clocks), clocks));
      }
    return table;
  }

  std::vector<schedule::ProfiledKernel> kernels_;
  std::vector<schedule::Arrival> arrivals_;
  double operations_ = 0.0;
};

}  // namespace wattune::perf
