#include "report/header_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/interface/printable.h"

namespace wattune::inline v0_1::report {

namespace {

std::string real_replacement(double value) {
  if (std::isfinite(value)) return value < 0 ? "(" + format_real(value) + ")" : format_real(value);
  return std::isnan(value) ? "(0.0 / 0.0)" : value < 0 ? "(-1e999)" : "1e999";
}

}  // namespace

std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
    if (fits)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return text;
}

std::string parameter_macro(const std::string& name) {
  std::string macro = name;
  for (char& c : macro)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return !macro.empty() && std::isdigit(static_cast<unsigned char>(macro.front())) != 0 ? "_" + macro : macro;
}

std::string in_comment(std::string_view text) {
  std::string line = printable(text);
  for (std::size_t at = line.find("*/"); at != std::string::npos; at = line.find("*/", at)) line[at + 1] = '|';
  for (std::size_t at = line.find("/*"); at != std::string::npos; at = line.find("/*", at)) line[at] = '|';
  return line;
}

std::string c_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return literal + '"';
}

std::string replacement(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer:
    case Value::Kind::boolean: return value.as_integer() < 0 ? "(" + value.to_macro() + ")" : value.to_macro();
    case Value::Kind::real: return real_replacement(value.as_real());
    case Value::Kind::string: return printable(value.to_macro());  // line breaks would end the definition
  }
  return {};
}

}  // namespace wattune::report
