// Spaces for tests, and the brute force that they are compared with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "space/interface/expression.h"
#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::space {

inline Parameter parameter(std::string name, std::vector<Value> values) {
  return {std::move(name), std::move(values), std::nullopt, {}};
}

// Integers from first to last.
inline Parameter range_parameter(std::string name, int first, int last) {
  Parameter result = parameter(std::move(name), {});
  for (int value = first; value <= last; ++value) result.values.emplace_back(value);
  return result;
}

inline std::vector<Constraint> constraints(const std::vector<std::string>& expressions) {
  std::vector<Constraint> result;
  for (const std::string& expression : expressions) result.push_back({expression, {}});
  return result;
}

inline SearchSpace space_of(std::vector<Parameter> parameters, const std::vector<std::string>& expressions,
                            const BuildOptions& options = {}) {
  return SearchSpace::build(std::move(parameters), constraints(expressions), {}, options).value();
}

inline Error build_error(std::vector<Parameter> parameters, std::vector<Constraint> constraints) {
  auto space = SearchSpace::build(std::move(parameters), std::move(constraints));
  if (!space) return space.error();
  ADD_FAILURE() << "the space was built";
  return Error(ErrorCode::internal, "the space was built");
}

inline Error error_of(std::vector<Parameter> parameters, const std::vector<std::string>& expressions) {
  return build_error(std::move(parameters), constraints(expressions));
}

// Calls f with every combination of value indices.
template <typename F>
void for_each_combination(const std::vector<Parameter>& parameters, F f) {
  ValueIndices indices(parameters.size(), 0);
  for (;;) {
    f(std::as_const(indices));
    std::size_t p = parameters.size();
    while (p > 0 && ++indices[p - 1] == parameters[p - 1].values.size()) indices[--p] = 0;
    if (p == 0) return;
  }
}

inline Expression::Lookup lookup_in(const std::vector<Parameter>& parameters, const ValueIndices& indices) {
  return [&](std::string_view name) -> const Value* {
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].name == name) return &parameters[p].values[indices[p]];
    }
    return nullptr;
  };
}

// Finds the valid combinations by evaluating every expression at every combination. Sets *fault for a fault that no
// other expression excludes.
inline std::set<ValueIndices> brute_force(const std::vector<Parameter>& parameters,
                                          const std::vector<std::string>& expressions, bool* fault = nullptr) {
  std::vector<Expression> parsed;
  for (const std::string& expression : expressions) parsed.push_back(Expression::parse(expression).value());
  std::set<ValueIndices> valid;
  for_each_combination(parameters, [&](const ValueIndices& indices) {
    bool excluded = false;
    bool faulted = false;
    for (const Expression& expression : parsed) {
      const Result<bool> holds = expression.evaluate_bool(lookup_in(parameters, indices));
      excluded |= holds && !*holds;
      faulted |= !holds;
    }
    if (excluded) return;
    if (!faulted) valid.insert(indices);
    if (faulted && fault != nullptr) *fault = true;
  });
  return valid;
}

// Returns every configuration of the space, by id.
inline std::vector<ValueIndices> contents(const SearchSpace& space) {
  std::vector<ValueIndices> result;
  ValueIndices indices;
  for (auto id = space.next(0); id; id = space.next(*id + 1)) {
    space.unrank(*id, indices);
    result.push_back(indices);
  }
  return result;
}

// Expects that the space holds exactly the combinations that brute force finds, and each once.
inline void expect_equals_brute_force(const std::vector<Parameter>& parameters,
                                      const std::vector<std::string>& expressions, const BuildOptions& options = {}) {
  const SearchSpace space = space_of(parameters, expressions, options);
  const std::vector<ValueIndices> found = contents(space);
  const std::set<ValueIndices> distinct(found.begin(), found.end());
  EXPECT_EQ(distinct.size(), found.size());
  EXPECT_EQ(distinct, brute_force(parameters, expressions));
}

// Returns parameters that are few enough for brute force. Their constraints connect all of them, with products, sums,
// divisibility and short circuits.
inline std::vector<Parameter> stencil_parameters() {
  return {parameter("bx", {1, 2, 4, 8, 16, 32}), parameter("by", {1, 2, 4, 8}), range_parameter("tx", 1, 4),
          range_parameter("ty", 1, 4),           range_parameter("tt", 1, 4),   parameter("sh", {0, 1})};
}
inline std::vector<std::string> stencil_constraints() {
  return {"8 <= bx * by <= 64", "(bx*tx + tt*2) * (by*ty + tt*2) * (2 + sh) * 4 <= 2048", "tx % tt == 0 or sh == 1"};
}

}  // namespace wattune::space
