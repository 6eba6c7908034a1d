// Compares laws of a kernel's time against the clock. On recorded kernels, the time at each clock is predicted from the
// times at all other clocks.
//
//   time_laws
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "lab/perf/clock_recordings.h"
#include "model/interface/time_curve.h"
#include "model/nonnegative_line.h"

namespace wattune::inline v0_1::model {
namespace {

using Samples = std::vector<TimeSample>;  // ascending by clock
using Law = std::function<double(double clock)>;
using Fit = std::function<Law(const Samples&)>;

// Fits t = a + b / f.
Law hyperbola(const Samples& samples) {
  NonnegativeLine line;
  for (const TimeSample& sample : samples)
    line.add(1.0 / sample.clock.value(), sample.time.value(), std::pow(sample.time.value(), -2));
  return [solved = line.solve()](double clock) { return solved.base + solved.slope / clock; };
}

// Fits t = b / f^p, as a straight line of the logarithms.
Law power_law(const Samples& samples) {
  const auto n = static_cast<double>(samples.size());
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (const TimeSample& sample : samples) {
    const double of_clock = std::log(sample.clock.value()), of_time = std::log(sample.time.value());
    x += of_clock, y += of_time, xx += of_clock * of_clock, xy += of_clock * of_time;
  }
  const double exponent = std::max(0.0, -(n * xy - x * y) / (n * xx - x * x));
  const double logarithm = (y + exponent * x) / n;
  return [=](double clock) { return std::exp(logarithm - exponent * std::log(clock)); };
}

// Returns the criterion by which fit_time_curve() decides whether the time stops falling at some clock. The lower
// criterion wins.
double criterion(const Law& law, const Samples& samples, double further_parameters) {
  const auto n = static_cast<double>(samples.size());
  double squares = 0.0;
  for (const TimeSample& sample : samples)
    squares += std::pow(law(sample.clock.value()) / sample.time.value() - 1.0, 2);
  return n * std::log(std::max(1e-6, squares / n)) + further_parameters * std::log(n);
}

// Fits a law that falls with the clock until it reaches a constant, the least time. Returns the falling law alone if a
// constant does not make the fit better.
Law with_least(const Fit& falling, const Samples& samples) {
  Law best = falling(samples);
  for (std::size_t rising = 2; rising < samples.size(); ++rising) {
    const auto flat = samples.begin() + static_cast<std::ptrdiff_t>(rising);
    double least = 0.0;
    for (auto sample = flat; sample != samples.end(); ++sample)
      least += sample->time.value() / static_cast<double>(samples.end() - flat);
    const Law law = [least, part = falling({samples.begin(), flat})](double clock) {
      return std::max(least, part(clock));
    };
    constexpr double kOfLeast = 2.0;
    if (criterion(law, samples, kOfLeast) < criterion(best, samples, 0.0)) best = law;
  }
  return best;
}

Law fitted(const Samples& samples) {
  return [curve = fit_time_curve(samples).value()](double clock) { return curve.at(Megahertz(clock)).value(); };
}

// Returns the mean relative error of the times at all clocks, each predicted from the times at the others.
double error_of(const Fit& fit, const Samples& samples) {
  double sum = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Samples others = samples;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    sum += std::abs(fit(others)(samples[i].clock.value()) / samples[i].time.value() - 1.0);
  }
  return sum / static_cast<double>(samples.size());
}

void print_recording(const ClockRecording& recording) {
  const std::vector<Fit> fits = {hyperbola, [](const Samples& samples) { return with_least(power_law, samples); },
                                 fitted};
  std::vector<double> sums(fits.size()), worst(fits.size());
  for (const RecordedKernel& kernel : recording.kernels) {
    Samples samples;
    for (const ClockRun& run : kernel.over_clocks.runs) samples.push_back({run.clock, run.time});
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const double error = error_of(fits[i], samples);
      sums[i] += error / static_cast<double>(recording.kernels.size());
      worst[i] = std::max(worst[i], error);
    }
  }
  fmt::print("| {} | {}", recording.name, recording.kernels.size());
  for (std::size_t i = 0; i < fits.size(); ++i) fmt::print(" | {:.2f}, {:.1f} %", 100.0 * sums[i], 100.0 * worst[i]);
  fmt::print(" |\n");
}

}  // namespace
}  // namespace wattune::model

int main() {
  const auto recordings = wattune::model::clock_recordings();
  if (!recordings) fmt::print(stderr, "the recorded data are not here: {}\n", recordings.error().to_string());
  if (!recordings) return 0;
  fmt::print(
      "mean error of a kernel's time at a clock, predicted from the others: mean, worst kernel\n\n"
      "| recording | kernels | a + b / f | max(c, b / f^p) | max(c, a + b / f) |\n| --- | --- | --- | --- | --- |\n");
  for (const auto& each : *recordings) wattune::model::print_recording(each);
  return 0;
}
