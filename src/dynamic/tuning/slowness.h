// Slowness: how many times slower a kernel's candidates were than the best known configuration. From it follows the
// expected cost of an untried candidate. Only one thread at a time may use this object.
#pragma once

#include <cstddef>
#include <vector>

namespace wattune::inline v0_1::dynamic {

class Slowness {
 public:
  // Takes the time of a candidate's first launch, divided by the time of the best known configuration.
  void learn(double ratio);
  // Returns the average slowness, or a bound that at most one candidate in ten exceeds. The bound holds if candidates
  // are exchangeable (see measure/interface/gate.h). Both are kUnknownSlowness before any candidate is known. In
  // Petrovic's spaces, the average configuration takes 1.4 to 2.2 times as long as the best one (section 5.3.2), and a
  // few take ten times as long.

  double average() const;
  double bad() const;
  // Excludes the worst ratio from bad(). Callers do so when the budget has gained the cost of that ratio. The result of
  // average() still includes the ratio. Returns false if no ratio is left to exclude.
  bool forgive_worst();

  static constexpr double kUnknownSlowness = 3.0;

 private:
  struct Ratio {
    double value;
    bool forgiven = false;
  };
  std::vector<double> unforgiven() const;

  std::vector<Ratio> ratios_;  // the last few ratios; the oldest is overwritten first
  std::size_t learned_ = 0;
};

}  // namespace wattune::dynamic
