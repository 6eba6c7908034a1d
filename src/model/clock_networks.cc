#include "model/interface/clock_networks.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wattune::inline v0_1::model {

namespace {

constexpr NetworkShape kOfEfficiency{.inputs = kFeatures, .hidden = kHiddenNeurons};
constexpr NetworkShape kOfClock{.inputs = kFeatures + 1, .hidden = kHiddenNeurons};
constexpr std::string_view kNetworkSeparator = "\n---\n";

std::vector<double> network_inputs(const KernelFeatures& features) {
  return {features.values.begin(), features.values.end()};
}

std::vector<double> network_inputs(const KernelFeatures& features, double efficiency) {
  std::vector<double> inputs = network_inputs(features);
  inputs.push_back(efficiency);
  return inputs;
}

Result<Perceptron> trained_on_clocks(std::span<const KernelAtBestClocks> kernels, Megahertz BestClocks::*clock,
                                     std::uint64_t seed) {
  std::vector<TrainingSample> samples;
  for (const KernelAtBestClocks& kernel : kernels)
    samples.push_back({network_inputs(kernel.features, kernel.best.efficiency), (kernel.best.*clock).value()});
  return Perceptron::train(samples, {.hidden = kHiddenNeurons, .seed = seed});
}

Result<Perceptron> trained_on_efficiency(std::span<const KernelAtBestClocks> kernels, std::uint64_t seed) {
  std::vector<TrainingSample> samples;
  for (const KernelAtBestClocks& kernel : kernels)
    samples.push_back({network_inputs(kernel.features), kernel.best.efficiency});
  return Perceptron::train(samples, {.hidden = kHiddenNeurons, .seed = seed});
}

// Returns the text before the mark, and removes it with the mark from `text`. Returns all of `text` if it has no mark.
std::string_view next_part(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find(kNetworkSeparator));
  text.remove_prefix(std::min(text.size(), part.size() + kNetworkSeparator.size()));
  return part;
}

}  // namespace

Result<ClockNetworks> ClockNetworks::train(std::span<const KernelAtBestClocks> kernels, std::uint64_t seed) {
  WATTUNE_ASSIGN(Perceptron efficiency, trained_on_efficiency(kernels, seed));
  WATTUNE_ASSIGN(Perceptron core, trained_on_clocks(kernels, &BestClocks::core, seed + 1));
  WATTUNE_ASSIGN(Perceptron memory, trained_on_clocks(kernels, &BestClocks::memory, seed + 2));
  return ClockNetworks(std::move(efficiency), std::move(core), std::move(memory));
}

BestClocks ClockNetworks::at(const KernelFeatures& features) const {
  const double efficiency = efficiency_.at(network_inputs(features));
  const std::vector<double> inputs = network_inputs(features, efficiency);
  return {efficiency, Megahertz(core_.at(inputs)), Megahertz(memory_.at(inputs))};
}

std::string ClockNetworks::to_text() const {
  return efficiency_.to_text() + "---\n" + core_.to_text() + "---\n" + memory_.to_text();
}

Result<ClockNetworks> ClockNetworks::from_text(std::string_view text) {
  WATTUNE_ASSIGN(Perceptron efficiency, Perceptron::from_text(next_part(text), kOfEfficiency));
  WATTUNE_ASSIGN(Perceptron core, Perceptron::from_text(next_part(text), kOfClock));
  WATTUNE_ASSIGN(Perceptron memory, Perceptron::from_text(text, kOfClock));
  return ClockNetworks(std::move(efficiency), std::move(core), std::move(memory));
}

Megahertz nearest_level(Megahertz clock, std::span<const Megahertz> levels) {
  Megahertz nearest = levels.front();
  for (const Megahertz level : levels) {
    const double nearer = std::abs((nearest - clock).value()) - std::abs((level - clock).value());
    if (nearer > 0.0 || (nearer == 0.0 && level > nearest)) nearest = level;
  }
  return nearest;
}

}  // namespace wattune::model
