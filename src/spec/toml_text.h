// Makes pieces of TOML text, for writing specs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/kernel_source.h"
#include "wattune/core/result.h"
#include "wattune/core/value.h"

namespace wattune::inline v0_1::spec {

// Returns the text as a basic string of TOML, with quotes.
std::string toml_string(std::string_view text);
std::string toml_string(const ExpressionText& expression);
// Returns a value as TOML. Fails with invalid_argument if it is NaN or infinite, which no parameter may be.
Result<std::string> toml_value(const Value& value);
// Returns "[a, b]" from elements that are in TOML's form already.
std::string toml_list(const std::vector<std::string>& elements);

// A table that is written as "{ name = "x", length = 3 }", or without braces with a key on each line.
class TomlTable {
 public:
  void add(std::string_view key, std::string value);
  // Adds a text, unless it is empty.
  void add_text(std::string_view key, std::string_view text);
  bool empty() const { return members_.empty(); }
  std::string in_line() const;
  std::string in_lines() const;                            // keys, each with a line break at its end
  std::string as_section(std::string_view heading) const;  // the section; empty if the table has no keys

 private:
  std::vector<std::string> members_;
};

}  // namespace wattune::spec
