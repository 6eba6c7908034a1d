// PowerCurve: what power a board draws at which clock under a load that fills it, and the clock of least energy.
//
// Equations 2 and 3 of Schoonhoven et al., "Going green: optimizing GPUs for energy efficiency through model-steered
// auto-tuning", PMBS 2022, with the voltage that does not jump and a power at rest that is fitted (docs/model.md). Pure
// functions of values; any thread may call.
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

namespace wattune::model {

// P(f) = base + alpha f v(f)^2, v(f) = 1 + beta max(0, f - tau): below tau the voltage stays where it is lowest.
struct PowerCurve {
  Watts base;          // P0: what the load does not add to
  double alpha = 0.0;  // watts per megahertz at the lowest voltage
  double beta = 0.0;   // rise of the voltage per megahertz, as a share of the lowest
  Megahertz tau;       // where it begins to rise

  double voltage(Megahertz clock) const;  // as a multiple of the lowest
  Watts of_load(Megahertz clock) const;   // without the base
  Watts at(Megahertz clock) const;
  // The clock of least P(f) / f, which is the energy of a compute-bound kernel: tau if 2 alpha beta tau^2 >= P0, else
  // the root of 2 alpha beta v(f) f^2 = P0. Infinite where the voltage never rises.
  Megahertz ridge() const;
};

// Power under load at the clock that ran.
struct PowerSample {
  Megahertz clock;
  Watts power;
  bool capped = false;             // the board held the clock back; left out of fits
  std::optional<Megahertz> asked;  // what it was to be, if that is known
};

// The samples with `capped` set where it shows that the board throttled: it ran more than 1 % below what was asked for,
// or drew `limit` less at most 1 %. Marks that stand are kept.
std::vector<PowerSample> with_capped_marked(std::vector<PowerSample> samples, std::optional<Watts> limit = {});

struct ClockRange {
  Megahertz low;
  Megahertz high;
};

struct PowerFit {
  PowerCurve curve;
  Watts rmse;
  Megahertz ridge;          // of the curve, within the clocks that were sampled
  ClockRange likely_ridge;  // where it lies with about 95 % confidence
  std::size_t samples = 0;  // that were used
};

// Separable least squares in watts: for each tau and beta the best base and alpha, both at least 0, follow directly, so
// only two parameters are searched for. Samples that are capped are left out. invalid_argument: a clock or a power that
// is not positive, fewer than five clocks that are not capped, power that does not follow such a curve.
Result<PowerFit> fit_power_curve(std::span<const PowerSample> samples);

struct PowerRange {
  Watts low;
  Watts high;
};

// What power is likely at each of these clocks, with about 95 % confidence: that of all curves which explain the
// samples as well as chance allows, as for PowerFit::likely_ridge. It always holds the curve that fits best. Errors as
// above.
Result<std::vector<PowerRange>> likely_power(std::span<const PowerSample> samples, std::span<const Megahertz> clocks);

}  // namespace wattune::model
