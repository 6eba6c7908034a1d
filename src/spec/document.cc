#include "spec/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include "core/interface/suggest.h"
#include "spec/large_number.h"

namespace wattune::inline v0_1::spec {

namespace {

// Returns the result of converting a node. Returns nullopt if there is no node.
template <typename T, typename Convert>
Result<std::optional<T>> convert_if(const Node* node, Convert convert) {
  if (node == nullptr) return std::optional<T>();
  WATTUNE_ASSIGN(T value, convert(*node));
  return std::optional<T>(std::move(value));
}

// Suggests the key that is nearest to a misspelt one. Lists all keys if none is near.
std::string nearest_or_all(const std::string& key, const std::vector<std::string>& keys) {
  std::string nearest = suggest(key, keys);
  return nearest.empty() ? fmt::format("one of: {}", fmt::join(keys, ", ")) : nearest;
}

// True if the node is an integer from 2^63 to 2^64 - 1.
bool holds_large_number(const Node& node) {
  return node.is_string() && large_number(node.scalar.as_string()).has_value();
}

// Returns the number that a text holds. Returns nullopt for nodes that are no such text.
std::optional<double> number_in_text(const Node& node) {
  if (!node.is_string()) return std::nullopt;
  const std::string& text = node.scalar.as_string();
  double number = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = failure == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(number) : std::nullopt;
}

std::string quotes_hint(const Node& node) { return number_in_text(node) ? "numbers have no quotes" : ""; }

}  // namespace

const Node* Node::find(std::string_view key) const {
  const auto member = std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.key == key; });
  return member == members.end() ? nullptr : &member->value;
}

std::string Node::to_string() const {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::scalar: return scalar.to_string();
    case Kind::list: return elements.empty() ? "[]" : "[...]";
    case Kind::table: return members.empty() ? "{}" : "{...}";
  }
  return {};
}

Error Document::error(const Node& node, std::string message, ErrorCode code) const {
  return Error(code, std::move(message)).at(position(node.content)).about(node.to_string());
}

Result<std::string> Document::string(const Node& node, const std::string& what) const {
  if (!node.is_string()) return error(node, what + " must be a string");
  std::string text = node.scalar.as_string();
  if (text.find('\0') != std::string::npos) return error(node, what + " has a zero byte in it");
  return text;
}

Result<double> Document::number(const Node& node, const std::string& what) const {
  if (holds_large_number(node)) return std::strtod(large_number(node.scalar.as_string())->c_str(), nullptr);
  if (!node.is_number()) return error(node, what + " must be a number").hint(quotes_hint(node));
  const double number = node.scalar.as_real();
  if (!std::isfinite(number)) return error(node, what + " must be a finite number");
  return number;
}

Result<Value> Document::any_number(const Node& node, const std::string& what) const {
  if (node.is_number()) return node.scalar;
  if (holds_large_number(node)) return Value(*large_number(node.scalar.as_string()));
  if (const std::optional<double> number = number_in_text(node)) return Value(*number);
  return error(node, what + " must be a number");
}

Result<std::int64_t> Document::integer(const Node& node, const std::string& what) const {
  if (node.is_integer()) return node.scalar.as_integer();
  if (holds_large_number(node)) return error(node, what + " must be below 2^63");
  return error(node, what + " must be an integer").hint(quotes_hint(node));
}

Result<bool> Document::boolean(const Node& node, const std::string& what) const {
  if (node.kind != Node::Kind::scalar || node.scalar.kind() != Value::Kind::boolean)
    return error(node, what + " must be true or false");
  return node.scalar.as_integer() != 0;
}

Result<ExpressionText> Document::expression(const Node& node, const std::string& what) const {
  if (!node.is_string() && !node.is_integer()) return error(node, what + " must be an integer or an expression");
  return ExpressionText{node.scalar.to_string(), position(node.content)};
}

Result<ExpressionText> Document::value_expression(const Node& node, const std::string& what) const {
  if (node.kind != Node::Kind::scalar) return error(node, what + " must be a number or an expression");
  std::string text = node.scalar.to_string();
  if (const std::optional<std::string> digits = large_number(text)) text = "'" + *digits + "'";
  return ExpressionText{std::move(text), position(node.content)};
}

Result<std::vector<std::string>> Document::strings(const Node& node, const std::string& what) const {
  if (node.kind != Node::Kind::list)
    return error(node, what + " must be a list of strings")
        .hint(node.is_string() ? fmt::format("write [\"{}\"]", node.scalar.as_string()) : "");
  std::vector<std::string> result;
  for (const Node& element : node.elements) {
    WATTUNE_ASSIGN(std::string text, string(element, "each of " + what));
    result.push_back(std::move(text));
  }
  return result;
}

Result<Table> Table::of(const Document& document, const Node& node, std::string name) {
  if (node.kind != Node::Kind::table) return document.error(node, name + " must be a table");
  return Table(document, node, std::move(name));
}

Result<void> Table::allow_only(const std::vector<std::string>& keys) const {
  for (const Node::Member& member : node_->members) {
    if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    return Error(ErrorCode::invalid_argument, "unknown key in " + name_)
        .at(document_->position(member.place))
        .about(member.key)
        .hint(nearest_or_all(member.key, keys));
  }
  return {};
}

Result<void> Table::refuse_misspelt(const std::vector<std::string>& keys) const {
  for (const Node::Member& member : node_->members) {
    if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    std::string nearest = suggest(member.key, keys);
    if (!nearest.starts_with("did you mean")) continue;
    return Error(ErrorCode::invalid_argument, "unknown key in " + name_)
        .at(document_->position(member.place))
        .about(member.key)
        .hint(std::move(nearest));
  }
  return {};
}

Result<const Node*> Table::required(std::string_view key) const {
  if (const Node* node = find(key)) return node;
  return Error(ErrorCode::invalid_argument, fmt::format("{} needs the key `{}`", name_, key))
      .at(document_->position(node_->place));
}

Result<std::string> Table::required_string(std::string_view key) const {
  WATTUNE_ASSIGN(const Node* node, required(key));
  return document_->string(*node, describe(key));
}

Result<ExpressionText> Table::required_expression(std::string_view key) const {
  WATTUNE_ASSIGN(const Node* node, required(key));
  return document_->expression(*node, describe(key));
}

Result<std::optional<std::string>> Table::string(std::string_view key) const {
  return convert_if<std::string>(find(key), [&](const Node& n) { return document_->string(n, describe(key)); });
}

Result<std::optional<double>> Table::number(std::string_view key) const {
  return convert_if<double>(find(key), [&](const Node& n) { return document_->number(n, describe(key)); });
}

Result<std::optional<std::int64_t>> Table::integer(std::string_view key) const {
  return convert_if<std::int64_t>(find(key), [&](const Node& n) { return document_->integer(n, describe(key)); });
}

Result<std::optional<bool>> Table::boolean(std::string_view key) const {
  return convert_if<bool>(find(key), [&](const Node& n) { return document_->boolean(n, describe(key)); });
}

Result<std::vector<std::string>> Table::strings(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::vector<std::string>();
  return document_->strings(*node, describe(key));
}

Result<std::optional<Table>> Table::table(std::string_view key, std::string name) const {
  return convert_if<Table>(find(key), [&](const Node& n) { return Table::of(*document_, n, std::move(name)); });
}

std::string Table::describe(std::string_view key) const { return fmt::format("`{}` of {}", key, name_); }

}  // namespace wattune::spec
