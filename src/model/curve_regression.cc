#include "model/curve_regression.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>

namespace wattune::inline v0_1::model {

namespace {

constexpr double kPenalties[] = {0.1, 1.0, 10.0, 100.0, 1000.0};
constexpr double kLeastSpread = 1e-9;

// The sums X^T X and X^T Y over the rows that were added.
struct NormalEquations {
  Eigen::MatrixXd matrix;
  Eigen::MatrixXd right;

  NormalEquations(Eigen::Index inputs, Eigen::Index outputs)
      : matrix(Eigen::MatrixXd::Zero(inputs, inputs)), right(Eigen::MatrixXd::Zero(inputs, outputs)) {}

  void add(const Eigen::RowVectorXd& input, const Eigen::RowVectorXd& output) {
    matrix += input.transpose() * input;
    right += input.transpose() * output;
  }
};

// Returns the matrix with the penalty added to the diagonal entry of every input except the last, which is the
// constant.
Eigen::MatrixXd penalised(Eigen::MatrixXd matrix, double penalty) {
  matrix.diagonal().head(matrix.rows() - 1).array() += penalty;
  return matrix;
}

std::vector<NormalEquations> by_group(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& curves,
                                      std::span<const std::size_t> groups) {
  std::vector<NormalEquations> equations(*std::ranges::max_element(groups) + 1,
                                         NormalEquations(inputs.cols(), curves.cols()));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    equations[groups[i]].add(inputs.row(row), curves.row(row));
  }
  return equations;
}

NormalEquations sum_of(const std::vector<NormalEquations>& parts) {
  NormalEquations sum = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    sum.matrix += parts[i].matrix;
    sum.right += parts[i].right;
  }
  return sum;
}

// Returns the error of each row, with weights that were learned without the row's group.
Eigen::MatrixXd left_out_errors(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& curves,
                                std::span<const std::size_t> groups, const std::vector<NormalEquations>& parts,
                                double penalty) {
  const NormalEquations all = sum_of(parts);
  std::vector<Eigen::MatrixXd> weights;
  for (const NormalEquations& part : parts)
    weights.push_back(penalised(all.matrix - part.matrix, penalty).ldlt().solve(all.right - part.right));
  Eigen::MatrixXd errors = curves;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    errors.row(row) -= inputs.row(row) * weights[groups[i]];
  }
  return errors;
}

struct Choice {
  double penalty = 0.0;
  Eigen::MatrixXd errors;
};

Choice least_errors(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& curves, std::span<const std::size_t> groups,
                    const std::vector<NormalEquations>& parts) {
  Choice best{kPenalties[0], left_out_errors(inputs, curves, groups, parts, kPenalties[0])};
  for (const double penalty : std::span(kPenalties).subspan(1)) {
    Eigen::MatrixXd errors = left_out_errors(inputs, curves, groups, parts, penalty);
    if (errors.squaredNorm() < best.errors.squaredNorm()) best = {penalty, std::move(errors)};
  }
  return best;
}

// Returns the inverse of the standard deviation of each feature; 0 for a feature that is the same in all samples.
Eigen::RowVectorXd inverse_spread(const Eigen::MatrixXd& centred) {
  Eigen::RowVectorXd scale = (centred.colwise().squaredNorm() / static_cast<double>(centred.rows())).cwiseSqrt();
  for (double& each : scale) each = each > kLeastSpread ? 1.0 / each : 0.0;
  return scale;
}

// Returns the covariance of errors. If there are few groups, correlations between entries are uncertain, so they are
// reduced.
Eigen::MatrixXd covariance_of(const Eigen::MatrixXd& errors, std::size_t groups) {
  Eigen::MatrixXd covariance = errors.transpose() * errors / static_cast<double>(errors.rows());
  const Eigen::VectorXd variances = covariance.diagonal();
  covariance *= 1.0 - 1.0 / static_cast<double>(groups);
  covariance.diagonal() = variances;
  return covariance;
}

}  // namespace

Gaussian given(const Gaussian& prior, std::span<const SeenEntry> seen, double noise) {
  if (seen.empty()) return prior;
  const auto count = static_cast<Eigen::Index>(seen.size());
  Eigen::MatrixXd across(prior.mean.size(), count);  // covariance of all entries with the seen ones
  Eigen::MatrixXd within(count, count);
  Eigen::VectorXd surprise(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const SeenEntry& entry = seen[static_cast<std::size_t>(i)];
    across.col(i) = prior.covariance.col(entry.entry);
    surprise(i) = entry.value - prior.mean(entry.entry);
  }
  for (Eigen::Index i = 0; i < count; ++i) within.row(i) = across.row(seen[static_cast<std::size_t>(i)].entry);
  within.diagonal().array() += noise * noise;
  const Eigen::LDLT<Eigen::MatrixXd> solver(within);
  return {prior.mean + across * solver.solve(surprise), prior.covariance - across * solver.solve(across.transpose())};
}

CurveRegression::CurveRegression(const Eigen::MatrixXd& features, const Eigen::MatrixXd& curves,
                                 std::span<const std::size_t> groups)
    : centre_(features.colwise().mean()), scale_(inverse_spread(features.rowwise() - centre_)) {
  Eigen::MatrixXd inputs(features.rows(), features.cols() + 1);
  for (Eigen::Index i = 0; i < features.rows(); ++i) inputs.row(i) = standardised(features.row(i));
  const auto parts = by_group(inputs, curves, groups);
  const Choice best = least_errors(inputs, curves, groups, parts);
  const NormalEquations all = sum_of(parts);
  const Eigen::LDLT<Eigen::MatrixXd> solver(penalised(all.matrix, best.penalty));
  weights_ = solver.solve(all.right);
  spread_ = solver.solve(Eigen::MatrixXd::Identity(inputs.cols(), inputs.cols()));
  covariance_ = covariance_of(best.errors, parts.size());
}

Eigen::RowVectorXd CurveRegression::standardised(const Eigen::RowVectorXd& features) const {
  Eigen::RowVectorXd inputs(features.size() + 1);
  inputs << ((features - centre_).array() * scale_.array()).matrix(), 1.0;
  return inputs;
}

Gaussian CurveRegression::at(const Eigen::VectorXd& features) const {
  const Eigen::RowVectorXd inputs = standardised(features.transpose());
  const double leverage = inputs * spread_ * inputs.transpose();
  return {(inputs * weights_).transpose(), covariance_ * (1.0 + leverage)};
}

}  // namespace wattune::model
