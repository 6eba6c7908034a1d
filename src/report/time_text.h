// Formats times in the unit that suits their size.
#pragma once

#include <string>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::report {

struct TimeUnit {
  const char* name;  // such as "ms"
  double nanoseconds;

  double of(Nanoseconds time) const { return time.value() / nanoseconds; }
};

// Returns the largest of ns, us, ms and s in which `time` is at least 1.
TimeUnit unit_for(Nanoseconds time);

// A format for a column of times. It has one unit for all times, and so many decimals that the smallest time has four
// significant digits.
class TimeColumn {
 public:
  explicit TimeColumn(Nanoseconds smallest);

  const char* unit() const { return unit_.name; }
  std::string number(Nanoseconds time) const;  // such as "1.234"

 private:
  TimeUnit unit_;
  int decimals_;
};

// Returns a text such as "1.234 ms".
std::string time_text(Nanoseconds time);

}  // namespace wattune::report
