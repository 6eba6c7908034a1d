// Formula: one expression of a spec, compiled once and evaluated per configuration.
//
// Unknown names, and mistakes that concern all configurations, are errors of compile(). Errors that depend on the
// configuration (a division by zero for some of them) are errors of evaluate(). Immutable after compile.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/interface/expression.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::tune {

// The names that a spec's expressions may read: its tuning parameters and the extents of its problem.
class Names {
 public:
  Names(const std::vector<NamedSize>& problem_size, const std::vector<Parameter>& parameters);

  // Returns a copy with one more name, whose value is given together with the values of the parameters.
  Names with_index(const std::string& name) const;
  // Returns a copy whose errors about an unknown name also suggest `others`.
  Names with_suggested(std::vector<std::string> others) const;

  bool is_parameter(std::string_view name) const;
  // Returns the value of a problem extent, or of `inf` or `nan`; nullptr for any other name.
  const Value* constant(std::string_view name) const;
  // Checks the names in an expression. Fails with not_found, which suggests the nearest name, if a name is neither one
  // of these names nor `extra`.
  Result<void> check(const space::Expression& expression, std::string_view extra = {}) const;

 private:
  std::vector<std::string> parameters_;
  std::map<std::string, Value, std::less<>> constants_;
  std::vector<std::string> suggested_;
};

// Returns the text of an error in one line, as Observation::message needs it.
std::string one_line(std::string text);

// An expression that gives a T: std::size_t for sizes, bool for conditions, Value for all others.
template <typename T>
class Formula {
 public:
  static Result<Formula> compile(const ExpressionText& text, std::shared_ptr<const Names> names);

  // True if the expression reads no tuning parameter.
  bool fixed() const { return fixed_.has_value(); }
  // True if every name that the expression reads has a value. Figures that a device does not report may be missing.
  bool has_all_values(const Configuration& configuration) const;
  Result<T> evaluate(const Configuration& configuration) const;
  const space::Expression& expression() const { return expression_; }

 private:
  Formula(space::Expression expression, std::shared_ptr<const Names> names)
      : expression_(std::move(expression)), names_(std::move(names)) {}

  space::Expression expression_;
  std::shared_ptr<const Names> names_;
  std::optional<T> fixed_;
};

extern template class Formula<bool>;
extern template class Formula<std::size_t>;
extern template class Formula<Value>;

}  // namespace wattune::tune
