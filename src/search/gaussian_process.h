// GaussianProcess: regression that grows by one observation at a time.
//
// Zero mean after standardisation, Matern 5/2 kernel with a length scale per coordinate, a noise for each observation
// (Rasmussen, Williams: Gaussian Processes for Machine Learning, 2006, chapters 2 and 4).
// The Cholesky factor L of the kernel matrix gains a row per observation, and so does L^-1 k(candidate) of every
// candidate: with m candidates and n observations an observation costs O(n^2 + m n). Mean and scale of the responses
// are standardised anew at each prediction. It needs the products of L^-1 k(candidate) with itself, L^-1 y and L^-1 1
// only, which grow with the rows, so that a prediction costs O(1).
#pragma once

#include <utility>
#include <vector>

#include "search/coordinates.h"
#include "search/forest.h"

namespace wattune::search {

class GaussianProcess {
 public:
  struct Observed {
    Coordinates point;
    double response = 0.0;
    double noise = 0.0;  // its variance beside a little that all have, as a share of the responses' variance
  };

  explicit GaussianProcess(std::vector<double> length_scales) : length_scales_(std::move(length_scales)) {}

  std::size_t size() const { return points_.size(); }
  // Replaces the points that predict() answers for.
  void set_candidates(std::vector<Coordinates> candidates);
  void add(Observed observed);
  // Of a candidate, by its position. Precondition: size() >= 2.
  Prediction predict(std::size_t candidate) const;
  // Log of the probability of the responses (Rasmussen, Williams, equation 2.30, up to a constant).
  double log_likelihood() const;

 private:
  struct Scale {
    double mean = 0.0;
    double deviation = 1.0;
  };
  struct Candidate {
    Coordinates point;           // scaled
    std::vector<double> solved;  // L^-1 k(point)
    double with_itself = 0.0;    // its products
    double with_responses = 0.0;
    double with_ones = 0.0;
  };
  // In length scales.
  Coordinates scaled(Coordinates point) const;
  // Of scaled points.
  static double kernel(const Coordinates& a, const Coordinates& b);
  // Appends one element to the solution of L x = rhs.
  void solve_next(std::vector<double>& solved, double rhs) const;
  // Takes the candidate to one more observation.
  void extend(Candidate& candidate) const;
  Scale scale() const;

  std::vector<double> length_scales_;
  std::vector<Coordinates> points_;  // scaled
  double sum_ = 0.0;                 // of the responses
  double squares_ = 0.0;
  std::vector<std::vector<double>> factor_;  // rows of L
  std::vector<double> solved_responses_;     // L^-1 y
  std::vector<double> solved_ones_;          // L^-1 1
  std::vector<Candidate> candidates_;
};

}  // namespace wattune::search
