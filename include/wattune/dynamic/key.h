// Key: the properties of a call that decide which configuration is best, by name and in order.
//
// Numbers are sizes and have neighbours: the best configuration for 1,000 elements is a good guess for 1,024. Booleans
// and texts are kinds and have no neighbours; write numbered kinds as texts. A Key is a value that owns its data; any
// thread may use it.
//
//   const Key key{{"rows", 1024}, {"columns", 96}, {"layout", "row"}};
//   if (const std::optional<double> d = distance(key, known); d && *d < 1.0) guess(known);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/value.h"

namespace wattune::inline v0_1::dynamic {

struct WATTUNE_EXPORT KeyPart {
  std::string name;
  Value value;

  friend bool operator==(const KeyPart&, const KeyPart&) = default;
};
using Key = std::vector<KeyPart>;

// Values of a kernel's parameters, by name.
using NamedValues = std::vector<std::pair<std::string, Value>>;

// Returns the key of a call that differs from other calls only in its sizes.
WATTUNE_EXPORT Key key_of(const std::vector<NamedSize>& sizes);

// Returns a text such as "rows=1024, columns=96, layout=row".
WATTUNE_EXPORT std::string to_string(const Key& key);

// Returns the distance of two calls: the sum of |log(a / b)| over their sizes. Returns nullopt if the kinds or the
// names differ, or if two sizes differ and one of them is not above 0.
WATTUNE_EXPORT std::optional<double> distance(const Key& a, const Key& b);

}  // namespace wattune::dynamic
