#include "wattune/schedule/pair_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wattune::schedule {

std::uint64_t PairTable::key(KernelId first, KernelId second) {
  const auto [low, high] = std::minmax(first, second);
  return (static_cast<std::uint64_t>(low) << 32U) | high;
}

PairForecast PairTable::in_order(PairForecast forecast, KernelId first, KernelId second) const {
  if (first <= second) return forecast;
  return forecast.swapped(sms_);
}

void PairTable::learn(KernelId first, KernelId second, const PairForecast& forecast) {
  PairForecast best = in_order(forecast, first, second);
  Entry entry;
  std::vector<PairForecast> others = std::exchange(best.others, {});
  entry.ways.push_back({std::move(best)});
  for (PairForecast& other : others) entry.ways.push_back({std::move(other)});
  choose_best_at(entry);
  entries_[key(first, second)] = std::move(entry);
}

void PairTable::observe(KernelId kernel, KernelId beside, const PairShape& shape, double rate,
                        const std::optional<backend::BoardSetting>& clocks) {
  const auto known = entries_.find(key(kernel, beside));
  if (known == entries_.end() || !(rate > 0.0 && std::isfinite(rate))) return;
  Entry& entry = known->second;
  const auto has_shape = [&](const Way& each) { return in_order(each.forecast, kernel, beside).shape() == shape; };
  const auto way = std::ranges::find_if(
      entry.ways, [&](const Way& each) { return has_shape(each) && each.forecast.clocks == clocks; });
  if (way == entry.ways.end()) return;
  const std::size_t place = kernel <= beside ? 0 : 1;
  const double predicted = way->forecast.rates[place];
  if (!(predicted > 0.0)) return;
  const auto towards = [&](double mean) { return mean + weight_ * (rate / predicted - mean); };
  // Errors differ from shape to shape, but little from clock to clock.
  for (Way& each : entry.ways)
    if (has_shape(each)) each.correction[place] = towards(each.correction[place].value_or(entry.correction[place]));
  entry.correction[place] = towards(entry.correction[place]);
  for (std::size_t i = 0; i < entry.ways.size(); ++i)
    if (is_better(objective_, corrected(entry, entry.ways[i]), corrected(entry, entry.ways[entry.best])))
      entry.best = i;
  choose_best_at(entry);
}

void PairTable::choose_best_at(Entry& entry) const {
  const auto beats = [&](std::size_t one, std::size_t other) {
    return is_better(objective_, corrected(entry, entry.ways[one]), corrected(entry, entry.ways[other]));
  };
  entry.best_at.clear();
  for (std::size_t i = 0; i < entry.ways.size(); ++i) {
    const auto known = std::ranges::find(entry.best_at, entry.ways[i].forecast.clocks,
                                         [&](std::size_t place) { return entry.ways[place].forecast.clocks; });
    if (known == entry.best_at.end())
      entry.best_at.push_back(i);
    else if (beats(i, *known))
      *known = i;
  }
}

PairForecast PairTable::corrected(const Entry& entry, const Way& way) {
  PairForecast forecast = way.forecast;
  for (std::size_t i = 0; i < 2; ++i) forecast.rates[i] *= way.correction[i].value_or(entry.correction[i]);
  return forecast;
}

std::optional<PairForecast> PairTable::find(KernelId first, KernelId second) const {
  const auto known = entries_.find(key(first, second));
  if (known == entries_.end()) return std::nullopt;
  const Entry& entry = known->second;
  return in_order(corrected(entry, entry.ways[entry.best]), first, second);
}

std::optional<PairForecast> PairTable::find(KernelId first, KernelId second,
                                            const backend::BoardSetting& clocks) const {
  const auto known = entries_.find(key(first, second));
  if (known == entries_.end()) return std::nullopt;
  const Entry& entry = known->second;
  for (const std::size_t place : entry.best_at)
    if (entry.ways[place].forecast.clocks == clocks)
      return in_order(corrected(entry, entry.ways[place]), first, second);
  return std::nullopt;
}

std::optional<PairForecast> PairTable::find(KernelId first, KernelId second, const PairShape& shape,
                                            const std::optional<backend::BoardSetting>& clocks) const {
  const auto known = entries_.find(key(first, second));
  if (known == entries_.end()) return std::nullopt;
  const PairShape in_table =
      first <= second ? shape : PairForecast{shape.ratio, shape.sms_of_first, shape.whole}.swapped(sms_).shape();
  const auto way = std::ranges::find_if(known->second.ways, [&](const Way& each) {
    return each.forecast.shape() == in_table && each.forecast.clocks == clocks;
  });
  if (way == known->second.ways.end()) return std::nullopt;
  return in_order(corrected(known->second, *way), first, second);
}

std::vector<PairForecast> PairTable::ways(KernelId first, KernelId second) const {
  const auto known = entries_.find(key(first, second));
  if (known == entries_.end()) return {};
  std::vector<PairForecast> all;
  for (const Way& way : known->second.ways) all.push_back(in_order(corrected(known->second, way), first, second));
  std::swap(all.front(), all[known->second.best]);
  return all;
}

}  // namespace wattune::schedule
