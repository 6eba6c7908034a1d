// Axis: maps numbers onto a line and finds round numbers to label it with.
#pragma once

#include <string>
#include <vector>

namespace wattune::report {

class Axis {
 public:
  // Logarithmic when the range spans more than a factor of ten. Precondition: 0 < low <= high, both finite.
  static Axis of_times(double low, double high);
  static Axis linear(double low, double high);  // from low to low + 1 when high is not above it

  double low() const { return low_; }
  double high() const { return high_; }
  // 0 at the low end, 1 at the high end.
  double position(double value) const;
  // About `wanted` round numbers within the range, ascending.
  std::vector<double> ticks(std::size_t wanted) const;

 private:
  Axis(double low, double high, bool logarithmic) : low_(low), high_(high), logarithmic_(logarithmic) {}

  double low_;
  double high_;
  bool logarithmic_;
};

// A round number without trailing zeros: "0.25", "1500".
std::string tick_text(double value);

}  // namespace wattune::report
