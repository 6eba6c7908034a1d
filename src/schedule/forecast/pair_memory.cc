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

// Upper bounds for values in the file, larger than on any device.
constexpr std::uint64_t kMostSmsOfPair = 1U << 16U;
constexpr std::uint64_t kMostBlocksOnSm = 64;
constexpr std::uint64_t kMostPairWorks = std::uint64_t{1} << 40U;
constexpr double kMostPairSpeed = 1e3;

std::string hash_of(const Identity& identity) {
  std::string text;
  for (const auto& [part, value] : identity) {
    for (const std::string& each : {part, value}) {
      text += each;
      text += '\0';
    }
  }
  return content_hash(text);
}

Json urgent_json(const PairShape& shape) { return shape.urgent ? Json(*shape.urgent) : Json(); }

std::optional<std::size_t> urgent_from(const Json& json) {
  const Json& urgent = store::member(json, "urgent");
  return urgent.is_null() ? std::nullopt : std::optional(store::count_within(urgent, "urgent", 0, 1));
}

Json shape_json(const PairShape& shape) {
  return {{"ratio", {shape.ratio.first, shape.ratio.second}},
          {"sms_of_first", shape.sms_of_first ? Json(*shape.sms_of_first) : Json()},
          {"whole", shape.whole}};
}

PairShape shape_from(const Json& json) {
  PairShape shape{.whole = store::flag_member(json, "whole")};
  const Json& ratio = store::array_member(json, "ratio", 2, 2);
  shape.ratio = {static_cast<unsigned>(store::count_within(ratio[0], "ratio", 0, kMostBlocksOnSm)),
                 static_cast<unsigned>(store::count_within(ratio[1], "ratio", 0, kMostBlocksOnSm))};
  if (const Json& sms = store::member(json, "sms_of_first"); !sms.is_null())
    shape.sms_of_first = static_cast<unsigned>(store::count_within(sms, "sms_of_first", 1, kMostSmsOfPair));
  return shape;
}

// The members of a line that list ways.
constexpr const char* kOtherWays = "ways";
constexpr const char* kTwoStreams = "streams";
constexpr const char* kManyStreams = "many_streams";

std::string_view list_of(const PairForecast& way) {
  if (way.many_streams) return kManyStreams;
  return way.shape().is_in_streams() ? kTwoStreams : kOtherWays;
}

Json way_json(const PairForecast& way) {
  Json json = Json::object();
  if (list_of(way) != kOtherWays)
    json["urgent"] = urgent_json(way.shape());
  else
    json = shape_json(way.shape());
  json["speeds"] = {way.rates[0], way.rates[1]};
  json["works"] = way.measured;
  return json;
}

PairForecast way_from(const Json& json, const PairShape& shape) {
  if (!shape.is_together()) throw store::Malformed("a way needs a ratio, SMs or whole kernels");
  PairForecast way{.ratio = shape.ratio,
                   .sms_of_first = shape.sms_of_first,
                   .whole = shape.whole,
                   .urgent = shape.urgent,
                   .many_streams = shape.many_streams};
  const Json& speeds = store::array_member(json, "speeds", 2, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    way.rates[i] = store::number_within(speeds[i], "speeds", 0.0, kMostPairSpeed);
    if (!(way.rates[i] > 0.0)) throw store::Malformed("`speeds` must be above 0");
  }
  way.measured = store::count_within(store::member(json, "works"), "works", 1, kMostPairWorks);
  return way;
}

Json proven_json(const ProvenWay& proven) {
  Json json = shape_json(proven.shape);
  json["urgent"] = urgent_json(proven.shape);
  json["many_streams"] = proven.shape.many_streams;
  json["works"] = {proven.works[0], proven.works[1]};
  json["speedup"] = proven.speedup;
  return json;
}

ProvenWay proven_from(const Json& json) {
  ProvenWay proven{.shape = shape_from(json)};
  proven.shape.urgent = urgent_from(json);
  if (store::find_member(json, "many_streams") != nullptr)
    proven.shape.many_streams = store::flag_member(json, "many_streams");
  if (proven.shape.many_streams && (!proven.shape.whole || proven.shape.sms_of_first))
    throw store::Malformed("`many_streams` is for whole kernels on all SMs only");
  if (proven.shape.urgent && !(proven.shape.whole && !proven.shape.sms_of_first))
    throw store::Malformed("`urgent` is for streams only");
  const Json& works = store::array_member(json, "works", 2, 2);
  for (std::size_t i = 0; i < 2; ++i) proven.works[i] = store::count_within(works[i], "works", 1, kMostPairWorks);
  proven.speedup = store::number_within(store::member(json, "speedup"), "speedup", 0.0, 2.0 * kMostPairSpeed);
  return proven;
}

std::vector<PairForecast> all_ways(PairForecast forecast) {
  std::vector<PairForecast> ways = std::exchange(forecast.others, {});
  ways.insert(ways.begin(), std::move(forecast));
  return ways;
}

}  // namespace

PairForecast completed(PairForecast measured, PairForecast forecast) {
  const std::optional<ProvenWay> proven = std::exchange(measured.proven, {});
  std::vector<PairForecast> ways = all_ways(std::move(measured));
  for (PairForecast& way : all_ways(std::move(forecast)))
    if (way.speedup() > 0.0 && std::ranges::find(ways, way.shape(), &PairForecast::shape) == ways.end())
      ways.push_back(std::move(way));
  PairForecast best = best_of({}, std::move(ways));
  best.proven = proven;
  return best;
}

std::filesystem::path usual_pairs_file() {
  const std::filesystem::path folder = user_cache_folder();
  return folder.empty() ? folder : folder / "pairs.jsonl";
}

void PairMemory::add(Pairs& pairs, const Key& key, const Known& known) {
  Known& all = pairs[key];
  all.proven = known.proven;
  for (const PairForecast& way : known.ways) {
    const auto same = std::ranges::find(all.ways, way.shape(), &PairForecast::shape);
    if (same == all.ways.end())
      all.ways.push_back(way);
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
    Known known;
    for (const Json& way : store::array_member(line, "ways")) known.ways.push_back(way_from(way, shape_from(way)));
    // Lines of older versions lack the members that are read below.
    for (const char* const list : {kTwoStreams, kManyStreams})
      if (store::find_member(line, list) != nullptr)
        for (const Json& way : store::array_member(line, list))
          known.ways.push_back(
              way_from(way, {.whole = true, .urgent = urgent_from(way), .many_streams = list == kManyStreams}));
    if (store::find_member(line, "proven") != nullptr) known.proven = proven_from(store::object_member(line, "proven"));
    add(pairs, key_of(kernels[0].get<std::string>(), kernels[1].get<std::string>()), known);
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
    log_warning("the gains of pairs that were measured earlier are not used: {}", known.error().to_string());
}

std::optional<PairForecast> PairMemory::find(const Identity& first, const Identity& second, unsigned sms) const {
  const std::string of_first = hash_of(first);
  const std::string of_second = hash_of(second);
  const auto known = pairs_.find(key_of(of_first, of_second));
  if (known == pairs_.end() || known->second.ways.empty()) return std::nullopt;
  PairForecast best = best_of({}, known->second.ways);
  best.proven = known->second.proven;
  return of_first <= of_second ? best : best.swapped(sms);
}

void PairMemory::note(const Identity& first, const Identity& second, unsigned sms,
                      const std::vector<PairForecast>& ways) {
  const std::string of_first = hash_of(first);
  const std::string of_second = hash_of(second);
  Known measured;
  if (!ways.empty() && ways.front().proven)
    measured.proven = of_first <= of_second ? ways.front().proven : ways.front().swapped(sms).proven;
  for (const PairForecast& way : ways) {
    if (way.measured == 0 || way.clocks || !(std::min(way.rates[0], way.rates[1]) > 0.0)) continue;
    PairForecast& noted = measured.ways.emplace_back(of_first <= of_second ? way : way.swapped(sms));
    noted.others.clear();
    noted.watts.reset();
    noted.proven.reset();
  }
  if (file_.empty() || measured.ways.empty()) return;
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
  for (const auto& [key, known] : noted_) add(all, key, known);
  std::string text;
  for (const auto& [key, known] : all) {
    Json line = {{"kernels", {key[0], key[1]}}, {"ways", Json::array()}};
    for (const PairForecast& way : known.ways) line[std::string(list_of(way))].push_back(way_json(way));
    if (known.proven) line["proven"] = proven_json(*known.proven);
    text += store::sealed_record(kPairsKind, line);
  }
  WATTUNE_TRY(store::write_file(file_, text, true));
  noted_.clear();
  return {};
}

}  // namespace wattune::schedule
