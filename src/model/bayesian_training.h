// Trains a perceptron's parameters on scaled samples.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "model/interface/perceptron.h"

namespace wattune::inline v0_1::model {

// Computes the output of a network for scaled inputs, with parameters in the order of NetworkShape::parameters().
double network_output(const NetworkShape& shape, const double* parameters, const double* inputs);

// Trains parameters, starting from small random ones, in at most `most_steps` steps. Each row of `inputs` is a sample.
Eigen::VectorXd trained_parameters(const NetworkShape& shape, const Eigen::MatrixXd& inputs,
                                   const Eigen::VectorXd& outputs, std::uint64_t seed, std::size_t most_steps);

}  // namespace wattune::model
