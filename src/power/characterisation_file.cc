// Characterisations in JSON, a file for each board.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/cache_folder.h"
#include "core/new_file.h"
#include "core/own_rights.h"
#include "wattune/core/system_error.h"
#include "wattune/power/characterise.h"

namespace wattune::power {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kMeasureAnew = "`wattune power --characterise` measures it anew";

// The durations of SensorTraits, by their names in the file.
struct DurationField {
  const char* name;
  Nanoseconds SensorTraits::*member;
};
constexpr DurationField kDurations[] = {{"period_ms", &SensorTraits::period},
                                        {"window_ms", &SensorTraits::window},
                                        {"lag_ms", &SensorTraits::lag},
                                        {"time_constant_ms", &SensorTraits::time_constant}};
constexpr Response kResponses[] = {Response::counter, Response::boxcar, Response::lag, Response::direct};

struct Damaged {
  std::string what;
};

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
  Json json = {{"version", kVersion},
               {"uuid", board.uuid},
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

// Durations, powers and shares are finite and not negative.
double number_at(const Json& json, const char* name) {
  const double number = json.at(name).get<double>();
  if (std::isfinite(number) && number >= 0.0) return number;
  throw Damaged{fmt::format("{} is {}", name, number)};
}

std::optional<Watts> optional_watts(const Json& json, const char* name) {
  return json.at(name).is_null() ? std::nullopt : std::optional(Watts(number_at(json, name)));
}

// Reads the power with its uncertainty. Older files have none, so that it is measured again where it is needed.
std::optional<Measured<Watts>> context_idle_in(const Json& json) {
  constexpr const char* kUncertainty = "context_idle_uncertainty_w";
  const std::optional<Watts> power = optional_watts(json, "context_idle_w");
  if (!power || !json.contains(kUncertainty)) return std::nullopt;
  return Measured<Watts>{*power, Watts(number_at(json, kUncertainty))};
}

SensorTraits traits_in(const Json& json) {
  const auto named = json.at("response").get<std::string>();
  const auto response = std::ranges::find(kResponses, named, [](Response each) { return to_string(each); });
  if (response == std::end(kResponses)) throw Damaged{"no sensor responds as " + named};
  SensorTraits traits{.response = *response, .noise = number_at(json, "noise"), .measured = true};
  for (const DurationField& each : kDurations) traits.*each.member = nanoseconds_from_ms(number_at(json, each.name));
  if (traits.period <= Nanoseconds()) throw Damaged{"a period is zero"};
  return traits;
}

Characterisation characterisation_in(const Json& json) {
  Characterisation found{.idle = optional_watts(json, "idle_w"),
                         .context_idle = context_idle_in(json),
                         .problems = json.at("problems").get<std::vector<std::string>>()};
  for (const auto& [name, traits] : json.at("sensors").items()) found.sensors.emplace(name, traits_in(traits));
  return found;
}

Error damaged(const fs::path& file, const std::string& why) {
  return Error(ErrorCode::parse_error, "what was measured of this board's sensors is damaged, and is not used: " + why)
      .at({file.string(), 0, 0})
      .hint(kMeasureAnew);
}

Result<Characterisation> parse_characterisation(const Board& board, const fs::path& file, const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("version").get<int>() != kVersion) return damaged(file, "it is of another version of Wattune");
    if (json.at("uuid").get<std::string>() != board.uuid) return damaged(file, "it is of another board");
    const auto driver = json.at("driver").get<std::string>();
    if (driver == board.driver) return characterisation_in(json);
    return Error(ErrorCode::mismatch, fmt::format("the sensors of this board were measured with driver {}, not {}, and "
                                                  "are assumed again",
                                                  driver, board.driver))
        .hint(kMeasureAnew);
  } catch (const Damaged& why) {
    return damaged(file, why.what);
  } catch (const Json::exception& why) {
    return damaged(file, why.what());
  }
}

}  // namespace

Result<std::filesystem::path> characterisation_file(const Board& board) {
  const auto plain = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '-'; };
  if (board.uuid.empty() || !std::ranges::all_of(board.uuid, plain))
    return Error(ErrorCode::invalid_argument, "a board without a UUID cannot be told from others").about(board.uuid);
  const fs::path folder = user_cache_folder();
  if (!folder.empty()) return folder / "boards" / (board.uuid + ".json");
  return Error(ErrorCode::invalid_argument, "there is no folder to keep what was measured of a board")
      .hint("set HOME or XDG_CACHE_HOME");
}

Result<void> store(const Board& board, const Characterisation& characterisation) {
  WATTUNE_ASSIGN(const fs::path file, characterisation_file(board));
  constexpr mode_t kOurs = 0700;
  WATTUNE_TRY(make_folders(file.parent_path(), kOurs));
  WATTUNE_TRY(check_trusted(file.parent_path()));
  WATTUNE_ASSIGN(const fs::path written, write_beside(file, as_json(board, characterisation).dump(2) + "\n"));
  std::error_code failed;
  fs::rename(written, file, failed);
  if (failed) return system_error("cannot write", file, failed.value());
  return {};
}

Result<Characterisation> load_characterisation(const Board& board) {
  const auto file = characterisation_file(board);
  if (!file) return Error(ErrorCode::not_found, file.error().message());
  WATTUNE_TRY(check_trusted(file->parent_path()));
  errno = 0;
  std::ifstream stream(*file);
  if (!stream) return system_error("cannot open", *file, errno);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  return parse_characterisation(board, *file, text);
}

}  // namespace wattune::power
