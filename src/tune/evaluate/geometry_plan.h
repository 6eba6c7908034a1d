// GeometryPlan: the expressions of a launch's geometry, compiled once per run.
//
// Mistakes in the spec are errors of compile(). Impossible values of one configuration (a work-group that does not
// divide the global size) are errors of evaluate(). Immutable after compile.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "tune/evaluate/formula.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::tune {

using SizeFormula = Formula<std::size_t>;

// Evaluates a size. Fails if it is 0.
Result<std::size_t> positive_size(const SizeFormula& formula, const Configuration& configuration);
// Compiles a size, and checks it at once if it reads no parameter.
Result<SizeFormula> compile_positive(const ExpressionText& text, const std::shared_ptr<const Names>& names);
// Returns the product of two sizes. Fails with out_of_range if it is too large for a size.
Result<std::size_t> multiply(std::size_t a, std::size_t b);

class GeometryPlan {
 public:
  static Result<GeometryPlan> compile(const Geometry& geometry, const std::shared_ptr<const Names>& names);

  Result<backend::Geometry3> evaluate(const Configuration& configuration) const;

 private:
  struct Dimension {
    std::optional<SizeFormula> size;  // problem, global size or grid, depending on the convention; 1 if absent
    std::optional<SizeFormula> work_group;
    std::vector<SizeFormula> divisors;
    std::optional<SizeFormula> cluster;
  };

  static Result<Dimension> compile_dimension(const Geometry& geometry, std::size_t axis,
                                             const std::shared_ptr<const Names>& names);
  bool is_fixed() const;
  Result<std::size_t> groups(const Dimension& dimension, std::size_t group_size,
                             const Configuration& configuration) const;

  GeometryConvention convention_ = GeometryConvention::opencl;
  std::array<Dimension, 3> dimensions_;
  bool cooperative_ = false;
};

}  // namespace wattune::tune
