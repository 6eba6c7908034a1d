// Stores characterisations, in a file for each board (docs/formats/board.md).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/cache_folder.h"
#include "core/interface/printable.h"
#include "core/interface/system_error.h"
#include "core/own_rights.h"
#include "power/interface/characterise.h"
#include "store/interface/files.h"
#include "store/interface/sealed_file.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::power {

namespace {

namespace fs = std::filesystem;
using store::Json;

constexpr store::FileKind kBoardKind{.what = "characterisation",
                                     .member = "wattune_board",
                                     .version = 2,
                                     .is_unsealed =
                                         [](const Json& object) {
                                           const Json* const version = store::find_member(object, "version");
                                           return version != nullptr && *version == 1 &&
                                                  store::find_member(object, "sensors") != nullptr;
                                         },
                                     .unsealed_start = R"({  "version": 1,  "uuid": )"};
// Upper bounds: power above that of any board at rest, times above those of any sensor, noise as a share.
constexpr double kMostWatts = 1e5;
constexpr double kMostMs = 60'000.0;
constexpr double kMostNoise = 1e3;
constexpr const char* kMeasureAnew = "`wattune power --characterise` measures it anew";

// The members of SensorTraits that are durations, with their names in the file.
struct DurationField {
  const char* name;
  Nanoseconds SensorTraits::*member;
};
constexpr DurationField kDurations[] = {{"period_ms", &SensorTraits::period},
                                        {"window_ms", &SensorTraits::window},
                                        {"lag_ms", &SensorTraits::lag},
                                        {"time_constant_ms", &SensorTraits::time_constant}};
constexpr Response kResponses[] = {Response::counter, Response::boxcar, Response::lag, Response::direct};

Json as_json(const SensorTraits& traits) {
  Json json = {{"response", to_string(traits.response)}};
  for (const DurationField& each : kDurations) json[each.name] = to_ms(traits.*each.member);
  json["noise"] = traits.noise;
  return json;
}

Json as_json(const std::optional<Watts>& power) { return power ? Json(power->value()) : Json(); }

Json as_json(const Board& board, const Characterisation& found) {
  const auto of_context = [&](Watts Measured<Watts>::*member) {
    return found.context_idle ? Json(((*found.context_idle).*member).value()) : Json();
  };
  Json json = {{"uuid", board.uuid},
               {"driver", board.driver},
               {"name", board.name},
               {"idle_w", as_json(found.idle)},
               {"context_idle_w", of_context(&Measured<Watts>::value)},
               {"context_idle_uncertainty_w", of_context(&Measured<Watts>::uncertainty)},
               {"sensors", Json::object()},
               {"problems", found.problems}};
  for (const auto& [name, traits] : found.sensors) json["sensors"][name] = as_json(traits);
  return json;
}

double number_at(const Json& json, const char* name, double most) {
  return store::number_within(store::member(json, name), name, 0.0, most);
}

std::optional<Watts> optional_watts(const Json& json, const char* name) {
  return store::member(json, name).is_null() ? std::nullopt : std::optional(Watts(number_at(json, name, kMostWatts)));
}

// Reads the power of an idle context with its uncertainty. Older files have no uncertainty; then the power counts as
// unknown and is measured again if it is needed.
std::optional<Measured<Watts>> context_idle_in(const Json& json) {
  constexpr const char* kUncertainty = "context_idle_uncertainty_w";
  const std::optional<Watts> power = optional_watts(json, "context_idle_w");
  if (!power || !json.contains(kUncertainty)) return std::nullopt;
  return Measured<Watts>{*power, Watts(number_at(json, kUncertainty, kMostWatts))};
}

SensorTraits traits_in(const Json& json) {
  const std::string& named = store::text_member(json, "response");
  const auto response = std::ranges::find(kResponses, named, [](Response each) { return to_string(each); });
  if (response == std::end(kResponses)) throw store::Malformed("no sensor responds as " + in_quotes(named));
  SensorTraits traits{.response = *response, .noise = number_at(json, "noise", kMostNoise), .measured = true};
  for (const DurationField& each : kDurations)
    traits.*each.member = nanoseconds_from_ms(number_at(json, each.name, kMostMs));
  if (traits.period <= Nanoseconds()) throw store::Malformed("a period is zero");
  return traits;
}

std::vector<std::string> problems_in(const Json& json) {
  std::vector<std::string> problems;
  for (const Json& each : store::array_member(json, "problems")) {
    if (!each.is_string()) throw store::Malformed("`problems` must hold texts");
    problems.push_back(each.get<std::string>());
  }
  return problems;
}

// A parsed file. If it was measured with another driver version, it is not used, but it is not damaged.
struct StoredBoard {
  std::string driver;
  Characterisation found;
};

StoredBoard board_in(const Json& json, const Board& board) {
  if (store::text_member(json, "uuid") != board.uuid) throw store::Malformed("it is of another board");
  StoredBoard stored{.driver = store::text_member(json, "driver"), .found = {}};
  if (stored.driver != board.driver) return stored;
  stored.found = {.sensors = {},
                  .idle = optional_watts(json, "idle_w"),
                  .context_idle = context_idle_in(json),
                  .problems = problems_in(json)};
  for (const auto& [name, traits] : store::object_member(json, "sensors").items())
    stored.found.sensors.emplace(name, traits_in(traits));
  return stored;
}

Error damaged(const fs::path& file, const std::string& why) {
  return Error(ErrorCode::parse_error,
               "the measured properties of this board's sensors are damaged, and are not used: " + why)
      .at({file.string()})
      .hint(kMeasureAnew);
}

// Parses a file of characterisations, one per line. Normally there is one line; if there are several, the last counts.
Result<Characterisation> parse_characterisation(const Board& board, const fs::path& file, const std::string& text) {
  std::optional<StoredBoard> stored;
  const auto read =
      store::read_sealed(text, file, kBoardKind, [&](const Json& line) { stored = board_in(line, board); });
  if (!read) return damaged(file, read.error().message());
  if (!read->left_out.empty()) return damaged(file, read->left_out.front().message());
  if (!stored) return damaged(file, "it is empty");
  if (stored->driver != board.driver)
    return Error(ErrorCode::mismatch, fmt::format("the sensors of this board were measured with driver {}, not {}, and "
                                                  "are assumed again",
                                                  stored->driver, board.driver))
        .hint(kMeasureAnew);
  if (read->unsealed) stored->found.problems.push_back(store::unsealed_note(file, kMeasureAnew));
  return std::move(stored->found);
}

}  // namespace

Result<std::filesystem::path> characterisation_file(const Board& board) {
  const auto plain = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '-'; };
  if (board.uuid.empty() || !std::ranges::all_of(board.uuid, plain))
    return Error(ErrorCode::invalid_argument, "a board without a UUID cannot be told from others").about(board.uuid);
  const fs::path folder = user_cache_folder();
  if (!folder.empty()) return folder / "boards" / (board.uuid + ".json");
  return Error(ErrorCode::invalid_argument, "there is no folder for the measured properties of a board")
      .hint("set HOME or XDG_CACHE_HOME");
}

Result<void> store(const Board& board, const Characterisation& characterisation) {
  WATTUNE_ASSIGN(const fs::path file, characterisation_file(board));
  constexpr mode_t kOwnerOnlyMode = 0700;
  WATTUNE_TRY(make_folders(file.parent_path(), kOwnerOnlyMode));
  WATTUNE_TRY(check_trusted(file.parent_path()));
  // A damaged file, or one that is no characterisation, is replaced but kept under another name.
  if (!store::keep_unsealed(file, kBoardKind)) WATTUNE_TRY(store::keep_beside(file, ".damaged"));
  return store::write_file(file, store::sealed_record(kBoardKind, as_json(board, characterisation)), true);
}

Result<Characterisation> load_characterisation(const Board& board) {
  const auto file = characterisation_file(board);
  if (!file) return Error(ErrorCode::not_found, file.error().message());
  WATTUNE_TRY(check_trusted(file->parent_path()));
  WATTUNE_ASSIGN(const std::string text, store::read_regular_file(*file));
  return parse_characterisation(board, *file, text);
}

}  // namespace wattune::power
