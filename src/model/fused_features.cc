#include "model/interface/fused_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::model {

namespace {

Error unfusable(std::string message, std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(std::move(what)).with_context("pair of kernels");
}

Result<void> check_fusable(const FusableKernel& kernel, unsigned blocks) {
  if (blocks == 0 || kernel.blocks == 0)
    return unfusable("each kernel needs a block on an SM", fmt::format("{} of {}", blocks, kernel.blocks));
  for (std::size_t i = 0; i < kFeatures; ++i)
    if (!(kernel.features.values[i] >= 0.0 && std::isfinite(kernel.features.values[i])))
      return unfusable("a feature is no number from 0 up",
                       fmt::format("{} = {}", to_string(static_cast<Feature>(i)), kernel.features.values[i]));
  if (!(kernel.features[Feature::instructions] > 0.0)) return unfusable("a kernel issues nothing", "instructions = 0");
  return {};
}

Result<void> check_fusable(const FusableKernel& first, const FusableKernel& second, BlockRatio ratio) {
  WATTUNE_TRY(check_fusable(first, ratio.first));
  return check_fusable(second, ratio.second);
}

// For each kernel the share n / N: n of its blocks run on an SM, and N would run there if the kernel were alone.
using Shares = std::array<double, 2>;

Shares shares_of(const FusableKernel& first, const FusableKernel& second, BlockRatio ratio) {
  return {static_cast<double>(ratio.first) / first.blocks, static_cast<double>(ratio.second) / second.blocks};
}

// Returns the factor, at least 1, by which the blocks of each kernel get faster beside the other. A kernel's blocks get
// faster if both kernels together issue fewer instructions than that kernel alone. The printed equation divides the
// other way round, and so makes the lighter kernel faster.
Shares alphas(const Shares& shares, const Shares& gops, Equations equations) {
  const double together = shares[0] * gops[0] + shares[1] * gops[1];
  const auto alpha = [&](double own) {
    return std::max(equations == Equations::as_printed ? together / own : own / together, 1.0);
  };
  return {alpha(gops[0]), alpha(gops[1])};
}

Shares of_both(const FusableKernel& first, const FusableKernel& second, Feature feature) {
  return {first.features[feature], second.features[feature]};
}

}  // namespace

Result<FusedFeatures> fuse(const FusableKernel& first, const FusableKernel& second, BlockRatio ratio,
                           const FusionOptions& options) {
  WATTUNE_TRY(check_fusable(first, second, ratio));
  if (!(options.memory_bandwidth > 0.0))
    return unfusable("the GPU has no memory bandwidth", fmt::format("{} GB/s", options.memory_bandwidth));
  const Shares shares = shares_of(first, second, ratio);
  FusedFeatures fused{.alpha = alphas(shares, of_both(first, second, Feature::instructions), options.equations)};
  const Shares weights = {shares[0] * fused.alpha[0], shares[1] * fused.alpha[1]};
  // Because their shares are multiplied by alpha, the two kernels together may ask for more than the memory's
  // bandwidth. The paper of Jiao et al. leaves alpha out here.
  const Shares& asking = options.equations == Equations::as_printed ? shares : weights;
  const Shares bandwidth = of_both(first, second, Feature::dram_throughput);
  const double asked = asking[0] * bandwidth[0] + asking[1] * bandwidth[1];
  fused.beta = asked > options.memory_bandwidth ? options.memory_bandwidth / asked : 1.0;
  for (std::size_t i = 0; i < kFeatures; ++i)
    fused.features.values[i] =
        fused.beta * (weights[0] * first.features.values[i] + weights[1] * second.features.values[i]);
  return fused;
}

Result<double> sequential_efficiency(const FusableKernel& first, const FusableKernel& second, BlockRatio ratio,
                                     std::array<double, 2> best, Equations equations) {
  WATTUNE_TRY(check_fusable(first, second, ratio));
  if (!(best[0] > 0.0 && best[1] > 0.0))
    return unfusable("a kernel does nothing for a joule", fmt::format("{} and {}", best[0], best[1]));
  const Shares shares = shares_of(first, second, ratio);
  const Shares gops = of_both(first, second, Feature::instructions);
  // Jiao et al. compare with the mix of work that the blocks would do if no kernel's blocks got faster.
  const Shares alpha = equations == Equations::as_printed ? Shares{1.0, 1.0} : alphas(shares, gops, equations);
  const Shares work = {shares[0] * alpha[0] * gops[0], shares[1] * alpha[1] * gops[1]};
  return (work[0] + work[1]) / (work[0] / best[0] + work[1] / best[1]);
}

unsigned saturating_blocks(std::span<const double> rates, double slack) {
  if (rates.empty()) return 0;
  const double enough = (1.0 - slack) * *std::ranges::max_element(rates);
  return static_cast<unsigned>(std::ranges::find_if(rates, [&](double rate) { return rate >= enough; }) -
                               rates.begin()) +
         1;
}

}  // namespace wattune::model
