// Words for members of documents that --json wrote (docs/formats/json.md). Documents of older versions may lack
// members.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/program/json.h"

namespace wattune::cli {

// Returns the member of an object; null if it is absent.
const Json& member_or_null(const Json& object, const char* name);
// Returns the elements of an array member; none if it is absent or null. Throws store::Malformed if it is something
// else.
std::vector<Json> elements_of(const Json& object, const char* name);
std::optional<double> number_of(const Json& object, const char* name);
// Returns the text of a member; empty if it is absent or null.
std::string text_of(const Json& object, const char* name);
// Returns a whole number as it is, and any other with four digits; empty if there is none.
std::string number_text(const Json& object, const char* name);
// Returns the time of a member in milliseconds, in the unit that suits it; empty if there is none.
std::string time_text(const Json& object, const char* name);
// Returns a share as "+12.3 %"; empty if there is none.
std::string gain_text(std::optional<double> share);
// Returns the two ends of an interval of shares: "+10.1 % to +14.2 %"; empty if there is none.
std::string gain_interval_text(const Json& interval);
// Returns the members of an object as "a=1, b=text".
std::string assignments_of(const Json& object);
// Returns the names of two kernels: "copy with gemm".
std::string pair_text(const Json& pair);
// Describes the way in which a pair ran, or is to run.
std::string way_text(const Json& way, const Json& kernels);

}  // namespace wattune::cli
