#include "power/phase_error.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/root_of_squares.h"
#include "core/student.h"
#include "power/board_sensors.h"

namespace wattune::inline v0_1::power {

namespace {

constexpr std::size_t kLowest = 5;             // harmonics that stand for the sixteenth, from this one ...
constexpr std::size_t kHighest = kPhases / 2;  // ... to this one

// Returns how many of the seven numbers a harmonic has: two, and one for the highest.
double numbers_of(std::size_t harmonic) { return harmonic < kHighest ? 2.0 : 1.0; }

// Returns the mean of a function of the harmonics, each with the weight of its numbers.
double mean_of_harmonics(const std::function<double(std::size_t harmonic)>& each) {
  double sum = 0.0, numbers = 0.0;
  for (std::size_t harmonic = kLowest; harmonic <= kHighest; ++harmonic) {
    sum += numbers_of(harmonic) * each(harmonic);
    numbers += numbers_of(harmonic);
  }
  return sum / numbers;
}

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

// The part of the batches' variance that the harmonics show.
struct Shown {
  double share = 1.0;    // share of the variance that they show
  double freedom = 7.0;  // number of values that show it
};

// Returns how much of the variance the harmonics show if a batch lasts for so many readings and these are interpolated.
// If batches are short, neighbours share readings, so that the higher harmonics show less.
Shown shown_by_harmonics(double readings) {
  constexpr int kMostTurns = 3;  // turns of a batch; faster ones add nothing
  constexpr double kLeastShare = 0.05;
  const auto share_of = [&](std::size_t harmonic) {
    double share = 0.0;
    for (int turns = -kMostTurns; turns <= kMostTurns; ++turns) {
      const double frequency = static_cast<double>(harmonic) / static_cast<double>(kPhases) + turns;
      share += std::pow(sinc(frequency / readings), 4) * std::pow(sinc(frequency), 2);
    }
    return share;
  };
  const double share = mean_of_harmonics(share_of);
  const double square = mean_of_harmonics([&](std::size_t harmonic) { return std::pow(share_of(harmonic), 2); });
  return {std::max(share, kLeastShare), Shown{}.freedom * share * share / square};
}

// Returns how many standard deviations bound a mean if `freedom` numbers were used to estimate the variance.
double deviations_for(double freedom) { return 2.3 * (1.0 + 1.5 / freedom); }

double mean_square_of_steps(const BatchPowers& powers) {
  double squares = 0.0;
  for (std::size_t i = 1; i < powers.in_order.size(); ++i)
    squares += std::pow(powers.shares[powers.in_order[i]] - powers.shares[powers.in_order[i - 1]], 2);
  return powers.in_order.size() > 1 ? squares / static_cast<double>(powers.in_order.size() - 1) : 0.0;
}

// Returns what a sensor shows of a power that turns so often within a span, as a share of the power's amplitude.
double transfer(const SensorTraits& traits, Nanoseconds span, double turns) {
  if (traits.response == Response::lag)
    return 1.0 / root_of_squares(1.0, 2.0 * std::numbers::pi * turns * (traits.time_constant / span));
  return traits.window > Nanoseconds() ? sinc(turns * (traits.window / span)) : 1.0;
}

}  // namespace

Nanoseconds BatchPowers::time() const {
  Nanoseconds sum;
  for (const Load::Batch& each : batches) sum += each.end - each.begin;
  return sum / static_cast<double>(batches.size());
}

BatchPowers powers_of(const Phases& phases,
                      const std::function<Result<Watts>(Nanoseconds begin, Nanoseconds end)>& mean) {
  std::vector<std::optional<double>> watts;
  BatchPowers powers;
  for (const std::optional<Load::Batch>& batch : phases.batches()) {
    if (!batch) continue;
    const Result<Watts> power = mean(batch->begin, batch->end);
    watts.push_back(power ? std::optional(power->value()) : std::nullopt);
    powers.batches.push_back(*batch);
  }
  const auto is_missing = [](const std::optional<double>& each) { return !each; };
  const auto missing = std::ranges::find_if(watts, is_missing);
  if (std::ranges::count_if(watts, is_missing) == 1 && watts.size() > 2) {
    const auto place = static_cast<std::size_t>(missing - watts.begin());
    *missing = (*watts[(place + 1) % watts.size()] + *watts[(place + watts.size() - 1) % watts.size()]) / 2.0;
  }
  for (std::size_t i = watts.size(); i-- > 0;)
    if (!watts[i]) powers.batches.erase(powers.batches.begin() + static_cast<std::ptrdiff_t>(i));
  for (const std::optional<double>& each : watts)
    if (each) powers.shares.push_back(*each);
  const double sum = std::accumulate(powers.shares.begin(), powers.shares.end(), 0.0);
  if (!(sum > 0.0)) return {};
  for (double& each : powers.shares) each *= static_cast<double>(powers.shares.size()) / sum;
  powers.in_order.resize(powers.shares.size());
  std::iota(powers.in_order.begin(), powers.in_order.end(), std::size_t{0});
  std::ranges::sort(powers.in_order, {}, [&](std::size_t i) { return powers.batches[i].begin; });
  return powers;
}

// Takes half the mean square of the differences between neighbouring phases as the variance of one phase if a batch is
// missing. Takes 2.8 standard deviations or more, since seven numbers or fewer give only a rough variance.
double bound_of_phases(const BatchPowers& powers, const BatchNoise& noise, Nanoseconds readings, double fall) {
  const auto n = static_cast<double>(powers.shares.size());
  if (powers.shares.empty()) return 0.0;
  Shown shown;
  double variance = 0.0;
  if (powers.all_phases()) {
    variance = n * mean_of_harmonics([&](std::size_t i) { return squared_harmonic(powers.shares, i); });
    if (readings > Nanoseconds()) shown = shown_by_harmonics(powers.time() / readings);
    variance /= shown.share;
  } else {
    for (std::size_t i = 0; i < powers.shares.size(); ++i)
      variance += std::pow(powers.shares[(i + 1) % powers.shares.size()] - powers.shares[i], 2) / 2.0 / n;
    fall = 1.0;
  }
  const double by_noise = std::min(variance, noise.of_mean);
  const double by_phases = std::max(0.0, variance - noise.elsewhere - by_noise);
  return deviations_for(shown.freedom) * std::sqrt((by_noise + fall * fall * by_phases) / n);
}

// Takes the largest value for windows that differ by a twentieth, since windows are not known better.
double fall_of(const SensorTraits& traits, Nanoseconds span) {
  constexpr double kTolerance = 0.05;
  constexpr int kSteps = 20;
  const auto squared = [&](double turns, int step) {
    const double off = kTolerance * (2.0 * step / kSteps - 1.0);
    return std::pow(transfer(traits, span, turns * (1.0 + off)), 2);
  };
  double sixteenth = 0.0, others = 0.0;
  for (int step = 0; step <= kSteps; ++step) {
    sixteenth = std::max(sixteenth, squared(kPhases, step));
    others += mean_of_harmonics([&](std::size_t i) { return squared(static_cast<double>(i), step); }) / (kSteps + 1);
  }
  const double by_steps =
      mean_of_harmonics([](std::size_t i) { return static_cast<double>(i); }) / static_cast<double>(kPhases);
  return others > 0.0 ? std::min(1.0, std::sqrt(sixteenth / others)) * by_steps : by_steps;
}

double error_of_ends(const BatchPowers& powers, double of_batch) {
  constexpr double kOfBothEnds = 2.0 / 3.0;  // two mean squares of a part of a period
  double squares = 0.0;
  for (const double each : powers.shares)
    squares += std::pow(each - 1.0, 2) / static_cast<double>(powers.shares.size());
  return 2.0 * std::sqrt(kOfBothEnds * std::max(0.0, squares - of_batch));
}

double variance_by_moments(const BatchPowers& powers, double of_moment) {
  const auto n = static_cast<double>(powers.in_order.size());
  if (!powers.all_phases()) return 2.0 * of_moment;
  const auto of_harmonic = [&](std::size_t harmonic) {
    double sum = 2.0;  // the first and the last moment belong to one batch each
    for (std::size_t i = 1; i < powers.in_order.size(); ++i) {
      const double apart = static_cast<double>(powers.in_order[i]) - static_cast<double>(powers.in_order[i - 1]);
      sum += 2.0 - 2.0 * std::cos(2.0 * std::numbers::pi * static_cast<double>(harmonic) * apart / n);
    }
    return sum / n;
  };
  return of_moment * mean_of_harmonics(of_harmonic);
}

double variance_by_mixtures(const BatchPowers& powers, Nanoseconds period, double of_weights, double of_steps) {
  if (powers.batches.empty()) return 0.0;
  constexpr double kOfEvenMoments = 1.0 / 12.0;  // variance of a moment that lies anywhere in a period
  const double share = period / powers.time();
  return std::max(0.0, mean_square_of_steps(powers) - of_steps) * (kOfEvenMoments + of_weights) * share * share;
}

std::vector<Sight> sights_of(const Trace<Watts>& power) {
  const SensorTraits& traits = power.sensor.traits;
  const Nanoseconds seen = traits.window + traits.lag;
  std::vector<Sight> sights;
  for (const Change<Watts>& change : power.changes)
    sights.push_back({change.since - seen, change.at - traits.lag, change.value.value()});
  return sights;
}

std::vector<Sight> sights_of(const Trace<Joules>& counter) {
  const SensorTraits& traits = counter.sensor.traits;
  constexpr double kMostLate = 0.2;   // in periods; beyond it is unclear how many periods a rise is for
  constexpr double kWidestGap = 0.5;  // between two readings, in periods; beyond it publications get lost
  std::vector<Sight> sights;
  for (std::size_t i = 2; i < counter.changes.size(); ++i) {
    const Change<Joules>& before = counter.changes[i - 1];
    const Change<Joules>& change = counter.changes[i];
    const bool is_one_period = std::abs((change.at - before.at) / traits.period - 1.0) < kMostLate;
    if (!is_one_period || change.at - change.since > kWidestGap * traits.period) continue;
    sights.push_back({before.since - traits.lag, change.at - traits.lag, (change.value - before.value).value()});
  }
  return sights;
}

std::optional<double> variance_within(const BatchPowers& powers, const std::vector<Sight>& sights, Nanoseconds period,
                                      double of_weights) {
  double squares = 0.0, differences = 0.0, sum = 0.0, n = 0.0;
  auto sight = sights.begin();
  for (const std::size_t place : powers.in_order) {
    const Load::Batch& batch = powers.batches[place];
    std::vector<double> values;
    for (; sight != sights.end() && sight->since < batch.end; ++sight)
      if (sight->since >= batch.begin && sight->until <= batch.end) values.push_back(sight->value);
    const std::size_t first = values.size() > 2 ? 1 : 0;  // the first may be late and show the batch before
    for (std::size_t i = first + 1; i < values.size(); ++i) squares += std::pow(values[i] - values[i - 1], 2);
    differences += values.size() > first ? static_cast<double>(values.size() - first - 1) : 0.0;
    sum += std::accumulate(values.begin(), values.end(), 0.0);
    n += static_cast<double>(values.size());
  }
  if (!(differences > 0.0) || !(sum > 0.0)) return std::nullopt;
  const double of_sight = squares / 2.0 / differences / std::pow(sum / n, 2);
  return of_sight * (1.0 + of_weights) * (period / powers.time());
}

double share_counted(const BatchPowers& seen, const BatchPowers& counted) {
  constexpr double kConfidence = 0.95;
  if (!seen.all_phases() || !counted.all_phases()) return 1.0;
  double squares = 0.0, both = 0.0, rest = 0.0;
  for (std::size_t i = 0; i < kPhases; ++i) {
    squares += std::pow(seen.shares[i] - 1.0, 2);
    both += (seen.shares[i] - 1.0) * (counted.shares[i] - 1.0);
  }
  if (!(squares > 0.0)) return 1.0;
  const double share = both / squares;
  for (std::size_t i = 0; i < kPhases; ++i)
    rest += std::pow(counted.shares[i] - 1.0 - share * (seen.shares[i] - 1.0), 2);
  const double error = std::sqrt(rest / static_cast<double>(kPhases - 2) / squares);
  return std::min(1.0, std::abs(share) + student_quantile(kConfidence, kPhases - 2) * error);
}

}  // namespace wattune::power
