#include "power/phases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace wattune::inline v0_1::power {

namespace {

// Returns `time` modulo `whole`; it is never negative.
Nanoseconds past(Nanoseconds time, Nanoseconds whole) { return time - std::floor(time / whole) * whole; }

// Returns the square of a harmonic's amplitude over the phases.
double squared_harmonic(const std::vector<double>& values, std::size_t harmonic) {
  const auto n = static_cast<double>(values.size());
  double along = 0.0, across = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double turn = 2.0 * std::numbers::pi * static_cast<double>(harmonic * i) / n;
    along += values[i] * std::cos(turn);
    across += values[i] * std::sin(turn);
  }
  return (along * along + across * across) / (n * n);
}

double sinc(double x) { return x == 0.0 ? 1.0 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

// The part of the batches' variance that the fifth to the eighth harmonic show.
struct Shown {
  double share = 1.0;    // share of the variance that they show
  double freedom = 7.0;  // number of values that show it: two in each harmonic, and one in the eighth
};

// Returns how much of the variance the harmonics show if a batch lasts for so many readings and these are interpolated.
// If batches are short, neighbours share readings, so that the higher harmonics show less.
Shown shown_by_harmonics(double readings) {
  constexpr int kMostTurns = 3;  // turns of a batch; faster ones add nothing
  constexpr double kLeastShare = 0.05;
  double numbers = 0.0, sum = 0.0, squares = 0.0;
  for (std::size_t harmonic = 5; harmonic <= kPhases / 2; ++harmonic) {
    const double of_harmonic = harmonic < kPhases / 2 ? 2.0 : 1.0;
    double share = 0.0;
    for (int turns = -kMostTurns; turns <= kMostTurns; ++turns) {
      const double frequency = static_cast<double>(harmonic) / static_cast<double>(kPhases) + turns;
      share += std::pow(sinc(frequency / readings), 4) * std::pow(sinc(frequency), 2);
    }
    numbers += of_harmonic;
    sum += of_harmonic * share;
    squares += of_harmonic * share * share;
  }
  return {std::max(sum / numbers, kLeastShare), sum * sum / squares};
}

// Returns how many standard deviations bound a mean if `freedom` numbers were used to estimate the variance.
double deviations_for(double freedom) { return 2.15 * (1.0 + 1.5 / freedom); }

}  // namespace

Nanoseconds Phases::wait(Nanoseconds now) {
  const Nanoseconds position = past(past(now - origin_, period_), span_);
  Nanoseconds least{std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < kPhases; ++i) {
    if (batches_[i]) continue;
    const Nanoseconds wait = past(span_ * (static_cast<double>(i) / static_cast<double>(kPhases)) - position, span_);
    if (wait >= least) continue;
    least = wait;
    next_ = i;
  }
  return least;
}

Nanoseconds Phases::end() const {
  Nanoseconds last{-std::numeric_limits<double>::infinity()};
  for (const std::optional<Load::Batch>& batch : batches_)
    if (batch) last = std::max(last, batch->end);
  return last;
}

// Estimates the variance of the mean. Noise is as large in each harmonic of the phases as in their mean. The power of a
// launch has less in each higher harmonic, and the error of the mean is the sixteenth one. So the mean of the fifth to
// the eighth harmonic covers both. If a batch is missing, half the mean square of the differences between neighbouring
// phases is the variance of one phase. Takes 2.6 standard deviations or more, since seven numbers or fewer give only a
// rough variance.
double Phases::bound(const std::function<Result<Watts>(Nanoseconds begin, Nanoseconds end)>& mean,
                     const std::function<double(Nanoseconds time)>& noise, Nanoseconds readings) const {
  std::vector<double> means;
  double left_out = 0.0;
  Nanoseconds busy;
  for (const std::optional<Load::Batch>& batch : batches_) {
    if (!batch) continue;
    const Result<Watts> power = mean(batch->begin, batch->end);
    if (!power) continue;
    means.push_back(power->value());
    left_out += std::pow(noise(batch->end - batch->begin), 2);
    busy += batch->end - batch->begin;
  }
  double squares = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    squares += std::pow(means[(i + 1) % means.size()] - means[i], 2);
    sum += means[i];
  }
  if (!(sum > 0.0)) return 0.0;
  const auto n = static_cast<double>(means.size());
  double variance = squares / 2.0 / (n * n);
  Shown shown;
  if (means.size() == kPhases) {
    variance = squared_harmonic(means, kPhases / 2);
    for (std::size_t harmonic = 5; harmonic < kPhases / 2; ++harmonic)
      variance += 2.0 * squared_harmonic(means, harmonic);
    variance /= 7.0;
    if (readings > Nanoseconds()) shown = shown_by_harmonics(busy / n / readings);
    variance /= shown.share;
  }
  const double share = variance / std::pow(sum / n, 2) - left_out / (n * n);
  return deviations_for(shown.freedom) * std::sqrt(std::max(share, 0.0));
}

}  // namespace wattune::power
