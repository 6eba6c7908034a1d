// Parses any text as an expression and as a list, and evaluates the results. Expects no crash, no undefined behaviour,
// and errors that name a place in the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "space/interface/expression.h"

namespace {

using wattune::Value;
using wattune::space::Expression;

// Returns a value at which arithmetic may go wrong, by the first letter of the name; nullptr for other names.
const Value* value_of(std::string_view name) {
  static const std::map<char, Value> values = {
      {'a', Value(7)},      {'b', Value(-3)},    {'c', Value(0)},    {'d', Value(std::int64_t{INT64_MAX})},
      {'e', Value(0.5)},    {'f', Value(1e308)}, {'g', Value(true)}, {'h', Value(std::int64_t{INT64_MIN})},
      {'s', Value("text")},
  };
  const auto found = values.find(name[0]);
  return found == values.end() ? nullptr : &found->second;
}

void check(bool condition) {
  if (!condition) std::abort();
}

template <typename T>
void check_position(const wattune::Result<T>& result, std::string_view text) {
  if (result) return;
  check(result.error().position().file == "fuzz" && !result.error().message().empty());
  check(result.error().position().column >= 1);
  check(result.error().position().column <= static_cast<int>(text.size()) + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_position(Expression::parse_list(text, {"fuzz", 1, 1}), text);
  const auto expression = Expression::parse(text, {"fuzz", 1, 1});
  check_position(expression, text);
  if (!expression) return 0;
  check_position(expression->evaluate(value_of), text);
  check_position(expression->evaluate_size(value_of), text);
  return 0;
}
