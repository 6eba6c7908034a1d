// Converts values of the library to JSON, for --json (docs/formats/json.md).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "wattune/core/trial.h"
#include "wattune/core/uint128.h"

namespace wattune::cli {

using Json = nlohmann::ordered_json;  // fields stay in the order in which they are written

// Returns the value as JSON, where a quantity becomes its number. Returns null if there is no value.
template <typename T>
Json json_or_null(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (requires { value->value(); })
    return value->value();
  else
    return *value;
}

// Returns a number up to 2^64 - 1 as a number, and a larger one as a string of its decimal digits.
Json to_json(Uint128 value);
Json to_json(const Value& value);
// Returns an object of values by parameter.
Json to_json(const Configuration& configuration);
Json to_json(const DeviceInfo& device);
// Returns an object with the count of every status, 0 for those that did not occur.
Json to_json(const std::map<Status, std::uint64_t>& by_status);
// Returns a measured configuration: configuration, objective, time_ms, interval_ms, confidence, samples, verified,
// not_verified, metrics, uncertainties.
Json to_json(const Trial& trial);
// Compares the best with the default configuration: better_than_default, speed_up, speed_up_interval. Each Trial is
// correct, or the argument is nullptr.
Json speed_up_json(const Trial* best, const Trial* standard);

// Writes the document in ASCII, so that it may be printed on a terminal, with two spaces of indentation and a line end.
// Bytes that are not UTF-8 are replaced.
std::string dump(const Json& json);

}  // namespace wattune::cli
