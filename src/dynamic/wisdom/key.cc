#include "wattune/dynamic/key.h"

#include <fmt/format.h>

#include <cmath>

#include "core/interface/printable.h"

namespace wattune::inline v0_1::dynamic {

namespace {

bool is_size(const Value& value) { return value.is_number() && value.kind() != Value::Kind::boolean; }

std::optional<double> distance_between(const Value& a, const Value& b) {
  if (a == b) return 0.0;
  if (!is_size(a) || !is_size(b) || a.as_real() <= 0.0 || b.as_real() <= 0.0) return std::nullopt;
  return std::abs(std::log(a.as_real() / b.as_real()));
}

}  // namespace

Key key_of(const std::vector<NamedSize>& sizes) {
  Key key;
  for (const NamedSize& size : sizes) key.push_back({size.name, size.value});
  return key;
}

std::string to_string(const Key& key) {
  std::string text;
  for (const auto& [name, value] : key)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value.to_string());
  return printable(text);
}

std::optional<double> distance(const Key& a, const Key& b) {
  if (a.size() != b.size()) return std::nullopt;
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::optional<double> part = distance_between(a[i].value, b[i].value);
    if (!part || a[i].name != b[i].name) return std::nullopt;
    sum += *part;
  }
  return sum;
}

}  // namespace wattune::dynamic
