// PowerCurve is the power of a board as a function of the clock, under a load that fills the board. It gives the clock
// of least energy.
//
// The curve follows equations 2 and 3 of Schoonhoven et al., "Going green: optimizing GPUs for energy efficiency
// through model-steered auto-tuning", PMBS 2022. In contrast to the paper, the voltage does not jump and the power at
// rest is fitted (docs/model.md). All functions are pure functions of values, and any thread may call them.
//
//   const auto fit = model::fit_power_curve(model::with_capped_marked(readings, limit));
//   if (!fit) return fit.error();
//   const auto clocks = model::steered_clocks(fit->ridge, table);   // steered_clocks.h
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::model {

// The curve P(f) = base + alpha f v(f)^2, v(f) = 1 + beta max(0, f - tau). Up to tau the voltage is the lowest.
struct PowerCurve {
  Watts base;          // P0: the part that the load does not change
  double alpha = 0.0;  // watts per megahertz, at the lowest voltage
  double beta = 0.0;   // rise of the voltage per megahertz, as a share of the lowest
  Megahertz tau;       // the clock from which the voltage rises

  double voltage(Megahertz clock) const;  // voltage as a multiple of the lowest one
  Watts of_load(Megahertz clock) const;   // the part of the power that the load causes
  Watts at(Megahertz clock) const;
  // Returns the clock of least P(f) / f, which is the energy of a compute-bound kernel. This clock is tau if 2 alpha
  // beta tau^2 >= P0, and otherwise the root of 2 alpha beta v(f) f^2 = P0. It is infinite if the voltage never rises.
  Megahertz ridge() const;
};

// The power under load, and the clock that the board ran at.
struct PowerSample {
  Megahertz clock;
  Watts power;
  bool capped = false;             // true if the board ran at a lower clock than requested; fits leave the sample out
  std::optional<Megahertz> asked;  // the clock that was requested, if known
};

// Returns the samples, with `capped` set in those at which the board was throttled: its clock was more than 1 % below
// the requested one, or its power was at least 99 % of `limit`. Existing marks are kept.
std::vector<PowerSample> with_capped_marked(std::vector<PowerSample> samples, std::optional<Watts> limit = {});

struct ClockRange {
  Megahertz low;
  Megahertz high;
};

struct PowerFit {
  PowerCurve curve;
  Watts rmse;
  Megahertz ridge;          // ridge of the curve, limited to the sampled clocks
  ClockRange likely_ridge;  // range of the ridge with about 95 % confidence
  std::size_t samples = 0;  // number of samples used
};

// Fits a curve by separable least squares in watts. For each tau and beta the best base and alpha, both at least 0,
// follow directly, so only two parameters are searched for. Capped samples are left out. Fails with invalid_argument if
// a clock or a power is not positive, if fewer than five clocks are not capped, or if the power does not follow such a
// curve.
Result<PowerFit> fit_power_curve(std::span<const PowerSample> samples);

struct PowerRange {
  Watts low;
  Watts high;
};

// Returns the range of the power at each of these clocks, with about 95 % confidence. The range covers all curves that
// explain the samples as well as chance allows, as PowerFit::likely_ridge does. It always covers the best fit. Fails as
// fit_power_curve() does.
Result<std::vector<PowerRange>> likely_power(std::span<const PowerSample> samples, std::span<const Megahertz> clocks);

}  // namespace wattune::model
