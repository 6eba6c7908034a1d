#include "model/curve_search.h"

#include <algorithm>
#include <cmath>

#include "model/minimum.h"
#include "model/nonnegative_line.h"

namespace wattune::model {

namespace {

constexpr int kTaus = 120;
constexpr int kRises = 16;
constexpr double kLeastRise = 1e-4;
constexpr double kMostRise = 3.0;  // the voltage at the highest clock is four times the lowest: more than any board has

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

Candidate CurveSearch::at(double tau, double rise) const {
  PowerCurve curve{.alpha = 1.0, .beta = rise / (highest_ - tau), .tau = Megahertz(tau)};
  NonnegativeLine line;
  for (const PowerSample& sample : samples_)
    line.add(curve.at(sample.clock).value(), sample.power.value(), weight_of(sample));
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

// At one tau: of the best rise, and of the least and the largest that are good enough.
void CurveSearch::add_ridges(double tau, double squares, ClockRange& range) const {
  const double best = rise_of(best_at(tau));
  const auto good = [&](double rise) { return at(tau, rise).squares <= squares; };
  for (const double rise : {last_where(good, best, 0.0), best, last_where(good, best, kMostRise)}) {
    const Megahertz ridge = within_samples(at(tau, rise).curve.ridge());
    range = {std::min(range.low, ridge), std::max(range.high, ridge)};
  }
}

ClockRange CurveSearch::ridges_within(const Candidate& best, double squares) const {
  const auto good = [&](double tau) { return best_at(tau).squares <= squares; };
  std::vector<double> taus = {best.curve.tau.value()};
  for (int i = 0; i <= kTaus; ++i)
    if (const double tau = lowest_ + (last_tau_ - lowest_) * i / kTaus; good(tau)) taus.push_back(tau);
  const double step = (last_tau_ - lowest_) / kTaus;
  const auto [low, high] = std::ranges::minmax(taus);
  taus.push_back(last_where(good, low, std::max(lowest_, low - step)));
  taus.push_back(last_where(good, high, std::min(last_tau_, high + step)));
  const Megahertz ridge = within_samples(best.curve.ridge());
  ClockRange range{ridge, ridge};
  for (const double tau : taus) add_ridges(tau, squares, range);
  if (good(last_tau_)) range.high = Megahertz(highest_);  // a later rise fits the one sample above as well
  return range;
}

}  // namespace wattune::model
