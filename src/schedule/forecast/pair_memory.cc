#include "schedule/forecast/pair_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

#include "core/cache_folder.h"
#include "core/logging.h"
#include "core/own_rights.h"
#include "store/interface/files.h"
#include "store/interface/sealed_file.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::schedule {

namespace {

using store::Json;

constexpr store::FileKind kPairsKind{.what = "file of pairs", .member = "wattune_pair", .version = 1};

// Upper bounds of values, more than any device has.
constexpr std::uint64_t kMostSmsOfPair = 1U << 16U;
constexpr std::uint64_t kMostBlocksOnSm = 64;
constexpr std::uint64_t kMostPairWorks = std::uint64_t{1} << 40U;
constexpr double kMostPairSpeed = 1e3;

std::string hash_of(const Identity& identity) {
  std::string text;
  for (const auto& [part, value] : identity) text += part + '\0' + value + '\0';
  return content_hash(text);
}

Json way_json(const PairForecast& way) {
  return {{"ratio", {way.ratio.first, way.ratio.second}},
          {"sms_of_first", way.sms_of_first ? Json(*way.sms_of_first) : Json()},
          {"whole", way.whole},
          {"speeds", {way.rates[0], way.rates[1]}},
          {"works", way.measured}};
}

PairForecast way_from(const Json& json) {
  PairForecast way{.whole = store::flag_member(json, "whole")};
  const Json& ratio = store::array_member(json, "ratio", 2, 2);
  way.ratio = {static_cast<unsigned>(store::count_within(ratio[0], "ratio", 0, kMostBlocksOnSm)),
               static_cast<unsigned>(store::count_within(ratio[1], "ratio", 0, kMostBlocksOnSm))};
  if (const Json& sms = store::member(json, "sms_of_first"); !sms.is_null())
    way.sms_of_first = static_cast<unsigned>(store::count_within(sms, "sms_of_first", 1, kMostSmsOfPair));
  const Json& speeds = store::array_member(json, "speeds", 2, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    way.rates[i] = store::number_within(speeds[i], "speeds", 0.0, kMostPairSpeed);
    if (!(way.rates[i] > 0.0)) throw store::Malformed("`speeds` must be above 0");
  }
  way.measured = store::count_within(store::member(json, "works"), "works", 1, kMostPairWorks);
  return way;
}

std::vector<PairForecast> all_ways(PairForecast forecast) {
  std::vector<PairForecast> ways = std::exchange(forecast.others, {});
  ways.insert(ways.begin(), std::move(forecast));
  return ways;
}

}  // namespace

PairForecast completed(PairForecast measured, PairForecast forecast) {
  std::vector<PairForecast> ways = all_ways(std::move(measured));
  for (PairForecast& way : all_ways(std::move(forecast)))
    if (way.speedup() > 0.0 && std::ranges::find(ways, way.shape(), &PairForecast::shape) == ways.end())
      ways.push_back(std::move(way));
  return best_of({}, std::move(ways));
}

std::filesystem::path usual_pairs_file() {
  const std::filesystem::path folder = user_cache_folder();
  return folder.empty() ? folder : folder / "pairs.jsonl";
}

void PairMemory::add(Pairs& pairs, const Key& key, const std::vector<PairForecast>& ways) {
  std::vector<PairForecast>& known = pairs[key];
  for (const PairForecast& way : ways) {
    const auto same = std::ranges::find(known, way.shape(), &PairForecast::shape);
    if (same == known.end())
      known.push_back(way);
    else
      *same = way;
  }
}

Result<PairMemory::Pairs> PairMemory::read(const std::filesystem::path& file) {
  Pairs pairs;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return pairs;
  WATTUNE_ASSIGN(const std::string text, store::read_regular_file(file));
  WATTUNE_TRY(store::read_sealed(text, file, kPairsKind, [&](const Json& line) {
    const Json& kernels = store::array_member(line, "kernels", 2, 2);
    if (!kernels[0].is_string() || !kernels[1].is_string()) throw store::Malformed("`kernels` must hold texts");
    std::vector<PairForecast> ways;
    for (const Json& way : store::array_member(line, "ways")) ways.push_back(way_from(way));
    add(pairs, key_of(kernels[0].get<std::string>(), kernels[1].get<std::string>()), ways);
  }));
  return pairs;
}

PairMemory::Key PairMemory::key_of(const std::string& first, const std::string& second) {
  return {std::min(first, second), std::max(first, second)};
}

PairMemory::PairMemory(std::filesystem::path file) : file_(std::move(file)) {
  if (file_.empty()) return;
  if (auto known = read(file_))
    pairs_ = *std::move(known);
  else
    log_warning("what pairs of kernels gained is not used: {}", known.error().to_string());
}

std::optional<PairForecast> PairMemory::find(const Identity& first, const Identity& second, unsigned sms) const {
  const std::string of_first = hash_of(first);
  const std::string of_second = hash_of(second);
  const auto known = pairs_.find(key_of(of_first, of_second));
  if (known == pairs_.end() || known->second.empty()) return std::nullopt;
  const PairForecast best = best_of({}, known->second);
  return of_first <= of_second ? best : best.swapped(sms);
}

void PairMemory::note(const Identity& first, const Identity& second, unsigned sms,
                      const std::vector<PairForecast>& ways) {
  const std::string of_first = hash_of(first);
  const std::string of_second = hash_of(second);
  std::vector<PairForecast> measured;
  for (const PairForecast& way : ways) {
    if (way.measured == 0 || way.clocks || !(std::min(way.rates[0], way.rates[1]) > 0.0)) continue;
    measured.push_back(of_first <= of_second ? way : way.swapped(sms));
    measured.back().others.clear();
    measured.back().watts.reset();
  }
  if (file_.empty() || measured.empty()) return;
  const Key key = key_of(of_first, of_second);
  add(pairs_, key, measured);
  add(noted_, key, measured);
}

Result<void> PairMemory::save() {
  if (noted_.empty()) return {};
  constexpr mode_t kOurs = 0700;
  WATTUNE_TRY(make_folders(file_.parent_path(), kOurs));
  WATTUNE_TRY(check_trusted(file_.parent_path()));
  WATTUNE_ASSIGN(Pairs all, read(file_));
  for (const auto& [key, ways] : noted_) add(all, key, ways);
  std::string text;
  for (const auto& [key, ways] : all) {
    Json json_ways = Json::array();
    for (const PairForecast& way : ways) json_ways.push_back(way_json(way));
    text += store::sealed_record(kPairsKind, {{"kernels", {key[0], key[1]}}, {"ways", std::move(json_ways)}});
  }
  WATTUNE_TRY(store::write_file(file_, text, true));
  noted_.clear();
  return {};
}

}  // namespace wattune::schedule
