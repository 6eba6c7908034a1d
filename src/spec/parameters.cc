#include "spec/parameters.h"

#include <algorithm>
#include <cmath>

#include "core/interface/suggest.h"

namespace wattune::inline v0_1::spec {

namespace {

constexpr const char* kNotFinite = "write the kernel's own word as a text, such as \"INFINITY\" or \"NAN\"";

Result<Value> read_value(const Document& document, const Node& node, const std::string& what) {
  const bool finite = node.kind == Node::Kind::scalar &&
                      (node.scalar.kind() != Value::Kind::real || std::isfinite(node.scalar.as_real()));
  if (finite) return node.scalar;
  Error error = document.error(node, "each value of " + what + " must be a number, a boolean or a string");
  return node.kind == Node::Kind::scalar ? std::move(error).hint(kNotFinite) : std::move(error);
}

bool is_finite(const Value& value) { return value.kind() != Value::Kind::real || std::isfinite(value.as_real()); }

std::vector<std::string> to_strings(const std::vector<Value>& values) {
  std::vector<std::string> strings;
  strings.reserve(values.size());
  for (const Value& value : values) strings.push_back(value.to_string());
  return strings;
}

}  // namespace

Result<std::vector<Value>> read_values(const Document& document, const Node& node, const std::string& what,
                                       const space::Expression::Constants& constants) {
  std::vector<Value> values;
  if (node.is_string()) {
    Result<std::vector<Value>> parsed =
        space::Expression::parse_list(node.scalar.as_string(), document.position(node.content), constants);
    if (!parsed) return std::move(parsed).error().with_context("values of " + what);
    values = *std::move(parsed);
    if (!std::ranges::all_of(values, is_finite))
      return document.error(node, "a value of " + what + " is not finite").hint(kNotFinite);
  } else if (node.kind == Node::Kind::list) {
    for (const Node& element : node.elements) {
      WATTUNE_ASSIGN(Value value, read_value(document, element, what));
      values.push_back(std::move(value));
    }
  } else {
    return document.error(node, "the values of " + what + " must be a list or a text such as \"range(1, 9)\"");
  }
  if (values.empty()) return document.error(node, what + " has no values");
  return values;
}

Result<void> set_default(const Document& document, const Node& node, Parameter& parameter) {
  const std::string what = "`" + parameter.name + "`";
  WATTUNE_ASSIGN(const Value value, read_value(document, node, what));
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), value);
  if (found == parameter.values.end())
    return document.error(node, "the default of " + what + " is none of its values")
        .hint(suggest(value.to_string(), to_strings(parameter.values)));
  parameter.default_value = *found;
  return {};
}

Result<ParameterRole> read_role(const Table& table, std::string_view key, std::string_view parameter) {
  WATTUNE_ASSIGN(const std::optional<std::string> name, table.string(key));
  if (!name) return usual_role(parameter);
  if (const std::optional<ParameterRole> role = parse_parameter_role(*name)) return *role;
  std::vector<std::string> names;
  for (const ParameterRole role : kAllRoles) names.emplace_back(to_string(role));
  return table.document().error(*table.find(key), "unknown role of " + table.name()).hint(suggest(*name, names));
}

}  // namespace wattune::spec
