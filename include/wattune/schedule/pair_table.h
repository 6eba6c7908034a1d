// PairTable: what is expected of each pair of kernels, and what measurements say of that.
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

#include "wattune/schedule/forecast.h"

namespace wattune::schedule {

// Of the board by mean, while two kernels run together.
struct PairPowers {
  Watts forecast;
  Watts measured;
};

// Forecasts by pairs of kernels, corrected by what was measured of each kernel beside each other one.
class PairTable {
 public:
  static constexpr double kWeight = 0.5;
  // `weight` is that of the newest measurement in the mean, in which the forecast is what was there first: one that
  // happened to be slow must not part a pair that fits. The best way is that for the objective.
  explicit PairTable(unsigned sms = 0, double weight = kWeight, const Objective& objective = {})
      : sms_(sms), weight_(weight), objective_(objective) {}

  void learn(KernelId first, KernelId second, const PairForecast& forecast);
  // The speed of this kernel beside that one in this shape at these clocks, over its speed alone. It corrects the
  // forecast of this shape at all clocks, and those of all shapes that the two have not run in. Ignored where it cannot
  // be or there is no forecast of it.
  void observe(KernelId kernel, KernelId beside, const PairShape& shape, double rate,
               const std::optional<backend::BoardSetting>& clocks = {});
  // What the board drew while the two ran. What each adds to the idle power is corrected in all ways by what both did
  // add over what they were forecast to by this table. Ignored where power was not forecast, or nothing was added.
  void observe_power(KernelId first, KernelId second, const PairPowers& powers);

  bool knows(KernelId first, KernelId second) const { return entries_.contains(key(first, second)); }
  // The best as corrected, without others, in the order of the arguments; none where there is no forecast.
  std::optional<PairForecast> find(KernelId first, KernelId second) const;
  // The same of those at these clocks.
  std::optional<PairForecast> find(KernelId first, KernelId second, const backend::BoardSetting& clocks) const;
  // That of the two in this shape at these clocks, likewise.
  std::optional<PairForecast> find(KernelId first, KernelId second, const PairShape& shape,
                                   const std::optional<backend::BoardSetting>& clocks) const;
  // Of the two as it was measured last, and what would have been forecast without that; none: it was not.
  std::optional<PairPowers> powers(KernelId first, KernelId second) const;
  // The best and all others, likewise; empty where there is no forecast.
  std::vector<PairForecast> ways(KernelId first, KernelId second) const;

 private:
  // As predicted, without others, the kernel with the lower number first; what measurements were of it, as means.
  struct Way {
    PairForecast forecast;
    std::array<std::optional<double>, 2> correction = {};
  };
  struct Entry {
    std::vector<Way> ways;
    std::size_t best = 0;
    std::vector<std::size_t> best_at;               // the same at each clocks that ways are for
    std::array<double, 2> correction = {1.0, 1.0};  // of ways that they have not run in
    std::optional<double> power_correction = {};    // of what both add
    std::optional<PairPowers> powers = {};
  };

  static std::uint64_t key(KernelId first, KernelId second);
  // Of a way; as many as there are: there is none.
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
