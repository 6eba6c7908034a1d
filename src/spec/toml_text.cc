#include "spec/toml_text.h"

#include <fmt/format.h>

#include <cmath>

namespace wattune::inline v0_1::spec {

namespace {

bool is_bare(std::string_view key) {
  return !key.empty() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                             std::string_view::npos;
}

}  // namespace

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char each : text) {
    const auto code = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\')
      out += fmt::format("\\{}", each);
    else if (code < 0x20 || code == 0x7F)
      out += fmt::format("\\u{:04X}", code);
    else
      out += each;
  }
  return out += '"';
}

std::string toml_string(const ExpressionText& expression) { return toml_string(expression.text); }

Result<std::string> toml_value(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean: return std::string(value.as_integer() != 0 ? "true" : "false");
    case Value::Kind::string: return toml_string(value.as_string());
    case Value::Kind::integer: return value.to_string();
    case Value::Kind::real: break;
  }
  if (std::isfinite(value.as_real())) return value.to_string();
  return Error(ErrorCode::invalid_argument, "a spec cannot hold this number").about(value.to_string());
}

std::string toml_list(const std::vector<std::string>& elements) {
  return fmt::format("[{}]", fmt::join(elements, ", "));
}

void TomlTable::add(std::string_view key, std::string value) {
  members_.push_back(fmt::format("{} = {}", is_bare(key) ? std::string(key) : toml_string(key), std::move(value)));
}

void TomlTable::add_text(std::string_view key, std::string_view text) {
  if (!text.empty()) add(key, toml_string(text));
}

std::string TomlTable::in_line() const { return fmt::format("{{ {} }}", fmt::join(members_, ", ")); }

std::string TomlTable::in_lines() const {
  std::string text;
  for (const std::string& member : members_) text += member + '\n';
  return text;
}

std::string TomlTable::as_section(std::string_view heading) const {
  return empty() ? "" : fmt::format("\n[{}]\n{}", heading, in_lines());
}

}  // namespace wattune::spec
