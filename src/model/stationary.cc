#include "model/stationary.h"

#include <Eigen/LU>
#include <algorithm>

namespace wattune::inline v0_1::model {

// Solves (P^T - 1) pi = 0. One of these equations follows from the others; it is replaced by the equation that pi sums
// to 1.
std::vector<double> stationary_distribution(const Transitions& chain) {
  const auto size = static_cast<Eigen::Index>(chain.states);
  Eigen::MatrixXd equations = Eigen::Map<const Eigen::MatrixXd>(chain.probabilities.data(), size, size);
  equations.diagonal().array() -= 1.0;
  equations.row(size - 1).setOnes();
  const Eigen::VectorXd solution = equations.partialPivLu().solve(Eigen::VectorXd::Unit(size, size - 1));
  std::vector<double> distribution(solution.begin(), solution.end());
  for (double& probability : distribution) probability = std::max(0.0, probability);  // rounding may have left -1e-17
  return distribution;
}

}  // namespace wattune::model
