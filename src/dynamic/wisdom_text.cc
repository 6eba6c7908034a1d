// Wisdom as text: a sealed line for each entry, which tells its version itself, so that files may be put together with
// `cat` (docs/formats/wisdom.md).
#include <fmt/format.h>

#include <fstream>

#include "store/files.h"
#include "store/sealed_line.h"
#include "store/timestamp.h"
#include "wattune/core/printable.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::dynamic {

namespace {

using store::Json;
using store::Malformed;

constexpr std::uint64_t kFormat = 1;
constexpr std::string_view kLineStart = "{\"wattune_wisdom\":";
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
  json["wattune_wisdom"] = kFormat;
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
  throw Malformed(fmt::format("`measured` is none that Wattune knows: {}", in_quotes(name)));
}

// Entries that do not say it are of what was tuned.
bool tuned_from(const Json& json) {
  const Json* const tuned = store::find_member(json, "tuned");
  if (tuned != nullptr && !tuned->is_boolean()) throw Malformed("`tuned` must be true or false");
  return tuned == nullptr || tuned->get<bool>();
}

store::TimePoint time_from(const std::string& text) {
  const std::optional<store::TimePoint> time = store::parse_timestamp(text);
  if (!time) throw Malformed(fmt::format("`measured_at` is no time: {}", in_quotes(text)));
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
  store::count_member(json, "wattune_wisdom");
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

bool begins_entry(std::string_view line) { return line.starts_with(kLineStart) || kLineStart.starts_with(line); }

Error newer_format(std::uint64_t version) {
  return Error(ErrorCode::parse_error,
               fmt::format("the wisdom has format {}, this Wattune reads up to {}", version, kFormat))
      .hint("use the Wattune that wrote it, or a newer one");
}

// Reads a wisdom file line by line; a line that cannot be read costs no other.
class WisdomReader {
 public:
  explicit WisdomReader(const std::filesystem::path& file) : file_(file) {}

  // An Error means that nothing of the file may be read.
  Result<void> add(std::string_view line, bool terminated) {
    ++number_;
    if (line.empty()) return {};
    is_wisdom_ = is_wisdom_ || begins_entry(line);
    if (!terminated || !store::is_sealed(line)) return skip("its checksum is wrong, or it was cut off"), Result<void>();
    const SourcePosition position = store::position_in(file_, number_);
    Result<Json> json = store::guard(position, [&] { return store::parse_line(line, limits_); });
    if (json) WATTUNE_TRY(check_version(*json));
    Result<WisdomEntry> entry =
        json ? store::guard(position, [&] { return entry_from(*json); }) : std::move(json).error();
    if (entry)
      text_.entries.push_back(*std::move(entry));
    else
      skip(entry.error().message());
    return {};
  }

  Result<WisdomText> take() {
    if (number_ > 0 && !is_wisdom_ && skipped_ > 0)
      return Error(ErrorCode::parse_error, "no wisdom of Wattune's").at(store::position_in(file_, 1));
    if (skipped_ > 0) text_.problem = problem();
    return std::move(text_);
  }

 private:
  Result<void> check_version(const Json& json) const {
    const Json* version = store::find_member(json, "wattune_wisdom");
    if (version == nullptr || !version->is_number_unsigned() || version->get<std::uint64_t>() <= kFormat) return {};
    return newer_format(version->get<std::uint64_t>()).at(store::position_in(file_, number_));
  }

  void skip(std::string why) {
    if (skipped_++ > 0) return;
    first_ = number_;
    why_ = std::move(why);
  }

  Error problem() const {
    const std::string others = skipped_ == 1 ? "" : fmt::format(" (and {} others)", skipped_ - 1);
    return Error(ErrorCode::parse_error, fmt::format("a damaged line of wisdom{} was skipped: {}", others, why_))
        .at(store::position_in(file_, first_))
        .hint("saving leaves it out");
  }

  const std::filesystem::path& file_;
  WisdomText text_;
  store::JsonLimits limits_;
  int number_ = 0;
  std::size_t skipped_ = 0;
  int first_ = 0;
  std::string why_;
  bool is_wisdom_ = false;
};

}  // namespace

Result<WisdomText> parse_wisdom(std::string_view text, const std::filesystem::path& file) {
  WisdomReader reader(file);
  store::LineReader lines(text);
  while (!lines.done()) {
    const std::string_view rest = text.substr(lines.consumed());
    const std::optional<std::string_view> line = lines.next();
    WATTUNE_TRY(reader.add(line.value_or(rest), line.has_value()));
  }
  return reader.take();
}

Result<WisdomText> load_wisdom(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const std::string text, store::read_file(file));
  return parse_wisdom(text, file);
}

std::string write_wisdom(const std::vector<WisdomEntry>& entries) {
  std::string text;
  for (const WisdomEntry& entry : entries) text += store::sealed(json_of(entry));
  return text;
}

bool is_wisdom_file(const std::filesystem::path& file) {
  std::string begin(kLineStart.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kLineStart;
}

}  // namespace wattune::dynamic
