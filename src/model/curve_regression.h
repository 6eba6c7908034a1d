// CurveRegression predicts vectors from features, with the covariance of its errors.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace wattune::inline v0_1::model {

struct Gaussian {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

struct SeenEntry {
  Eigen::Index entry;
  double value;
};

// Conditions the prior on the seen entries. Each seen entry has an error with the standard deviation `noise`.
Gaussian given(const Gaussian& prior, std::span<const SeenEntry> seen, double noise);

// A ridge regression of each entry on the features, in units of their own standard deviations. The penalty is 0.1, 1,
// 10, 100 or 1000, whichever gives the least squared error on groups that were left out of the fit. The covariance is
// that of the errors on these groups.
class CurveRegression {
 public:
  // Learns from samples, one in each row. Preconditions: `groups` has an entry per row, numbered from 0 on, and at
  // least two groups.
  CurveRegression(const Eigen::MatrixXd& features, const Eigen::MatrixXd& curves, std::span<const std::size_t> groups);

  // Predicts a curve. The covariance is larger if the features differ more from those of the samples.
  Gaussian at(const Eigen::VectorXd& features) const;

 private:
  Eigen::RowVectorXd standardised(const Eigen::RowVectorXd& features) const;

  Eigen::RowVectorXd centre_;
  Eigen::RowVectorXd scale_;  // standard deviation of each feature; 0 for a feature that is the same in all samples
  Eigen::MatrixXd weights_;
  Eigen::MatrixXd spread_;  // the inverse of the penalised normal matrix
  Eigen::MatrixXd covariance_;
};

}  // namespace wattune::model
