// Value: the value of a tuning parameter: an integer, a real, a boolean or a string.
//
// Comparison follows Python, whose expression syntax the constraints use: True == 1 == 1.0, a number never equals a
// string. Values own their text, are small and are copied freely.
//
//   const Value block = 32;
//   if (block.is_number()) print(block.to_string(), block.as_real());   // "32", 32.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "wattune/core/export.h"

namespace wattune::inline v0_1 {

// A value of one of four kinds.
class WATTUNE_EXPORT Value {
 public:
  enum class Kind { integer, real, boolean, string };

  Value() = default;
  Value(bool value) : data_(value) {}
  Value(int value) : data_(static_cast<std::int64_t>(value)) {}
  Value(std::int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(const char* value) : data_(std::string(value)) {}

  Kind kind() const;
  bool is_number() const { return kind() != Kind::string; }
  bool is_integral() const { return kind() == Kind::integer || kind() == Kind::boolean; }

  // Returns the stored alternative. Precondition: it is of that kind (as_integer also takes a boolean).
  std::int64_t as_integer() const;
  const std::string& as_string() const;
  // Returns any number as a double. Precondition: is_number().
  double as_real() const;

  // Returns the text of Python's str(): 16, 0.5, True, abc. Kernel Tuner's cache keys are made of these.
  std::string to_string() const;
  // Returns the text that a macro is defined as: like to_string() but 1 and 0 for booleans.
  std::string to_macro() const;

  // Compares as Python's == does.
  bool operator==(const Value& other) const;

 private:
  std::variant<std::int64_t, double, bool, std::string> data_;
};

// Returns the shortest text that reads back as the same double, with ".0" if it would look like an integer (Python's
// repr).
WATTUNE_EXPORT std::string format_real(double value);

}  // namespace wattune
