// ClockNetworks: the three networks of Jiao et al., which tell of a kernel's features at the highest clocks how many
// operations per joule it comes to at its best clocks, and which those are.
//
// Section 6.1.2: 15-21-1 for operations per joule; then 16-21-1 each for the core's and the memory's clock, with
// operations per joule as one more input. What fuse() says of a pair is asked like a kernel. A value; const, any thread
// may ask.
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

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/kernel_features.h"
#include "wattune/model/perceptron.h"

namespace wattune::model {

inline constexpr std::size_t kHiddenNeurons = 21;

struct BestClocks {
  double efficiency = 0.0;  // operations per joule
  Megahertz core;
  Megahertz memory;
};

struct KernelAtBestClocks {
  KernelFeatures features;  // at the highest clocks
  BestClocks best;          // of all that were tried
};

class ClockNetworks {
 public:
  // The clocks' networks learn from the true operations per joule. Equal seeds give equal networks. Errors as
  // Perceptron::train().
  static Result<ClockNetworks> train(std::span<const KernelAtBestClocks> kernels, std::uint64_t seed);

  // Clocks between levels, for which the first network's operations per joule are an input.
  BestClocks at(const KernelFeatures& features) const;

  // The three one after the other, as Perceptron::to_text().
  std::string to_text() const;
  // parse_error: no such text, networks of other shapes.
  static Result<ClockNetworks> from_text(std::string_view text);

 private:
  ClockNetworks(Perceptron efficiency, Perceptron core, Perceptron memory)
      : efficiency_(std::move(efficiency)), core_(std::move(core)), memory_(std::move(memory)) {}

  Perceptron efficiency_;
  Perceptron core_;
  Perceptron memory_;
};

// The level that is nearest to a clock, the higher of two. Precondition: there is one.
Megahertz nearest_level(Megahertz clock, std::span<const Megahertz> levels);

}  // namespace wattune::model
