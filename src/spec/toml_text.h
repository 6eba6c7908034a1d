// Pieces of TOML as text, for writing specs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/expression_text.h"
#include "wattune/core/result.h"
#include "wattune/core/value.h"

namespace wattune::spec {

// A basic string.
std::string toml_string(std::string_view text);
std::string toml_string(const ExpressionText& expression);
// invalid_argument: NaN and infinities, which no parameter may be.
Result<std::string> toml_value(const Value& value);
// "[a, b]", of what is TOML already.
std::string toml_list(const std::vector<std::string>& elements);

// "{ name = "x", length = 3 }", or without braces a key to a line.
class TomlTable {
 public:
  void add(std::string_view key, std::string value);
  // Unless the text is empty.
  void add_text(std::string_view key, std::string_view text);
  bool empty() const { return members_.empty(); }
  std::string in_line() const;
  std::string in_lines() const;                            // each ended
  std::string as_section(std::string_view heading) const;  // empty when the table is

 private:
  std::vector<std::string> members_;
};

}  // namespace wattune::spec
