#include "report/time_text.h"

#include <fmt/format.h>

namespace wattune::inline v0_1::report {

TimeUnit unit_for(Nanoseconds time) {
  if (time.value() >= 1e9) return {"s", 1e9};
  if (time.value() >= 1e6) return {"ms", 1e6};
  if (time.value() >= 1e3) return {"us", 1e3};
  return {"ns", 1.0};
}

TimeColumn::TimeColumn(Nanoseconds smallest) : unit_(unit_for(smallest)) {
  const double value = unit_.of(smallest);
  decimals_ = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
}

std::string TimeColumn::number(Nanoseconds time) const { return fmt::format("{:.{}f}", unit_.of(time), decimals_); }

std::string time_text(Nanoseconds time) {
  const TimeColumn column(time);
  return column.number(time) + " " + column.unit();
}

}  // namespace wattune::report
