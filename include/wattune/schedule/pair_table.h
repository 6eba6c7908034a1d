// PairTable: forecasts for each pair of kernels, corrected by measurements.
//
// It answers in a hundred nanoseconds and belongs to one thread at a time.
//
//   table.learn(fma, copy, forecast);
//   if (const auto pair = table.find(copy, fma); pair && pair->speedup() > 1.02) run_together(pair->ratio);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/schedule/forecast.h"

namespace wattune::inline v0_1::schedule {

// Mean power of the board while two kernels run together.
struct WATTUNE_EXPORT PairPowers {
  Watts forecast;
  Watts measured;
};

// Forecasts by pairs of kernels, corrected by what was measured of each kernel beside each other one.
class WATTUNE_EXPORT PairTable {
 public:
  // Weight of the newest measurement by default, 0 to 1.
  static constexpr double kDefaultWeight = 0.5;
  // Makes an empty table. `weight` is that of the newest measurement in the mean, which begins with the forecast: one
  // run that is slow by chance must not end a good pairing. With 0 nothing corrects forecasts. `objective` decides
  // which way is the best.
  explicit PairTable(unsigned sms = 0, double weight = kDefaultWeight, const Objective& objective = {})
      : sms_(sms), weight_(weight), objective_(objective) {}

  // Stores the forecast of a pair, with all its ways, in place of an earlier one.
  void learn(KernelId first, KernelId second, const PairForecast& forecast);
  // Notes a measured speed of `kernel` beside the other one in this shape at these clocks, divided by its speed alone.
  // The ratio corrects the forecast of this shape at all clocks, and those of all shapes in which the two have not run.
  // It is ignored if it is not positive and finite, or if there is no forecast of this way. `works` is the number of
  // whole works that ran at this speed. The first such speed replaces a forecast that no measurement supports; one of
  // more works than before weighs by its works.
  void observe(KernelId kernel, KernelId beside, const PairShape& shape, double rate,
               const std::optional<backend::BoardSetting>& clocks = {}, std::size_t works = 0);
  // Notes the power of the board while the two ran. The power that each adds to the idle power is corrected in all
  // ways, by the power that both added, divided by the table's forecast of it. It is ignored if power was not forecast,
  // or if nothing was added.
  void observe_power(KernelId first, KernelId second, const PairPowers& powers);

  bool knows(KernelId first, KernelId second) const { return entries_.contains(key(first, second)); }
  // Returns the best way after corrections, without others, in the order of the arguments; nullopt if there is no
  // forecast.
  std::optional<PairForecast> find(KernelId first, KernelId second) const;
  // Returns the best way at these clocks, in the same form.
  std::optional<PairForecast> find(KernelId first, KernelId second, const backend::BoardSetting& clocks) const;
  // Returns the way of this shape at these clocks, in the same form.
  std::optional<PairForecast> find(KernelId first, KernelId second, const PairShape& shape,
                                   const std::optional<backend::BoardSetting>& clocks) const;
  // Returns the power of the two as measured last, with the forecast without that measurement; nullopt if it was not
  // measured.
  std::optional<PairPowers> powers(KernelId first, KernelId second) const;
  // Returns the best way and all others after corrections, with the proven way at the first; empty if there is no
  // forecast.
  std::vector<PairForecast> ways(KernelId first, KernelId second) const;
  // Returns the proven way of the two, in the order of the arguments. Returns nullopt if there is none, or if later
  // works were slower in it by more than 5 %.
  std::optional<ProvenWay> proven(KernelId first, KernelId second) const;

 private:
  // One way as forecast, without others, the kernel with the lower number first; with the mean corrections that
  // measurements of it gave.
  struct Way {
    PairForecast forecast;
    std::array<std::optional<double>, 2> correction = {};
    std::array<std::size_t, 2> works = {};  // works of each kernel that were measured; `measured` is the lower number
  };
  struct Entry {
    std::vector<Way> ways;
    std::size_t best = 0;
    std::vector<std::size_t> best_at;  // the best way at each clock setting that has ways
    // For ways that they have not run in, of one kind each: shared SMs, splits, two streams, many streams. Forecasts of
    // different kinds err differently.
    std::array<std::array<double, 2>, 4> corrections = {{{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}}};
    std::optional<double> power_correction = {};  // of what both add to the idle power
    std::optional<PairPowers> powers = {};
    std::optional<ProvenWay> proven = {};  // the kernel with the lower number first
  };

  static std::uint64_t key(KernelId first, KernelId second);
  static Way way_of(PairForecast forecast);
  // Returns the index of a way; the number of ways if there is no such way.
  static std::size_t place_of(const Entry& entry, const PairShape& shape,
                              const std::optional<backend::BoardSetting>& clocks);
  void choose_best(Entry& entry) const;
  void choose_best_at(Entry& entry) const;
  static PairForecast corrected(const Entry& entry, const Way& way);
  PairForecast in_order(PairForecast forecast, KernelId first, KernelId second) const;

  unsigned sms_;
  double weight_;
  Objective objective_;
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace wattune::schedule
