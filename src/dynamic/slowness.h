// Slowness: how many times slower than the best known the candidates of a kernel are, as far as they were tried: what
// an unknown one is expected to cost. One thread at a time.
#pragma once

#include <cstddef>
#include <vector>

namespace wattune::dynamic {

class Slowness {
 public:
  // Of a candidate's first launch over the best known one's time.
  void learn(double ratio);
  // On average; and what few exceed: if candidates are exchangeable, one in ten at most (as measure's Gate argues).
  // Before anything is known both are kUnknown: the average kernel of paper 001's spaces takes 1.4 to 2.2 times as long
  // as the best (section 5.3.2), and a few take ten times as long.
  double average() const;
  double bad() const;
  // The worst that bad() goes by has been paid for: it counts for the average only. false: it goes by none.
  bool forgive_worst();

  static constexpr double kUnknown = 3.0;

 private:
  struct Ratio {
    double value;
    bool forgiven = false;
  };
  std::vector<double> unforgiven() const;

  std::vector<Ratio> ratios_;  // the last few, oldest overwritten first
  std::size_t learned_ = 0;
};

}  // namespace wattune::dynamic
