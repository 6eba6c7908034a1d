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

// Forecasts by pairs of kernels, corrected by the measured speeds of each kernel beside the other one of its pair.
class WATTUNE_EXPORT PairTable {
 public:
  // Weight of the newest measurement by default, 0 to 1.
  static constexpr double kDefaultWeight = 0.5;
  // Makes an empty table. A corrected speed is a mean that begins with the forecast, and `weight` is the newest
  // measurement's weight in it. Thus one run that is slow by chance does not end a good pairing. With 0 nothing
  // corrects forecasts. `objective` decides which way is the best.
  explicit PairTable(unsigned sms = 0, double weight = kDefaultWeight, const Objective& objective = {})
      : sms_(sms), weight_(weight), objective_(objective) {}

  // Stores the forecast of a pair, with all its ways, in place of an earlier one.
  void learn(KernelId first, KernelId second, const PairForecast& forecast);
  // Notes `rate`: a measured speed of `kernel` beside the other one in this shape at these clocks, divided by its speed
  // alone. The rate, divided by the forecast, corrects the forecast of this shape at all clocks. It also corrects the
  // forecasts of all shapes in which the two have not run. The rate is ignored if it is not positive and finite, or if
  // there is no forecast of this way.
  //
  // `works` is the number of whole works that ran at this speed. The first rate of whole works replaces the forecast.
  // Each later one counts by the share of its works in all works measured so far. A rate of no whole work counts by the
  // table's weight.
  void observe(KernelId kernel, KernelId beside, const PairShape& shape, double rate,
               const std::optional<backend::BoardSetting>& clocks = {}, std::size_t works = 0);
  // Notes the power of the board while the two ran. It corrects, in all ways, the power that each kernel adds to the
  // idle power. The factor is the measured added power, divided by the forecast of the added power. It is ignored if
  // power was not forecast, or if nothing was added.
  void observe_power(KernelId first, KernelId second, const PairPowers& powers);

  bool knows(KernelId first, KernelId second) const { return entries_.contains(key(first, second)); }
  // Returns the best way after corrections, in the order of the arguments and with an empty list of others; nullopt if
  // there is no forecast.
  std::optional<PairForecast> find(KernelId first, KernelId second) const;
  // Returns the best way of the two kernels at these clocks, after corrections and with an empty list of others;
  // nullopt if there is no forecast.
  std::optional<PairForecast> find(KernelId first, KernelId second, const backend::BoardSetting& clocks) const;
  // Returns the way of this shape at these clocks, after corrections and with an empty list of others; nullopt if there
  // is no forecast.
  std::optional<PairForecast> find(KernelId first, KernelId second, const PairShape& shape,
                                   const std::optional<backend::BoardSetting>& clocks) const;
  // Returns the last measured power of the two, with the forecast from before that measurement; nullopt if their power
  // was not measured.
  std::optional<PairPowers> powers(KernelId first, KernelId second) const;
  // Returns the best way and all others after corrections, with the proven way in the first element; empty if there is
  // no forecast.
  std::vector<PairForecast> ways(KernelId first, KernelId second) const;
  // Returns the proven way of the two, in the order of the arguments. Returns nullopt if there is none, or if later
  // works were slower in it by more than 5 %.
  std::optional<ProvenWay> proven(KernelId first, KernelId second) const;

 private:
  // One way as forecast, with an empty list of others and the kernel with the lower number first, and the mean
  // corrections that measurements of this way gave.
  struct Way {
    PairForecast forecast;
    std::array<std::optional<double>, 2> correction = {};
    std::array<std::size_t, 2> works = {};  // works of each kernel that were measured; `measured` is the lower number
  };
  struct Entry {
    std::vector<Way> ways;
    std::size_t best = 0;
    std::vector<std::size_t> best_at;  // the best way at each clock setting that has ways
    // Corrections for ways in which the two have not run yet, by kind: shared SMs, splits, two streams, many streams.
    // Forecasts of different kinds err differently.
    std::array<std::array<double, 2>, 4> corrections = {{{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}}};
    std::optional<double> power_correction = {};  // correction of the power that both add to the idle power
    std::optional<PairPowers> powers = {};
    std::optional<ProvenWay> proven = {};  // the kernel with the lower number first
  };

  static std::uint64_t key(KernelId first, KernelId second);
  static Way way_of(PairForecast forecast);
  // Returns the index of a way, or the number of ways if there is no such way.
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
