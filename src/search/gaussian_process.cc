#include "search/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wattune::search {

namespace {

// Variance of the noise, as a share of the targets' variance.
constexpr double kNoise = 1e-3;

double dot(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
  return std::inner_product(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin(), 0.0);
}

}  // namespace

double GaussianProcess::kernel(const Coordinates& a, const Coordinates& b) const {
  double squares = 0.0;
  for (std::size_t p = 0; p < a.size(); ++p) squares += (a[p] - b[p]) * (a[p] - b[p]);
  const double scaled = std::sqrt(3.0 * squares) / length_scale_;
  return (1.0 + scaled) * std::exp(-scaled);
}

double GaussianProcess::solve_next(const std::vector<double>& solved, double rhs, std::size_t row) const {
  return (rhs - dot(factor_[row], solved, row)) / factor_[row][row];
}

void GaussianProcess::set_candidates(std::vector<Coordinates> candidates) {
  candidates_ = std::move(candidates);
  solved_candidates_.assign(candidates_.size(), {});
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    for (std::size_t row = 0; row < points_.size(); ++row) {
      solved_candidates_[c].push_back(solve_next(solved_candidates_[c], kernel(candidates_[c], points_[row]), row));
    }
  }
}

void GaussianProcess::add(Coordinates point, double target) {
  const std::size_t row = points_.size();
  std::vector<double> entries;
  for (std::size_t i = 0; i < row; ++i) entries.push_back(solve_next(entries, kernel(point, points_[i]), i));
  entries.push_back(std::sqrt(std::max(kNoise, 1.0 + kNoise - dot(entries, entries, row))));
  factor_.push_back(std::move(entries));
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    solved_candidates_[c].push_back(solve_next(solved_candidates_[c], kernel(candidates_[c], point), row));
  }
  solved_targets_.push_back(solve_next(solved_targets_, target, row));
  solved_ones_.push_back(solve_next(solved_ones_, 1.0, row));
  points_.push_back(std::move(point));
  targets_.push_back(target);
}

GaussianProcess::Scale GaussianProcess::scale() const {
  const auto n = static_cast<double>(targets_.size());
  const double mean = std::accumulate(targets_.begin(), targets_.end(), 0.0) / n;
  const double variance = std::max(0.0, dot(targets_, targets_, targets_.size()) / n - mean * mean);
  return {mean, variance > 0.0 ? std::sqrt(variance) : 1.0};
}

Prediction GaussianProcess::predict(std::size_t candidate) const {
  const auto [mean, deviation] = scale();
  const std::vector<double>& solved = solved_candidates_[candidate];
  const std::size_t n = points_.size();
  // (L^-1 k) . (L^-1 (y - mean)); the scale cancels.
  const double shift = dot(solved, solved_targets_, n) - mean * dot(solved, solved_ones_, n);
  const double variance = std::max(0.0, 1.0 - dot(solved, solved, n));
  return {mean + shift, deviation * std::sqrt(variance)};
}

double GaussianProcess::log_likelihood() const {
  const auto [mean, deviation] = scale();
  double fit = 0.0;
  double log_determinant = 0.0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double residual = (solved_targets_[i] - mean * solved_ones_[i]) / deviation;
    fit += residual * residual;
    log_determinant += std::log(factor_[i][i]);
  }
  return -0.5 * fit - log_determinant;
}

}  // namespace wattune::search
