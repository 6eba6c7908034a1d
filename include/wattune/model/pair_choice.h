// Which pairs of kernels are worth a prediction, what no pair can pass, and how measurements correct predictions.
//
// Zhong and He, "Kernelet", section 4.3, with its rule corrected: a pair is pruned where pipeline *and* memory
// utilisation are close, which is what its table 6 counts. Values; one thread at a time uses a PairCorrection.
//
//   const auto kept = model::promising_pairs(utilisations, {.pipeline = 0.4, .memory = 0.1});
//   correction.observe("fma", "copy", plan.speedup, measured_speedup);
//   const double expected = plan.speedup * correction.factor("fma", "copy");
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wattune/core/units.h"

namespace wattune::model {

// Shares of what the GPU can do, 0 to 1, of a kernel that runs alone.
struct Utilisation {
  double pipeline = 0.0;  // PUR: instructions executed / (time * clock * peak IPC)
  double memory = 0.0;    // MUR: requests to DRAM / (time * clock * peak requests per cycle)
};

// Pairs whose utilisations differ by no more than both are pruned.
struct PruningThresholds {
  double pipeline = 0.4;  // alpha_p, of a C2050
  double memory = 0.1;    // alpha_m
};

using Pair = std::pair<std::size_t, std::size_t>;  // places of two kernels, the lower first

// Pairs that differ by more than one of the thresholds.
std::vector<Pair> distinct_pairs(std::span<const Utilisation> kernels, const PruningThresholds& thresholds);
// The same; where none is left, both thresholds are halved until one is. All pairs where no two kernels differ.
std::vector<Pair> promising_pairs(std::span<const Utilisation> kernels, PruningThresholds thresholds);
// Thresholds for a GPU on which these kernels were profiled: the differences that this share of all pairs does not
// pass. The shares are those of the paper's thresholds among the 28 pairs of its kernels on a C2050, 13 and 20. Fewer
// than two kernels: the defaults.
PruningThresholds thresholds_of(std::span<const Utilisation> kernels, double pipeline_share = 13.0 / 28.0,
                                double memory_share = 20.0 / 28.0);

// A kernel alone: its time and how much of each resource of the GPU it uses, 0 to 1, in an order that all share.
struct SoloRun {
  Nanoseconds time;
  std::vector<double> use;
};

// How much faster than one after the other several kernels can be at most: the sum of their times over the time for
// which the busiest resource is busy, sum T_i / max_r sum T_i u_ir, or over the longest of them, as none gets faster
// than alone. At least 1.
double packing_bound(std::span<const SoloRun> kernels);
// The same of two kernels equally long that split the SMs, of which the second saturates the memory with this share of
// them: 1 + (1 - share).
double spatial_bound(double saturating_share);

// Measured over predicted, for each pair of kernels, as a mean in which a measurement counts less the older it is.
class PairCorrection {
 public:
  // `weight` is that of the newest measurement.
  explicit PairCorrection(double weight = 0.3) : weight_(weight) {}

  // Speed-ups of the two together, in either order. Ignored where one is not positive.
  void observe(const std::string& first, const std::string& second, double predicted, double measured);
  bool knows(const std::string& first, const std::string& second) const;
  // 1 where nothing was measured.
  double factor(const std::string& first, const std::string& second) const;

 private:
  double weight_;
  std::map<std::pair<std::string, std::string>, double> factors_;
};

}  // namespace wattune::model
