// ClockNetworks holds the three networks of Jiao et al. From a kernel's features at the highest clocks they predict its
// best clocks and its operations per joule there.
//
// The networks are those of section 6.1.2: a 15-21-1 network for operations per joule, and one 16-21-1 network each for
// the core's and the memory's clock, with operations per joule as one more input. For a pair, the features are those of
// fuse(). Any thread may call the const functions.
//
//   WATTUNE_ASSIGN(const auto networks, model::ClockNetworks::train(kernels, 1));
//   const auto best = networks.at(features);
//   lock(model::nearest_level(best.core, core_clocks), model::nearest_level(best.memory, memory_clocks));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/interface/perceptron.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/kernel_features.h"

namespace wattune::inline v0_1::model {

// Number of hidden neurons of each network.
inline constexpr std::size_t kHiddenNeurons = 21;

// The clocks at which a kernel does the most operations per joule.
struct BestClocks {
  double efficiency = 0.0;  // operations per joule
  Megahertz core;
  Megahertz memory;
};

// A kernel from which networks learn.
struct KernelAtBestClocks {
  KernelFeatures features;  // features at the highest clocks
  BestClocks best;          // the best of all clocks that were tried
};

// The three trained networks.
class ClockNetworks {
 public:
  // Trains the networks. The networks for the clocks learn from the true operations per joule, instead of predicted
  // ones. Equal seeds give equal networks. Fails as Perceptron::train() does.
  static Result<ClockNetworks> train(std::span<const KernelAtBestClocks> kernels, std::uint64_t seed);

  // Predicts operations per joule, and from them the clocks, which may lie between levels.
  BestClocks at(const KernelFeatures& features) const;

  // Writes the three networks one after another, in the format of Perceptron::to_text().
  std::string to_text() const;
  // Reads networks from a text of to_text(). Fails with parse_error if the text is not of that form, or if its networks
  // have other shapes.
  static Result<ClockNetworks> from_text(std::string_view text);

 private:
  ClockNetworks(Perceptron efficiency, Perceptron core, Perceptron memory)
      : efficiency_(std::move(efficiency)), core_(std::move(core)), memory_(std::move(memory)) {}

  Perceptron efficiency_;
  Perceptron core_;
  Perceptron memory_;
};

// Returns the level that is nearest to a clock, and the higher one of two equally near levels. Precondition: there is a
// level.
Megahertz nearest_level(Megahertz clock, std::span<const Megahertz> levels);

}  // namespace wattune::model
