// Slowness: how many times slower than the best known a kernel's candidates were. It gives the expected cost of an
// untried candidate. One thread at a time may use it.
#pragma once

#include <cstddef>
#include <vector>

namespace wattune::inline v0_1::dynamic {

class Slowness {
 public:
  // Takes the time of a candidate's first launch, divided by the time of the best known candidate.
  void learn(double ratio);
  // Average slowness, and a bound that at most one candidate in ten exceeds, if candidates are exchangeable (see
  // measure/interface/gate.h). Both are kUnknownSlowness before anything is known. The average kernel of Petrovic's
  // spaces takes 1.4 to 2.2 times as long as the best (section 5.3.2), and a few take ten times as long.

  double average() const;
  double bad() const;
  // Excludes the worst ratio from bad() once the budget has gained its cost; average() keeps it. Returns false if none
  // is left to exclude.
  bool forgive_worst();

  static constexpr double kUnknownSlowness = 3.0;

 private:
  struct Ratio {
    double value;
    bool forgiven = false;
  };
  std::vector<double> unforgiven() const;

  std::vector<Ratio> ratios_;  // the last few; the oldest is overwritten first
  std::size_t learned_ = 0;
};

}  // namespace wattune::dynamic
