// CurveSearch finds the power curve (power_curve.h) with the least squared error.
//
// Tau and beta determine the other two parameters, base and alpha. Beta is searched for by the rise of the voltage at
// the highest clock, which has the same scale on every board.
#pragma once

#include <span>
#include <vector>

#include "model/interface/power_curve.h"
#include "model/nonnegative_line.h"

namespace wattune::inline v0_1::model {

struct Candidate {
  PowerCurve curve;
  double squares = 0.0;  // sum of squared errors, weighted by the noise
};

// The scale of the errors of samples: equal in watts, or equal as shares of the power.
enum class Noise { alike, proportional };

class CurveSearch {
 public:
  // Prepares a search over samples of at least five clocks. The samples must outlive the search.
  CurveSearch(std::span<const PowerSample> samples, Noise noise);

  Candidate best() const;
  // Returns the range of the ridges of all curves whose error is at most `squares`, limited to the sampled clocks.
  // `best` is a curve with no larger error.
  ClockRange ridges_within(const Candidate& best, double squares) const;
  Megahertz within_samples(Megahertz clock) const;
  // Returns the range of the power at each clock, over the same curves as ridges_within().
  std::vector<PowerRange> powers_within(const Candidate& best, double squares, std::span<const Megahertz> clocks) const;

 private:
  double weight_of(const PowerSample& sample) const;
  Candidate at(double tau, double rise) const;
  NonnegativeLine line_at(const PowerCurve& shape) const;
  Candidate best_at(double tau) const;
  std::vector<double> taus_within(const Candidate& best, double squares) const;
  std::vector<Candidate> rises_within(double tau, double squares) const;
  double rise_of(const Candidate& candidate) const;

  std::span<const PowerSample> samples_;
  Noise noise_;
  double lowest_ = 0.0;
  double highest_ = 0.0;
  double last_tau_ = 0.0;  // highest tau that is tried; above it there is one more clock, which any rise would fit
};

}  // namespace wattune::model
