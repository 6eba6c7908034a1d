// Compares the predictions of Kernelet's Markov chain with detailed simulation, for kernels alone and for pairs.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "simulate/corun_runs.h"
#include "wattune/model/pairing.h"

namespace wattune::perf {

constexpr unsigned kDetailedSms = 2;  // with their share of the memory

inline simulate::GpuModel detailed_gpu(const char* name) {
  return simulate::with_sms(simulate::gpu_named(name), kDetailedSms);
}

// Returns how many instructions of the kernel are simulated: enough for it to wait for memory many times.
inline double run_length(const simulate::SimulatedKernel& kernel) { return kernel.name == "PC" ? 3e4 : 6e5; }

// Simulates kernels together in detail; `blocks` are the blocks of each kernel on every SM.
inline simulate::SteadyRun run_detailed(const simulate::GpuModel& gpu,
                                        const std::vector<simulate::SimulatedKernel>& kernels,
                                        const std::vector<unsigned>& blocks) {
  const double length = kernels.size() == 1 ? run_length(kernels.front()) : 6e5;
  return simulate::steady_run(gpu, kernels, blocks, {.fidelity = simulate::Fidelity::detailed}, length);
}

// Returns a prediction of the chain. A unit of the chain is as few warps as the limit of its states allows.
template <typename Predict>
auto with_units(const Predict& predict) {
  model::ChainOptions options{.warps_per_unit = 1, .most_states = 300};
  auto result = predict(options);
  while (!result && options.warps_per_unit < 64) {
    options.warps_per_unit *= 2;
    result = predict(options);
  }
  return std::move(result).value();
}

inline double chain_alone(const model::ChainSm& sm, const model::PairKernel& kernel) {
  const model::WarpLoad load{kernel.profile, kernel.blocks_alone * kernel.warps_per_block};
  const auto predict = [&](const auto& options) { return model::instructions_per_cycle(sm, {&load, 1}, options); };
  return with_units(predict).front();
}

// Returns the kernel with what Kernelet's chain, without the errors of its paper, knows of it. Every ready warp issues
// in each round. The schedulers are the only busy units, and all accesses wait in the memory's queue.
inline model::PairKernel as_in_the_paper(model::PairKernel kernel) {
  kernel.profile.issue_distance = 1.0;
  kernel.profile.busy_cycles.clear();
  for (model::StallKind& stall : kernel.profile.stalls) stall.queued = 1.0;
  return kernel;
}

// A prediction for a pair, and the result of a detailed simulation at the same ratio of blocks.
struct JudgedPair {
  model::PairPlan plan;
  double simulated_ipc = 0.0;  // of both kernels
  double simulated_profit = 0.0;

  double predicted_ipc() const { return plan.ipc[0] + plan.ipc[1]; }
  double ipc_error() const { return std::abs(predicted_ipc() - simulated_ipc); }
  double profit_error() const { return std::abs(plan.profit - simulated_profit); }
};

// Judges predictions for pairs of Kernelet's eight kernels, which are given by their positions in kernelet_kernels().
class PairJudge {
 public:
  explicit PairJudge(const simulate::GpuModel& gpu) : PairJudge(gpu, simulate::chain_sm(gpu)) {}
  // Judges the chain that assumes SMs of the kind `sm`.
  PairJudge(const simulate::GpuModel& gpu, const model::ChainSm& sm) : gpu_(gpu), sm_(sm) {
    for (const simulate::KerneletKernel& row : simulate::kernelet_kernels()) {
      kernels_.push_back(simulate::pair_kernel(row.kernel, gpu).value());
      alone_.push_back(run_detailed(gpu, {row.kernel}, {kernels_.back().blocks_alone}).ipc[0]);
    }
  }

  // Judges the prediction for a pair at the ratio of blocks that `rule` chooses.
  JudgedPair planned(std::size_t i, std::size_t j, model::RatioRule rule) const {
    return judged(i, j, with_units([&](const model::ChainOptions& options) {
                    return model::plan_pair(sm_, kernels_[i], kernels_[j], ratios(i, j), rule, options);
                  }));
  }
  // Judges the prediction for a pair at the ratio of blocks that gives both kernels as nearly as possible the same
  // number of warps.
  JudgedPair even(std::size_t i, std::size_t j) const {
    const auto all = ratios(i, j);
    const auto ratio = *std::ranges::min_element(all, {}, [&](const model::BlockRatio& each) {
      return std::abs(static_cast<double>(each.first * kernels_[i].warps_per_block) -
                      static_cast<double>(each.second * kernels_[j].warps_per_block));
    });
    return judged(i, j, with_units([&](const model::ChainOptions& options) {
                    return model::predict_pair(sm_, kernels_[i], kernels_[j], ratio, options);
                  }));
  }

 private:
  static const simulate::SimulatedKernel& kernel(std::size_t i) { return simulate::kernelet_kernels()[i].kernel; }
  std::vector<model::BlockRatio> ratios(std::size_t i, std::size_t j) const {
    return model::feasible_ratios(gpu_.capability, kernel(i).block, kernel(j).block).value();
  }
  JudgedPair judged(std::size_t i, std::size_t j, const model::PairPlan& plan) const {
    const auto run = run_detailed(gpu_, {kernel(i), kernel(j)}, {plan.ratio.first, plan.ratio.second});
    const double speedup = model::speedup_together(run.ipc, std::array{alone_[i], alone_[j]});
    return {plan, run.ipc[0] + run.ipc[1], model::coscheduling_profit(speedup)};
  }

  simulate::GpuModel gpu_;
  model::ChainSm sm_;
  std::vector<model::PairKernel> kernels_;
  std::vector<double> alone_;
};

}  // namespace wattune::perf
