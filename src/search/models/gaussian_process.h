// GaussianProcess: a regression that grows by one observation at a time.
//
// The mean is zero after standardisation. The kernel is Matern 5/2 with a length scale per coordinate, and each
// observation has its own noise (Rasmussen, Williams: Gaussian Processes for Machine Learning, 2006, chapters 2 and 4).
//
// The Cholesky factor L of the kernel matrix gains a row per observation, and so does L^-1 k(candidate) of every
// candidate. With m candidates and n observations an observation costs O(n^2 + m n). Each prediction standardises mean
// and scale of the responses anew. It only needs the products of L^-1 k(candidate) with itself, L^-1 y and L^-1 1,
// which grow with the rows, so that a prediction costs O(1).
#pragma once

#include <utility>
#include <vector>

#include "search/models/forest.h"
#include "search/strategies/coordinates.h"

namespace wattune::inline v0_1::search {

class GaussianProcess {
 public:
  struct Observed {
    Coordinates point;
    double response = 0.0;
    double noise = 0.0;  // the observation's own variance beyond that of all, over the responses' variance
  };

  explicit GaussianProcess(std::vector<double> length_scales) : length_scales_(std::move(length_scales)) {}

  std::size_t size() const { return points_.size(); }
  // Replaces the points for which predict() answers.
  void set_candidates(std::vector<Coordinates> candidates);
  void add(Observed observed);
  // Predicts the response of a candidate, by its position. Precondition: size() >= 2.
  Prediction predict(std::size_t candidate) const;
  // Returns the logarithm of the probability of the responses (Rasmussen, Williams, equation 2.30, up to a constant).
  double log_likelihood() const;

 private:
  struct Scale {
    double mean = 0.0;
    double deviation = 1.0;
  };
  struct Candidate {
    Coordinates point;           // the point in units of the length scales
    std::vector<double> solved;  // L^-1 k(point)
    double with_itself = 0.0;    // products of `solved` with itself, with L^-1 y, and with L^-1 1
    double with_responses = 0.0;
    double with_ones = 0.0;
  };
  // Returns the point in units of length scales.
  Coordinates scaled(Coordinates point) const;
  // Returns the covariance of two scaled points.
  static double kernel(const Coordinates& a, const Coordinates& b);
  // Appends one element to the solution of L x = rhs.
  void solve_next(std::vector<double>& solved, double rhs) const;
  // Extends the candidate's `solved` and products by the latest observation.
  void extend(Candidate& candidate) const;
  Scale scale() const;

  std::vector<double> length_scales_;
  std::vector<Coordinates> points_;  // the points in units of the length scales
  double sum_ = 0.0;                 // sum of the responses
  double squares_ = 0.0;
  std::vector<std::vector<double>> factor_;  // rows of L
  std::vector<double> solved_responses_;     // L^-1 y
  std::vector<double> solved_ones_;          // L^-1 1
  std::vector<Candidate> candidates_;
};

}  // namespace wattune::search
