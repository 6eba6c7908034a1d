#include "wattune/schedule/pair_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kLeastWeight = 0.125;  // of a work among those that were measured before it in the same way

// Returns the shape in the order of the table, whose first kernel has the lower number.
PairShape in_table(const PairShape& shape, KernelId first, KernelId second, unsigned sms) {
  return first <= second ? shape : shape.swapped(sms);
}

// Returns the index of the corrections for ways of this shape.
std::size_t kind_of(const PairShape& shape) {
  if (!shape.whole) return 0;
  if (shape.sms_of_first) return 1;
  return shape.is_in_streams() ? 2 : 3;
}

}  // namespace

std::uint64_t PairTable::key(KernelId first, KernelId second) {
  const auto [low, high] = std::minmax(first, second);
  return (static_cast<std::uint64_t>(low) << 32U) | high;
}

PairForecast PairTable::in_order(PairForecast forecast, KernelId first, KernelId second) const {
  if (first <= second) return forecast;
  return forecast.swapped(sms_);
}

PairTable::Way PairTable::way_of(PairForecast forecast) {
  const std::size_t works = forecast.measured;
  Way way{.forecast = std::move(forecast), .works = {works, works}};
  // Speeds that works have shown are not corrected by measurements of other ways.
  if (works > 0) way.correction = {1.0, 1.0};
  return way;
}

void PairTable::learn(KernelId first, KernelId second, const PairForecast& forecast) {
  PairForecast best = in_order(forecast, first, second);
  Entry entry;
  std::vector<PairForecast> others = std::exchange(best.others, {});
  entry.proven = std::exchange(best.proven, {});
  entry.ways.push_back(way_of(std::move(best)));
  for (PairForecast& other : others) entry.ways.push_back(way_of(std::move(other)));
  choose_best_at(entry);
  entries_[key(first, second)] = std::move(entry);
}

std::size_t PairTable::place_of(const Entry& entry, const PairShape& shape,
                                const std::optional<backend::BoardSetting>& clocks) {
  const auto way = std::ranges::find_if(
      entry.ways, [&](const Way& each) { return each.forecast.shape() == shape && each.forecast.clocks == clocks; });
  return static_cast<std::size_t>(way - entry.ways.begin());
}

void PairTable::observe(KernelId kernel, KernelId beside, const PairShape& shape, double rate,
                        const std::optional<backend::BoardSetting>& clocks, std::size_t works) {
  const auto known = entries_.find(key(kernel, beside));
  if (weight_ == 0.0 || known == entries_.end() || !(rate > 0.0 && std::isfinite(rate))) return;
  Entry& entry = known->second;
  const PairShape shape_in_table = in_table(shape, kernel, beside, sms_);
  const std::size_t measured = place_of(entry, shape_in_table, clocks);
  if (measured == entry.ways.size()) return;
  const std::size_t place = kernel <= beside ? 0 : 1;
  const double predicted = entry.ways[measured].forecast.rates[place];
  if (!(predicted > 0.0)) return;
  double& of_kind = entry.corrections[kind_of(shape_in_table)][place];
  const auto towards = [&](double mean, double weight) { return mean + weight * (rate / predicted - mean); };
  // The forecast error depends on the shape, but little on the clocks, so ways at all clocks get the correction.
  for (Way& each : entry.ways) {
    if (each.forecast.shape() != shape_in_table) continue;
    const bool is_first = works > 0 && each.works[place] == 0;
    // The rate of works is the mean over the last ones, because single works vary. A rate of a part of a work has a
    // weight of its own.
    const auto so_far = static_cast<double>(each.works[place]);
    const double weight =
        works == 0 ? weight_
                   : std::max(kLeastWeight, static_cast<double>(works) / (static_cast<double>(works) + so_far));
    each.correction[place] = is_first ? rate / predicted : towards(each.correction[place].value_or(of_kind), weight);
    each.works[place] += works;
  }
  of_kind = towards(of_kind, weight_);
  choose_best(entry);
}

void PairTable::observe_power(KernelId first, KernelId second, const PairPowers& powers) {
  const auto known = entries_.find(key(first, second));
  if (weight_ == 0.0 || known == entries_.end()) return;
  Entry& entry = known->second;
  const std::optional<PairWatts>& watts = entry.ways.front().forecast.watts;
  if (!watts) return;
  const Watts idle = watts->idle;
  const Watts forecast = powers.forecast - idle;
  const Watts measured = powers.measured - idle;
  if (!(forecast > Watts(0) && measured > Watts(0))) return;
  const double before = entry.power_correction.value_or(1.0);
  entry.powers = PairPowers{idle + forecast / before, powers.measured};
  entry.power_correction = before * (measured / forecast);
  choose_best(entry);
}

void PairTable::choose_best(Entry& entry) const {
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
  const std::array<double, 2>& of_kind = entry.corrections[kind_of(forecast.shape())];
  for (std::size_t i = 0; i < 2; ++i) forecast.rates[i] *= way.correction[i].value_or(of_kind[i]);
  forecast.observed = {way.works[0] - forecast.measured, way.works[1] - forecast.measured};
  forecast.measured = std::min(way.works[0], way.works[1]);
  if (forecast.watts)
    for (Watts& added : forecast.watts->added) added = entry.power_correction.value_or(1.0) * added;
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
  const Entry& entry = known->second;
  const std::size_t place = place_of(entry, in_table(shape, first, second, sms_), clocks);
  if (place == entry.ways.size()) return std::nullopt;
  return in_order(corrected(entry, entry.ways[place]), first, second);
}

std::optional<PairPowers> PairTable::powers(KernelId first, KernelId second) const {
  const auto known = entries_.find(key(first, second));
  return known == entries_.end() ? std::nullopt : known->second.powers;
}

std::vector<PairForecast> PairTable::ways(KernelId first, KernelId second) const {
  const auto known = entries_.find(key(first, second));
  if (known == entries_.end()) return {};
  std::vector<PairForecast> all;
  for (const Way& way : known->second.ways) all.push_back(in_order(corrected(known->second, way), first, second));
  std::swap(all.front(), all[known->second.best]);
  all.front().proven = proven(first, second);
  return all;
}

std::optional<ProvenWay> PairTable::proven(KernelId first, KernelId second) const {
  constexpr double kLeastOfProof = 0.95;  // a way stays proven at this share of its proven speed, or more
  const auto known = entries_.find(key(first, second));
  if (known == entries_.end() || !known->second.proven) return std::nullopt;
  const Entry& entry = known->second;
  ProvenWay way = *entry.proven;
  if (way.shape.is_together()) {
    const std::size_t place = place_of(entry, way.shape, {});
    if (place == entry.ways.size()) return std::nullopt;
    if (corrected(entry, entry.ways[place]).speedup() < kLeastOfProof * way.speedup) return std::nullopt;
  }
  if (first > second) way = ProvenWay{way.shape.swapped(sms_), {way.works[1], way.works[0]}, way.speedup};
  return way;
}

}  // namespace wattune::schedule
