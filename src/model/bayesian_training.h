// Training of a perceptron's parameters on scaled samples.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "wattune/model/perceptron.h"

namespace wattune::model {

// What a network of this shape makes of scaled inputs, with parameters in the order of NetworkShape::parameters().
double network_output(const NetworkShape& shape, const double* parameters, const double* inputs);

// The parameters after so many steps at most, from small random ones. A row of inputs for each sample.
Eigen::VectorXd trained_parameters(const NetworkShape& shape, const Eigen::MatrixXd& inputs,
                                   const Eigen::VectorXd& outputs, std::uint64_t seed, std::size_t most_steps);

}  // namespace wattune::model
