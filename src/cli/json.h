// The values of the library as JSON, for --json (docs/formats/json.md).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "wattune/core/trial.h"
#include "wattune/core/uint128.h"

namespace wattune::cli {

using Json = nlohmann::ordered_json;  // fields stay in the order they are written

// null: there is none. A quantity is its number.
template <typename T>
Json json_or_null(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (requires { value->value(); })
    return value->value();
  else
    return *value;
}

// A number, exact, up to 2^64 - 1; decimal digits in a string above.
Json to_json(Uint128 value);
Json to_json(const Value& value);
// An object, parameter to value.
Json to_json(const Configuration& configuration);
Json to_json(const DeviceInfo& device);
// Every status by its name, with 0 for those that did not occur.
Json to_json(const std::map<Status, std::uint64_t>& by_status);
// A measured configuration: configuration, objective, time_ms, interval_ms, confidence, samples, verified,
// not_verified, metrics, uncertainties.
Json to_json(const Trial& trial);
// How the best compares with the default configuration: better_than_default, speed_up, speed_up_interval. Each of the
// Trials is correct, or nullptr.
Json speed_up_json(const Trial* best, const Trial* standard);

// The document with two spaces of indentation and a line end, in ASCII, so that it may be printed on a terminal. Bytes
// that are no UTF-8 are replaced.
std::string dump(const Json& json);

}  // namespace wattune::cli
