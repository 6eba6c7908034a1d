#include "model/curve_search.h"

#include <algorithm>
#include <cmath>

#include "model/minimum.h"

namespace wattune::inline v0_1::model {

namespace {

constexpr int kTaus = 120;
constexpr int kRises = 16;
constexpr double kLeastRise = 1e-4;
constexpr double kMostRise = 3.0;  // relative rise of the voltage at the highest clock, above that of any board

double rise_at(double step) { return kLeastRise * std::pow(kMostRise / kLeastRise, step / kRises); }

}  // namespace

CurveSearch::CurveSearch(std::span<const PowerSample> samples, Noise noise) : samples_(samples), noise_(noise) {
  std::vector<double> clocks;
  for (const PowerSample& sample : samples) clocks.push_back(sample.clock.value());
  std::ranges::sort(clocks);
  clocks.erase(std::unique(clocks.begin(), clocks.end()), clocks.end());
  lowest_ = clocks.front();
  highest_ = clocks.back();
  last_tau_ = clocks[clocks.size() - 2];
}

double CurveSearch::weight_of(const PowerSample& sample) const {
  return noise_ == Noise::alike ? 1.0 : 1.0 / (sample.power.value() * sample.power.value());
}

// Collects pairs for a line: for each sample its power, and the power of the curve's load with an alpha of 1.
NonnegativeLine CurveSearch::line_at(const PowerCurve& shape) const {
  NonnegativeLine line;
  for (const PowerSample& sample : samples_)
    line.add(shape.of_load(sample.clock).value(), sample.power.value(), weight_of(sample));
  return line;
}

Candidate CurveSearch::at(double tau, double rise) const {
  PowerCurve curve{.alpha = 1.0, .beta = rise / (highest_ - tau), .tau = Megahertz(tau)};
  const NonnegativeLine line = line_at(curve);
  const NonnegativeLine::Solution solution = line.solve();
  curve.base = Watts(solution.base);
  curve.alpha = solution.slope;
  return {curve, line.squares(solution)};
}

Candidate CurveSearch::best_at(double tau) const {
  const auto error = [&](double step) { return at(tau, rise_at(step)).squares; };
  const Candidate risen = at(tau, rise_at(minimum_on_grid(error, 0.0, kRises, kRises)));
  const Candidate straight = at(tau, 0.0);
  return straight.squares <= risen.squares ? straight : risen;
}

Candidate CurveSearch::best() const {
  return best_at(minimum_on_grid([&](double tau) { return best_at(tau).squares; }, lowest_, last_tau_, kTaus));
}

Megahertz CurveSearch::within_samples(Megahertz clock) const {
  return std::clamp(clock, Megahertz(lowest_), Megahertz(highest_));
}

double CurveSearch::rise_of(const Candidate& candidate) const {
  return candidate.curve.beta * (highest_ - candidate.curve.tau.value());
}

// Returns, for one tau, three curves: those with the smallest and with the largest rise of the voltage whose squared
// error is at most `squares`, and the best one.
std::vector<Candidate> CurveSearch::rises_within(double tau, double squares) const {
  const double best = rise_of(best_at(tau));
  const auto good = [&](double rise) { return at(tau, rise).squares <= squares; };
  return {at(tau, last_where(good, best, 0.0)), at(tau, best), at(tau, last_where(good, best, kMostRise))};
}

std::vector<double> CurveSearch::taus_within(const Candidate& best, double squares) const {
  const auto good = [&](double tau) { return best_at(tau).squares <= squares; };
  std::vector<double> taus = {best.curve.tau.value()};
  for (int i = 0; i <= kTaus; ++i)
    if (const double tau = lowest_ + (last_tau_ - lowest_) * i / kTaus; good(tau)) taus.push_back(tau);
  const double step = (last_tau_ - lowest_) / kTaus;
  const auto [low, high] = std::ranges::minmax(taus);
  taus.push_back(last_where(good, low, std::max(lowest_, low - step)));
  taus.push_back(last_where(good, high, std::min(last_tau_, high + step)));
  return taus;
}

ClockRange CurveSearch::ridges_within(const Candidate& best, double squares) const {
  const Megahertz least = within_samples(best.curve.ridge());
  ClockRange range{least, least};
  for (const double tau : taus_within(best, squares))
    for (const Candidate& each : rises_within(tau, squares)) {
      const Megahertz ridge = within_samples(each.curve.ridge());
      range = {std::min(range.low, ridge), std::max(range.high, ridge)};
    }
  // If tau may be that high, it may also be higher, since a higher one fits the only sample above it as well.
  if (best_at(last_tau_).squares <= squares) range.high = Megahertz(highest_);
  return range;
}

// Widens the range of each curve: base and alpha may also deviate from their best values, as far as `squares` permits.
std::vector<PowerRange> CurveSearch::powers_within(const Candidate& best, double squares,
                                                   std::span<const Megahertz> clocks) const {
  std::vector<PowerRange> ranges;
  for (const Megahertz clock : clocks) ranges.push_back({best.curve.at(clock), best.curve.at(clock)});
  for (const double tau : taus_within(best, squares))
    for (const auto& [curve, own] : rises_within(tau, squares)) {
      const PowerCurve shape{.alpha = 1.0, .beta = curve.beta, .tau = curve.tau};
      const NonnegativeLine line = line_at(shape);
      for (std::size_t i = 0; i < clocks.size(); ++i) {
        const double room = std::max(0.0, squares - own) * line.leverage(shape.of_load(clocks[i]).value());
        const Watts power = curve.at(clocks[i]), width(std::sqrt(room));
        ranges[i] = {std::min(ranges[i].low, power - width), std::max(ranges[i].high, power + width)};
      }
    }
  return ranges;
}

}  // namespace wattune::model
