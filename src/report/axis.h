// Axis: a map from numbers onto a line, with round numbers as labels.
#pragma once

#include <string>
#include <vector>

namespace wattune::inline v0_1::report {

class Axis {
 public:
  // Makes an axis that is logarithmic if the range spans more than a factor of ten. Precondition: 0 < low <= high, both
  // finite.
  static Axis of_times(double low, double high);
  static Axis linear(double low, double high);  // ends at low + 1 if high <= low

  double low() const { return low_; }
  double high() const { return high_; }
  // Returns the position on the axis: 0 at the low end, 1 at the high end.
  double position(double value) const;
  // Returns about `wanted` round numbers within the range, in ascending order.
  std::vector<double> ticks(std::size_t wanted) const;

 private:
  Axis(double low, double high, bool logarithmic) : low_(low), high_(high), logarithmic_(logarithmic) {}

  double low_;
  double high_;
  bool logarithmic_;
};

// Returns a number without zeros at its end, such as "0.25" or "1500".
std::string tick_text(double value);

}  // namespace wattune::report
