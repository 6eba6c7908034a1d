// Writes and reads the text of wisdom: a sealed line for each entry. Each line has its own version, so that files may
// be joined with `cat` (docs/formats/wisdom.md).
#include <fmt/format.h>

#include <fstream>

#include "core/interface/printable.h"
#include "store/interface/files.h"
#include "store/interface/sealed_file.h"
#include "store/interface/sealed_line.h"
#include "store/interface/timestamp.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::inline v0_1::dynamic {

namespace {

using store::Json;
using store::Malformed;

constexpr store::FileKind kWisdomKind{.what = "wisdom", .member = "wattune_wisdom", .version = 1};
constexpr std::size_t kIntervalEnds = 2;

Json json_of(const Key& key) {
  Json json = Json::object();
  for (const auto& [name, value] : key) json[name] = store::value_to_json(value);
  return json;
}

Json json_of(const Configuration& configuration) {
  Json json = Json::object();
  for (std::size_t i = 0; i < configuration.values().size(); ++i)
    json[configuration.names()[i]] = store::value_to_json(configuration.values()[i]);
  return json;
}

Json json_of(const WisdomEntry& entry) {
  Json json;
  json["kernel"] = entry.kernel.name;
  json["version"] = entry.kernel.version;
  json["device"] = entry.device;
  json["architecture"] = entry.architecture;
  json["key"] = json_of(entry.key);
  json["configuration"] = json_of(entry.configuration);
  json["time"] = entry.time.value();
  json["interval"] = {entry.low.value(), entry.high.value()};
  json["samples"] = entry.samples;
  json["measured"] = to_string(entry.measured);
  json["tuned"] = entry.tuned;
  json["measured_at"] = store::format_timestamp(entry.measured_at);
  json["wattune_version"] = entry.wattune_version;
  return json;
}

Key key_from(const Json& object) {
  Key key;
  for (const auto& [name, value] : object.items()) key.push_back({name, store::value_from_json(value, name)});
  return key;
}

Configuration configuration_from(const Json& object) {
  std::vector<std::string> names;
  std::vector<Value> values;
  for (const auto& [name, value] : object.items()) {
    names.push_back(name);
    values.push_back(store::value_from_json(value, name));
  }
  return {0, std::make_shared<const std::vector<std::string>>(std::move(names)), std::move(values)};
}

Measured measured_from(const std::string& name) {
  for (const Measured measured : {Measured::in_place, Measured::screened, Measured::offline})
    if (to_string(measured) == name) return measured;
  throw Malformed(fmt::format("`measured` has a value that Wattune does not know: {}", in_quotes(name)));
}

// Reads whether the key was tuned. An entry without this member was tuned.
bool tuned_from(const Json& json) {
  const Json* const tuned = store::find_member(json, "tuned");
  if (tuned != nullptr && !tuned->is_boolean()) throw Malformed("`tuned` must be true or false");
  return tuned == nullptr || tuned->get<bool>();
}

store::TimePoint time_from(const std::string& text) {
  const std::optional<store::TimePoint> time = store::parse_timestamp(text);
  if (!time) throw Malformed(fmt::format("`measured_at` is not a time: {}", in_quotes(text)));
  return *time;
}

void read_time(const Json& json, WisdomEntry& entry) {
  const Json& interval = store::array_member(json, "interval");
  if (interval.size() != kIntervalEnds || !interval[0].is_number() || !interval[1].is_number())
    throw Malformed("`interval` must be two numbers");
  entry.time = Nanoseconds(store::number_member(json, "time"));
  entry.low = Nanoseconds(interval[0].get<double>());
  entry.high = Nanoseconds(interval[1].get<double>());
  entry.samples = store::count_member(json, "samples");
}

WisdomEntry entry_from(const Json& json) {
  WisdomEntry entry;
  entry.kernel = {store::text_member(json, "kernel"), store::text_member(json, "version")};
  entry.device = store::text_member(json, "device");
  entry.architecture = store::text_member(json, "architecture");
  entry.key = key_from(store::object_member(json, "key"));
  entry.configuration = configuration_from(store::object_member(json, "configuration"));
  read_time(json, entry);
  entry.measured = measured_from(store::text_member(json, "measured"));
  entry.tuned = tuned_from(json);
  entry.measured_at = time_from(store::text_member(json, "measured_at"));
  entry.wattune_version = store::text_member(json, "wattune_version");
  if (const Result<void> possible = check(entry); !possible) throw Malformed(possible.error().to_string());
  return entry;
}

}  // namespace

Result<WisdomText> parse_wisdom(std::string_view text, const std::filesystem::path& file) {
  WisdomText wisdom;
  WATTUNE_ASSIGN(store::SealedContents found, store::read_sealed(text, file, kWisdomKind, [&](const Json& line) {
                   wisdom.entries.push_back(entry_from(line));
                 }));
  wisdom.problems = std::move(found.left_out);
  return wisdom;
}

Result<WisdomText> load_wisdom(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const std::string text, store::read_regular_file(file));
  return parse_wisdom(text, file);
}

std::string write_wisdom(const std::vector<WisdomEntry>& entries) {
  std::string text;
  for (const WisdomEntry& entry : entries) text += store::sealed_record(kWisdomKind, json_of(entry));
  return text;
}

// True if the file is a wisdom file. Only regular files are read, because reading a pipe would consume its contents.
bool is_wisdom_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::ifstream stream(file, std::ios::binary);
  std::string begin(kWisdomKind.member.size() + 2 * store::LineReader::kByteOrderMark.size(), '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin.find(fmt::format("{{\"{}\"", kWisdomKind.member)) != std::string::npos;
}

}  // namespace wattune::dynamic
