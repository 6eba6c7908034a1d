// Perceptron is a neural network with one hidden layer that learns one number from several.
//
// Hidden neurons are tanh of a weighted sum, and the output is a weighted sum of them. Inputs and output are scaled to
// -1 to 1 by the ranges of the training samples. Training takes Levenberg and Marquardt's steps with a penalty on large
// weights. The size of the penalty is inferred from the data (MacKay 1992; Foresee and Hagan, "Gauss-Newton
// approximation to Bayesian learning", 1997), so having more weights than samples does no harm. Any thread may call the
// const functions.
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

namespace wattune::inline v0_1::model {

// The inputs and the output of one sample.
struct TrainingSample {
  std::vector<double> inputs;
  double output = 0.0;
};

struct TrainingOptions {
  std::size_t hidden = 21;  // number of hidden neurons
  std::uint64_t seed = 1;   // seed of the initial weights; equal seeds give equal networks
  std::size_t most_steps = 300;
};

// The numbers of inputs and of hidden neurons.
struct NetworkShape {
  std::size_t inputs = 0;
  std::size_t hidden = 0;

  // Returns the number of weights and thresholds. Their order is: those of each hidden neuron, then those of the
  // output.
  std::size_t parameters() const { return hidden * (inputs + 1) + hidden + 1; }
  bool operator==(const NetworkShape&) const = default;
};

// The range of a value in the training samples. The range is scaled to -1 to 1.
struct TrainedRange {
  double low = 0.0;
  double high = 0.0;

  double scaled(double value) const { return high > low ? 2.0 * (value - low) / (high - low) - 1.0 : 0.0; }
  double unscaled(double value) const { return low + (value + 1.0) / 2.0 * (high - low); }
};

// A trained network.
class Perceptron {
 public:
  // Trains a network. Fails with invalid_argument if there are fewer than two samples, no inputs or no hidden neurons.
  // Fails with invalid_argument too if samples differ in their number of inputs, or if a value is not a number.
  static Result<Perceptron> train(std::span<const TrainingSample> samples, const TrainingOptions& options = {});

  // Returns the output for these inputs. Precondition: there are as many inputs as the shape has.
  double at(std::span<const double> inputs) const;
  const NetworkShape& shape() const { return shape_; }

  // Writes lines of plain text that restore the network to the last bit.
  std::string to_text() const;
  // Reads a network from lines of to_text(). Fails with parse_error if the text has another form, or if the network has
  // another shape than `shape`.
  static Result<Perceptron> from_text(std::string_view text, const NetworkShape& shape);

 private:
  NetworkShape shape_;
  std::vector<TrainedRange> inputs_;
  TrainedRange output_;
  std::vector<double> parameters_;
};

}  // namespace wattune::model
