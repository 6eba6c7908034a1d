#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "core/normal.h"
#include "model/curve_search.h"
#include "model/interface/power_curve.h"

namespace wattune::inline v0_1::model {

namespace {

constexpr std::size_t kParameters = 4;
constexpr std::size_t kFewestClocks = kParameters + 1;  // fewest clocks; with fewer, every curve fits
constexpr double kMostUnexplained = 0.25;  // largest share of the power's variance that a curve may leave unexplained

Error unfit(std::string message, std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(std::move(what)).with_context("power curve");
}

bool is_positive(double value) { return value > 0.0 && std::isfinite(value); }

Result<std::vector<PowerSample>> usable(std::span<const PowerSample> samples) {
  std::vector<PowerSample> free;
  std::set<double> clocks;
  for (const PowerSample& sample : samples) {
    if (!is_positive(sample.clock.value()) || !is_positive(sample.power.value()))
      return unfit("a sample has no positive clock and power",
                   fmt::format("{} MHz, {} W", sample.clock.value(), sample.power.value()));
    if (sample.capped) continue;
    free.push_back(sample);
    clocks.insert(sample.clock.value());
  }
  if (clocks.size() >= kFewestClocks) return free;
  return unfit(fmt::format("a fit needs samples of {} clocks at which the board does not throttle", kFewestClocks),
               fmt::format("{} of {} samples", clocks.size(), samples.size()))
      .hint("sample ten clocks from the lowest to the highest that holds");
}

double variance_times_n(const std::vector<PowerSample>& samples) {
  double sum = 0.0, squares = 0.0;
  for (const PowerSample& sample : samples) {
    sum += sample.power.value();
    squares += sample.power.value() * sample.power.value();
  }
  return squares - sum * sum / static_cast<double>(samples.size());
}

// Returns Student's t for 95 % on both sides. It is taken from a table up to 5 degrees of freedom. For more, it is
// computed by an expansion around the normal distribution, with an error below 0.5 %.
double student_95(std::size_t freedom) {
  constexpr std::array kTable = {12.706, 4.303, 3.182, 2.776, 2.571};
  if (freedom <= kTable.size()) return kTable[freedom - 1];
  constexpr double z = kNormal95;
  const double n = static_cast<double>(freedom);
  return z + (z * z * z + z) / (4.0 * n) + (5.0 * std::pow(z, 5) + 16.0 * z * z * z + 3.0 * z) / (96.0 * n * n);
}

// Returns the squared error of the best curve plus the increase that chance explains.
double likely_squares(const Candidate& best, std::size_t samples) {
  const std::size_t freedom = samples - kParameters;
  return best.squares * (1.0 + std::pow(student_95(freedom), 2) / static_cast<double>(freedom));
}

// Computes the range of the ridge by profile likelihood: the range of all curves whose error exceeds the least error by
// no more than chance explains. Errors count as shares of the power here; otherwise the range is too narrow for sensors
// with proportional noise.
ClockRange likely_ridge(const std::vector<PowerSample>& samples, Megahertz ridge) {
  const CurveSearch search(samples, Noise::proportional);
  const Candidate best = search.best();
  const ClockRange range = search.ridges_within(best, likely_squares(best, samples.size()));
  return {std::min(range.low, ridge), std::max(range.high, ridge)};
}

}  // namespace

Result<PowerFit> fit_power_curve(std::span<const PowerSample> samples) {
  WATTUNE_ASSIGN(const std::vector<PowerSample> free, usable(samples));
  const CurveSearch search(free, Noise::alike);
  const Candidate best = search.best();
  const bool grows = best.curve.alpha > 0.0;  // false, too, if overflow made alpha NaN
  if (!grows || !(best.squares <= kMostUnexplained * variance_times_n(free)))
    return unfit("power does not grow with the clock as that of a loaded board", fmt::format("{} samples", free.size()))
        .hint("is the load the same at every clock, and the sensor read long enough?");
  const Megahertz ridge = search.within_samples(best.curve.ridge());
  return PowerFit{.curve = best.curve,
                  .rmse = Watts(std::sqrt(best.squares / static_cast<double>(free.size()))),
                  .ridge = ridge,
                  .likely_ridge = likely_ridge(free, ridge),
                  .samples = free.size()};
}

Result<std::vector<PowerRange>> likely_power(std::span<const PowerSample> samples, std::span<const Megahertz> clocks) {
  WATTUNE_ASSIGN(const PowerFit fit, fit_power_curve(samples));
  WATTUNE_ASSIGN(const std::vector<PowerSample> free, usable(samples));
  const CurveSearch search(free, Noise::proportional);
  const Candidate best = search.best();
  auto ranges = search.powers_within(best, likely_squares(best, free.size()), clocks);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Watts fitted = fit.curve.at(clocks[i]);
    ranges[i] = {std::min(ranges[i].low, fitted), std::max(ranges[i].high, fitted)};
  }
  return ranges;
}

}  // namespace wattune::model
