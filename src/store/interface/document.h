// Reads JSON: result files as documents, and members of objects with errors that name the member.
//
// Accessors throw Malformed, which never leaves a module: guard() and read_sealed() turn it into an Error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/value.h"

namespace wattune::inline v0_1::store {

using Json = nlohmann::ordered_json;

// A result file. The objects of its one long list (cache, results, Results or trials) are moved out of it while it is
// read. Otherwise each new member of an ordered object would be compared with up to 10^5 others.
struct Document {
  Json head;
  std::string section;        // the name of the long list; empty if the file has none
  std::vector<Json> entries;  // the objects of the long list, in the order of the file
};

// Parses a document. Python's json writes NaN and Infinity, which become null. Fails with parse_error, with line and
// column.
Result<Document> parse_document(std::string_view text, const std::filesystem::path& file);

// Returns the position of an Error in a file, which may have no name.
SourcePosition position_in(const std::filesystem::path& file, std::optional<int> line = {},
                           std::optional<int> column = {});

struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns a member of an object; throws Malformed, which names the member, if it is missing or of the wrong type.
const Json& member(const Json& object, const char* name);
const std::string& text_member(const Json& object, const char* name);
double number_member(const Json& object, const char* name);     // NaN if the member is null
double objective_member(const Json& object, const char* name);  // infinite if null: a Trial without an objective
std::uint64_t count_member(const Json& object, const char* name);
bool flag_member(const Json& object, const char* name);
const Json& array_member(const Json& object, const char* name);
const Json& object_member(const Json& object, const char* name);

// Returns a number from `json`, which is a member or one of its elements. Throws Malformed, which names the member, if
// the number is not from `least` to `most`.
double number_within(const Json& json, std::string_view name, double least, double most);
std::uint64_t count_within(const Json& json, std::string_view name, std::uint64_t least, std::uint64_t most);
// Returns an array with at least `least` and at most `most` elements; throws Malformed otherwise.
const Json& array_member(const Json& object, const char* name, std::size_t least, std::size_t most);

// Returns the member of this name, of whatever type it is. Returns nullptr if it is absent or `object` is no object.
const Json* find_member(const Json& object, const char* name);
std::string text_or(const Json& object, const char* name, std::string otherwise);
double number_or(const Json& object, const char* name, double otherwise);

// Returns the member "uncertainty" of a metric; nullopt if it is absent or no number.
std::optional<double> uncertainty_in(const Json& metric);

// Returns a tuning parameter's value. Lists, null and integers from 2^63 on become texts, as Python writes them. Throws
// Malformed, with `name` in its message, if the value is an object.
Value value_from_json(const Json& json, std::string_view name);
Json value_to_json(const Value& value);

// Writes JSON on one line; text that is not UTF-8 is replaced.
std::string dump(const Json& json);

// Calls `read` and turns Malformed into a parse_error at `position`.
template <typename Read>
auto guard(const SourcePosition& position, Read read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const Malformed& malformed) {
    return Error(ErrorCode::parse_error, malformed.what()).at(position);
  }
}

}  // namespace wattune::store
