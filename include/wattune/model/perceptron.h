// Perceptron: a network with one hidden layer that learns a number from numbers.
//
// Hidden neurons are tanh of a weighted sum, the output is a weighted sum of them; inputs and output are scaled to -1
// to 1 by what was trained with. It is trained by Levenberg and Marquardt's steps with the penalty on large weights
// that the data themselves suggest (MacKay 1992; Foresee and Hagan, "Gauss-Newton approximation to Bayesian learning",
// 1997), so that more weights than samples do no harm. A value; const, any thread may ask.
//
//   WATTUNE_ASSIGN(const auto network, model::Perceptron::train(samples, {.hidden = 21, .seed = 1}));
//   const double expected = network.at(inputs);
//   WATTUNE_ASSIGN(const auto again, model::Perceptron::from_text(network.to_text(), {.inputs = 15, .hidden = 21}));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::model {

struct TrainingSample {
  std::vector<double> inputs;
  double output = 0.0;
};

struct TrainingOptions {
  std::size_t hidden = 21;  // neurons
  std::uint64_t seed = 1;   // of the weights it begins with; equal seeds give equal networks
  std::size_t most_steps = 300;
};

struct NetworkShape {
  std::size_t inputs = 0;
  std::size_t hidden = 0;

  // Weights and thresholds: of each hidden neuron, then of the output.
  std::size_t parameters() const { return hidden * (inputs + 1) + hidden + 1; }
  bool operator==(const NetworkShape&) const = default;
};

// From the least to the most that a network was trained with, which are -1 and 1 to it.
struct TrainedRange {
  double low = 0.0;
  double high = 0.0;

  double scaled(double value) const { return high > low ? 2.0 * (value - low) / (high - low) - 1.0 : 0.0; }
  double unscaled(double value) const { return low + (value + 1.0) / 2.0 * (high - low); }
};

class Perceptron {
 public:
  // invalid_argument: fewer than two samples, other numbers of inputs, no inputs or hidden neurons, what is no number.
  static Result<Perceptron> train(std::span<const TrainingSample> samples, const TrainingOptions& options = {});

  // Precondition: as many inputs as its shape has.
  double at(std::span<const double> inputs) const;
  const NetworkShape& shape() const { return shape_; }

  // Lines of plain text, exact to the last bit.
  std::string to_text() const;
  // parse_error: no such text, or a network of another shape than the one that is asked for.
  static Result<Perceptron> from_text(std::string_view text, const NetworkShape& shape);

 private:
  NetworkShape shape_;
  std::vector<TrainedRange> inputs_;
  TrainedRange output_;
  std::vector<double> parameters_;
};

}  // namespace wattune::model
