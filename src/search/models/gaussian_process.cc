#include "search/models/gaussian_process.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wattune::inline v0_1::search {

namespace {

// Variance of the noise that every observation has, as a share of the responses' variance.
constexpr double kLeastNoise = 1e-3;

// Returns the scalar product of the first n elements. It keeps four sums, because a single one would wait for each
// addition before it begins the next.
double dot(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

Coordinates GaussianProcess::scaled(Coordinates point) const {
  for (std::size_t c = 0; c < point.size(); ++c) point[c] /= length_scales_[c];
  return point;
}

double GaussianProcess::kernel(const Coordinates& a, const Coordinates& b) {
  double squares = 0.0;
  for (std::size_t p = 0; p < a.size(); ++p) squares += (a[p] - b[p]) * (a[p] - b[p]);
  const double distance = std::sqrt(5.0 * squares);
  return (1.0 + distance + distance * distance / 3.0) * std::exp(-distance);
}

void GaussianProcess::solve_next(std::vector<double>& solved, double rhs) const {
  const std::size_t row = solved.size();
  solved.push_back((rhs - dot(factor_[row], solved, row)) / factor_[row][row]);
}

void GaussianProcess::extend(Candidate& candidate) const {
  const std::size_t row = candidate.solved.size();
  solve_next(candidate.solved, kernel(candidate.point, points_[row]));
  const double last = candidate.solved.back();
  candidate.with_itself += last * last;
  candidate.with_responses += last * solved_responses_[row];
  candidate.with_ones += last * solved_ones_[row];
}

void GaussianProcess::set_candidates(std::vector<Coordinates> candidates) {
  candidates_.clear();
  for (Coordinates& point : candidates) {
    Candidate& candidate = candidates_.emplace_back(Candidate{.point = scaled(std::move(point))});
    candidate.solved.reserve(points_.size());
    while (candidate.solved.size() < points_.size()) extend(candidate);
  }
}

void GaussianProcess::add(Observed observed) {
  const std::size_t row = points_.size();
  Coordinates point = scaled(std::move(observed.point));
  const double response = observed.response;
  const double noise = kLeastNoise + observed.noise;
  std::vector<double> entries;
  entries.reserve(row + 1);
  for (std::size_t i = 0; i < row; ++i) solve_next(entries, kernel(point, points_[i]));
  entries.push_back(std::sqrt(std::max(noise, 1.0 + noise - dot(entries, entries, row))));
  factor_.push_back(std::move(entries));
  points_.push_back(std::move(point));
  solve_next(solved_responses_, response);
  solve_next(solved_ones_, 1.0);
  sum_ += response;
  squares_ += response * response;
  for (Candidate& candidate : candidates_) extend(candidate);
}

GaussianProcess::Scale GaussianProcess::scale() const {
  const auto n = static_cast<double>(points_.size());
  const double mean = sum_ / n;
  const double variance = std::max(0.0, squares_ / n - mean * mean);
  return {mean, variance > 0.0 ? std::sqrt(variance) : 1.0};
}

Prediction GaussianProcess::predict(std::size_t candidate) const {
  const auto [mean, deviation] = scale();
  const Candidate& its = candidates_[candidate];
  // The shift is (L^-1 k) . (L^-1 (y - mean)), in which the scale cancels.
  const double shift = its.with_responses - mean * its.with_ones;
  return {mean + shift, deviation * std::sqrt(std::max(0.0, 1.0 - its.with_itself))};
}

double GaussianProcess::log_likelihood() const {
  const auto [mean, deviation] = scale();
  double fit = 0.0;
  double log_determinant = 0.0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double residual = (solved_responses_[i] - mean * solved_ones_[i]) / deviation;
    fit += residual * residual;
    log_determinant += std::log(factor_[i][i]);
  }
  return -0.5 * fit - log_determinant;
}

}  // namespace wattune::search
