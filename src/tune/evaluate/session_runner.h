// SessionRunner: runs a prepared kernel at its configuration's clocks, as often as its caller asks.
#pragma once

#include <vector>

#include "tune/evaluate/evaluation_context.h"
#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::tune {

// A runner of prepared kernels. All arguments of the constructor must outlive the runner.
class SessionRunner : public measure::Runner {
 public:
  SessionRunner(EvaluationContext& run, const Configuration& configuration, const Kernels& kernels,
                const Launch& launch, Launching launching)
      : run_(run), configuration_(configuration), kernels_(kernels), launch_(launch), launching_(launching) {}

  Result<std::vector<Sample>> run(std::size_t n) override {
    // Sets clocks and buffers again, because another configuration may have run meanwhile, with its own clocks and
    // buffers.
    WATTUNE_TRY(run_.clocks.apply(configuration_));
    WATTUNE_TRY(run_.session.prepare(launch_.arguments));
    WATTUNE_TRY(run_.clocks.settle([this](std::size_t runs) { return launch(runs); }));
    if (launching_ == Launching::each) return launch(n);
    return run_.session.run_graphs(kernels_, launch_, graph_, n, run_.limits.run());
  }
  Nanoseconds busy_time() const override { return run_.session.busy_time(); }

 private:
  Result<std::vector<Sample>> launch(std::size_t n) {
    return run_.session.run(kernels_, launch_, Outputs::reused, n, run_.limits.run());
  }

  EvaluationContext& run_;
  const Configuration& configuration_;
  const Kernels& kernels_;
  const Launch& launch_;
  const Launching launching_;
  RunGraph graph_;
};

}  // namespace wattune::tune
