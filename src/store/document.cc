#include "store/interface/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/interface/printable.h"
#include "store/limits.h"
namespace wattune::inline v0_1::store {

namespace {

constexpr std::array<std::string_view, 4> kSections = {"cache", "results", "Results", "trials"};

struct PythonLiteral {
  std::string_view token;
  std::string_view replacement;
};
// Literals that Python's json writes and JSON lacks, with their replacements. The replacement of Infinity has the same
// length, so that positions in error messages stay right.
constexpr std::array<PythonLiteral, 3> kPythonLiterals{
    {{"NaN", "null"}, {"-Infinity", "     null"}, {"Infinity", "    null"}}};

bool has_python_literals(std::string_view text) {
  return text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos;
}

// Replaces Python's literals, except inside strings.
std::string without_python_literals(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 64);
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    if (in_string && text[i] == '\\') {
      out.append(text.substr(i, 2));
      i += 2;
      continue;
    }
    if (text[i] == '"') in_string = !in_string;
    const auto* literal = std::find_if(kPythonLiterals.begin(), kPythonLiterals.end(), [&](const PythonLiteral& l) {
      return !in_string && text.substr(i).starts_with(l.token);
    });
    if (literal != kPythonLiterals.end()) {
      out.append(literal->replacement);
      i += literal->token.size();
    } else {
      out += text[i++];
    }
  }
  return out;
}

SourcePosition position_of_byte(std::string_view text, std::size_t byte, const std::filesystem::path& file) {
  const std::string_view before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // position 0 if there is no newline before
  return position_in(file, static_cast<int>(line), static_cast<int>(before.size() - line_start + 1));
}

// Removes the prefix and the suffix of a message of nlohmann's library. An example of a message is
// "[json.exception.x.1] parse error at line 1, column 2: what; last read: 'token'".
std::string_view plain_message(std::string_view message) {
  if (const auto bracket = message.find("] "); bracket != std::string_view::npos) message.remove_prefix(bracket + 2);
  if (message.starts_with("parse error"))
    if (const auto colon = message.find(": "); colon != std::string_view::npos) message.remove_prefix(colon + 2);
  return message.substr(0, std::min(message.find("; last read: "), message.find(" parsing '")));
}

// Returns the number that is named by a message of nlohmann's library, such as "[json.exception.x.406] number overflow
// parsing '1e999'".
std::string_view number_out_of_range(std::string_view message) {
  const auto first = message.find('\'') + 1;
  return message.substr(first, message.rfind('\'') - first);
}

// Returns the offset of the first number that is written like `number`. Numbers inside texts are skipped. Returns the
// size of the text if there is no such number.
std::size_t offset_of_number(std::string_view text, std::string_view number) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789+-.eE", at), text.size());
    if (text.substr(at, end - at) == number) return at;
    at = std::max(end, at + 1);
  }
  return text.size();
}

// Returns the last bytes that were read before the error.
std::string_view read_before(std::string_view text, std::size_t byte) {
  constexpr std::size_t kMostShownBytes = 24;
  const std::string_view before = text.substr(0, byte);
  return before.substr(before.size() - std::min(kMostShownBytes, before.size()));
}

[[noreturn]] void wrong_type(const char* name, std::string_view wanted) {
  throw Malformed(fmt::format("{} must be {}", in_quotes(name), wanted));
}

// Returns a value as Python writes it, such as "[1, 'a', None]". Keys in Kernel Tuner's files contain such values.
std::string python_text(const Json& json) {
  if (json.is_null()) return "None";
  if (json.is_boolean()) return json.get<bool>() ? "True" : "False";
  if (json.is_number_float()) return format_real(json.get<double>());
  if (json.is_string()) return "'" + json.get<std::string>() + "'";
  if (!json.is_structured()) return dump(json);
  std::string text;
  for (const auto& [key, value] : json.items())
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : ", ", json.is_object() ? "'" + key + "': " : "", python_text(value));
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

// Returns a number as it is written. For anything else, returns its type.
std::string shown(const Json& json) { return json.is_number() ? dump(json) : json.type_name(); }

std::string only_objects(const Document& document) {
  return fmt::format("`{}` may only hold objects", document.section);
}

// A handler of parser events. The document has one long list of objects. The handler moves each object to `entries`
// when the object is complete.
class EntryCollector {
 public:
  explicit EntryCollector(Document& document) : document_(document) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    const bool in_list = inside_ && depth == 2;
    if (!in_list || event != Json::parse_event_t::key) limits_.check(depth, event);
    if (event == Json::parse_event_t::key && depth == 1) enter(parsed.get_ref<const std::string&>());
    if (in_list && (event == Json::parse_event_t::value || event == Json::parse_event_t::array_start))
      throw Malformed(only_objects(document_));
    if (!in_list || event != Json::parse_event_t::object_end) return true;
    document_.entries.push_back(std::move(parsed));
    return false;
  }

 private:
  void enter(const std::string& key) {
    inside_ = std::find(kSections.begin(), kSections.end(), key) != kSections.end();
    if (inside_) document_.section = key;
  }

  Document& document_;
  JsonLimits limits_;
  bool inside_ = false;
};

}  // namespace

SourcePosition position_in(const std::filesystem::path& file, std::optional<int> line, std::optional<int> column) {
  return {file.empty() ? "<text>" : file.string(), line, column};
}

Result<Document> parse_document(std::string_view text, const std::filesystem::path& file) {
  std::string cleaned;
  if (has_python_literals(text)) text = cleaned = without_python_literals(text);
  Document document;
  try {
    EntryCollector collect(document);
    document.head = Json::parse(text, std::ref(collect));
  } catch (const Json::parse_error& error) {
    return Error(ErrorCode::parse_error, fmt::format("not valid JSON: {}", plain_message(error.what())))
        .at(position_of_byte(text, error.byte, file))
        .about(std::string(read_before(text, error.byte)));
  } catch (const Malformed& malformed) {
    return Error(ErrorCode::parse_error, malformed.what()).at(position_in(file));
  } catch (const Json::out_of_range& error) {
    const std::string_view number = number_out_of_range(error.what());
    return Error(ErrorCode::parse_error, "not valid JSON: a number is too large for a double")
        .at(position_of_byte(text, offset_of_number(text, number) + 1, file))
        .about(std::string(number));
  } catch (const Json::exception& error) {
    return Error(ErrorCode::parse_error, fmt::format("not valid JSON: {}", plain_message(error.what())))
        .at(position_in(file));
  }
  if (!document.head.is_object())
    return Error(ErrorCode::parse_error, "a result file must be one JSON object").at(position_in(file));
  if (const Json* list = find_member(document.head, document.section.c_str()); list != nullptr && !list->empty())
    return Error(ErrorCode::parse_error, only_objects(document)).at(position_in(file));
  return document;
}

const Json* find_member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

const Json& member(const Json& object, const char* name) {
  const Json* found = find_member(object, name);
  if (found == nullptr) throw Malformed(fmt::format("{} is missing", in_quotes(name)));
  return *found;
}

const std::string& text_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_string()) wrong_type(name, "text");
  return json.get_ref<const std::string&>();
}

double number_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!json.is_number()) wrong_type(name, "a number");
  return json.get<double>();
}

double objective_member(const Json& object, const char* name) {
  return member(object, name).is_null() ? std::numeric_limits<double>::infinity() : number_member(object, name);
}

std::uint64_t count_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_number_unsigned()) wrong_type(name, "a whole number from 0");
  return json.get<std::uint64_t>();
}

bool flag_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_boolean()) wrong_type(name, "true or false");
  return json.get<bool>();
}

const Json& array_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_array()) wrong_type(name, "an array");
  return json;
}

double number_within(const Json& json, std::string_view name, double least, double most) {
  const double number = json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (number >= least && number <= most) return number;
  throw Malformed(
      fmt::format("{} must be a number from {:g} to {:g}, not {}", in_quotes(name), least, most, shown(json)));
}

std::uint64_t count_within(const Json& json, std::string_view name, std::uint64_t least, std::uint64_t most) {
  const bool is_whole = json.is_number_unsigned();
  if (is_whole && json.get<std::uint64_t>() >= least && json.get<std::uint64_t>() <= most)
    return json.get<std::uint64_t>();
  throw Malformed(
      fmt::format("{} must be a whole number from {} to {}, not {}", in_quotes(name), least, most, shown(json)));
}

const Json& array_member(const Json& object, const char* name, std::size_t least, std::size_t most) {
  const Json& json = array_member(object, name);
  if (json.size() >= least && json.size() <= most) return json;
  throw Malformed(least == most ? fmt::format("{} must have {} elements", in_quotes(name), least)
                                : fmt::format("{} must have {} to {} elements", in_quotes(name), least, most));
}

const Json& object_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_object()) wrong_type(name, "an object");
  return json;
}

std::string text_or(const Json& object, const char* name, std::string otherwise) {
  const Json* json = find_member(object, name);
  return json != nullptr && json->is_string() ? json->get<std::string>() : std::move(otherwise);
}

double number_or(const Json& object, const char* name, double otherwise) {
  const Json* json = find_member(object, name);
  return json != nullptr && json->is_number() ? json->get<double>() : otherwise;
}

std::optional<double> uncertainty_in(const Json& metric) {
  const Json* json = find_member(metric, "uncertainty");
  return json != nullptr && json->is_number() ? std::optional(json->get<double>()) : std::nullopt;
}

Value value_from_json(const Json& json, std::string_view name) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  const bool is_large =
      json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (json.is_number_integer() && !is_large) return json.get<std::int64_t>();
  if (!json.is_object()) return python_text(json);
  throw Malformed(fmt::format("a value of {} must be a number, true, false, null, text or a list, not {}",
                              in_quotes(name), json.type_name()));
}

Json value_to_json(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer: return value.as_integer();
    case Value::Kind::real: return std::isfinite(value.as_real()) ? Json(value.as_real()) : Json(value.to_string());
    case Value::Kind::boolean: return value.as_integer() != 0;
    case Value::Kind::string: return value.as_string();
  }
  return nullptr;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace wattune::store
