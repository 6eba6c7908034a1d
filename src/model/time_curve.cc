#include "model/interface/time_curve.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "model/nonnegative_line.h"

namespace wattune::inline v0_1::model {

namespace {

constexpr double kNanosecondsPerMicrosecond = 1e3;  // megahertz are cycles per microsecond

Error untimed(std::string message, std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(std::move(what)).with_context("time curve");
}

bool is_usable(const TimeSample& sample) {
  return sample.clock > Megahertz(0.0) && sample.time > Nanoseconds(0.0) && std::isfinite(sample.clock.value()) &&
         std::isfinite(sample.time.value());
}

}  // namespace

Nanoseconds TimeCurve::at(Megahertz clock) const {
  return fixed + Nanoseconds(cycles * kNanosecondsPerMicrosecond / clock.value());
}

Result<TimeCurve> fit_time_curve(std::span<const TimeSample> samples) {
  NonnegativeLine line;
  std::set<double> clocks;
  for (const TimeSample& sample : samples) {
    if (!is_usable(sample))
      return untimed("a sample has no positive clock and time",
                     fmt::format("{} MHz, {} ns", sample.clock.value(), sample.time.value()));
    line.add(kNanosecondsPerMicrosecond / sample.clock.value(), sample.time.value());
    clocks.insert(sample.clock.value());
  }
  if (clocks.size() < 2) return untimed("a fit needs times at two clocks", fmt::format("{}", clocks.size()));
  const auto [base, slope] = line.solve();
  return TimeCurve{Nanoseconds(base), slope};
}

OperatingPoint operating_point(const PowerCurve& power, const TimeCurve& time, Megahertz clock) {
  const Watts drawn = power.at(clock);
  const Nanoseconds taken = time.at(clock);
  return {clock, drawn, taken, drawn * taken};
}

Result<OperatingPoint> least_energy(const PowerCurve& power, const TimeCurve& time, std::span<const Megahertz> table) {
  if (table.empty()) return untimed("there is no clock to choose from", "0 clocks");
  OperatingPoint best = operating_point(power, time, table.front());
  for (const Megahertz clock : table.subspan(1)) {
    const OperatingPoint point = operating_point(power, time, clock);
    if (point.energy < best.energy || (point.energy == best.energy && clock > best.clock)) best = point;
  }
  return best;
}

}  // namespace wattune::model
