// Key: what the calls of a kernel differ in that decides which configuration is best, by name and in order.
//
// Numbers are sizes, which have neighbours: what is best for 1,000 elements is a good guess for 1,024. Booleans and
// texts are kinds, which have none; whoever numbers kinds writes them as texts. A value, owned; any thread may call.
//
//   const Key key{{"rows", 1024}, {"columns", 96}, {"layout", "row"}};
//   if (const std::optional<double> d = distance(key, known); d && *d < 1.0) guess(known);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/value.h"

namespace wattune::dynamic {

struct KeyPart {
  std::string name;
  Value value;

  friend bool operator==(const KeyPart&, const KeyPart&) = default;
};
using Key = std::vector<KeyPart>;

// Of parameters of a kernel.
using NamedValues = std::vector<std::pair<std::string, Value>>;

// The key of a call that differs from others in its sizes only.
Key key_of(const std::vector<NamedSize>& sizes);

// "rows=1024, columns=96, layout=row".
std::string to_string(const Key& key);

// How far apart two calls are: the sum of |log(a / b)| over their sizes. None: they are of different kinds, have other
// names, or one of two sizes that differ is not above 0.
std::optional<double> distance(const Key& a, const Key& b);

}  // namespace wattune::dynamic
