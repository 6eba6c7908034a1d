// Chooses the pairs of kernels that are worth a prediction, bounds the speed-up of a pair, and corrects predictions by
// measurements.
//
// The method is that of Zhong and He, "Kernelet", section 4.3, with one correction. A pair is pruned if pipeline *and*
// memory utilisation are close, because the numbers in the paper's table 6 follow from this rule. All types are values.
// Only one thread at a time may use a PairCorrection.
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

#include "wattune/core/export.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::model {

// Shares of the GPU's capacity, 0 to 1, that a kernel uses when it runs alone.
struct WATTUNE_EXPORT Utilisation {
  double pipeline = 0.0;  // PUR: instructions executed / (time * clock * peak IPC)
  double memory = 0.0;    // MUR: requests to DRAM / (time * clock * peak requests per cycle)
};

// Thresholds of pruning: a pair is pruned if its utilisations differ by no more than both.
struct WATTUNE_EXPORT PruningThresholds {
  double pipeline = 0.4;  // alpha_p, of a C2050
  double memory = 0.1;    // alpha_m
};

using Pair = std::pair<std::size_t, std::size_t>;  // indices of two kernels, the lower first

// Returns the pairs whose pipeline or memory utilisations differ by more than their threshold.
WATTUNE_EXPORT std::vector<Pair> distinct_pairs(std::span<const Utilisation> kernels,
                                                const PruningThresholds& thresholds);
// Returns distinct_pairs(). If there are none, halves both thresholds until there is one. Returns all pairs if no two
// kernels differ.
WATTUNE_EXPORT std::vector<Pair> promising_pairs(std::span<const Utilisation> kernels, PruningThresholds thresholds);
// Computes thresholds for a GPU on which these kernels were profiled: the differences that the given shares of all
// pairs do not exceed. By default the shares are 13 and 20 of 28 pairs, because on a C2050 so many pairs of the paper's
// kernels do not exceed the paper's thresholds. Returns the default thresholds for fewer than two kernels.
WATTUNE_EXPORT PruningThresholds thresholds_of(std::span<const Utilisation> kernels,
                                               double pipeline_share = 13.0 / 28.0, double memory_share = 20.0 / 28.0);

// A kernel alone: its time and its use of each resource of the GPU, 0 to 1, in an order that all kernels share.
struct WATTUNE_EXPORT SoloRun {
  Nanoseconds time;
  std::vector<double> use;
};

// Returns an upper bound on the speed-up of running kernels together instead of one after the other; at least 1. The
// bound is the sum of their times, divided by the time for which the busiest resource is busy: sum T_i / max_r sum T_i
// u_ir. The divisor is never less than the longest of the kernels' times, since no kernel gets faster than alone.
WATTUNE_EXPORT double packing_bound(std::span<const SoloRun> kernels);
// Returns an upper bound on the speed-up of two kernels of equal time that split the SMs: 1 + (1 - share). The share is
// that of the SMs with which the second kernel saturates the memory.
WATTUNE_EXPORT double spatial_bound(double saturating_share);

// Ratios of measured to predicted speed-up for each pair of kernels: means in which older measurements count less.
class WATTUNE_EXPORT PairCorrection {
 public:
  // Sets the weight of the newest measurement.
  explicit PairCorrection(double weight = 0.3) : weight_(weight) {}

  // Records the predicted and the measured speed-up of two kernels together, named in either order. Ignores both if one
  // is not positive.
  void observe(const std::string& first, const std::string& second, double predicted, double measured);
  bool knows(const std::string& first, const std::string& second) const;
  // Returns the factor by which to multiply predictions of these two kernels; 1 if nothing was measured.
  double factor(const std::string& first, const std::string& second) const;

 private:
  double weight_;
  std::map<std::pair<std::string, std::string>, double> factors_;
};

}  // namespace wattune::model
