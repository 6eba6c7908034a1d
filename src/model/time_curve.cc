#include "model/interface/time_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

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

// Fits the samples without a least time. Errors count as shares of the time: at low clocks kernels take several times
// as long, and would decide the fit alone. Precondition: two different clocks.
TimeCurve fit_line(std::span<const TimeSample> samples) {
  NonnegativeLine line;
  for (const TimeSample& sample : samples)
    line.add(kNanosecondsPerMicrosecond / sample.clock.value(), sample.time.value(), std::pow(sample.time.value(), -2));
  const auto [base, slope] = line.solve();
  return {Nanoseconds(base), slope};
}

// Returns the Bayesian information criterion of a curve, without terms that are equal for all curves. Errors are shares
// of the time; an error smaller than the noise of a good measurement counts as that noise.
double criterion(const TimeCurve& curve, std::span<const TimeSample> samples) {
  constexpr double kLeastError = 1e-3;
  constexpr double kDegreesOfLeast = 2.0;  // further parameters: the least time, and the clock at which it begins
  double squares = 0.0;
  for (const TimeSample& sample : samples) {
    const double error = curve.at(sample.clock) / sample.time - 1.0;
    squares += error * error;
  }
  const auto n = static_cast<double>(samples.size());
  return n * std::log(std::max(kLeastError * kLeastError, squares / n)) +
         (curve.least > Nanoseconds(0.0) ? kDegreesOfLeast * std::log(n) : 0.0);
}

Nanoseconds mean_time(std::span<const TimeSample> samples) {
  Nanoseconds sum;
  for (const TimeSample& sample : samples) sum += sample.time;
  return sum / static_cast<double>(samples.size());
}

}  // namespace

Nanoseconds TimeCurve::at(Megahertz clock) const {
  return std::max(least, fixed + Nanoseconds(cycles * kNanosecondsPerMicrosecond / clock.value()));
}

Result<TimeCurve> fit_time_curve(std::span<const TimeSample> samples) {
  for (const TimeSample& sample : samples)
    if (!is_usable(sample))
      return untimed("a sample has no positive clock and time",
                     fmt::format("{} MHz, {} ns", sample.clock.value(), sample.time.value()));
  std::vector<TimeSample> ascending(samples.begin(), samples.end());
  std::ranges::stable_sort(ascending, {}, &TimeSample::clock);
  if (ascending.empty() || ascending.front().clock == ascending.back().clock)
    return untimed("a fit needs times at two clocks", ascending.empty() ? "0" : "1");
  TimeCurve best = fit_line(ascending);
  for (std::size_t rising = 2; rising < ascending.size(); ++rising) {
    const auto gaining = std::span(ascending).first(rising);
    if (gaining.front().clock == gaining.back().clock) continue;
    TimeCurve curve = fit_line(gaining);
    curve.least = mean_time(std::span(ascending).subspan(rising));
    if (criterion(curve, ascending) < criterion(best, ascending)) best = curve;
  }
  return best;
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
