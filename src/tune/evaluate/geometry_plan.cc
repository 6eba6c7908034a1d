#include "tune/evaluate/geometry_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::inline v0_1::tune {

namespace {

Result<std::size_t> positive_or_1(const std::optional<SizeFormula>& formula, const Configuration& configuration) {
  return formula ? positive_size(*formula, configuration) : Result<std::size_t>(1);
}

Result<std::optional<SizeFormula>> compile_optional(const ExpressionText& text,
                                                    const std::shared_ptr<const Names>& names) {
  if (text.text.empty()) return std::optional<SizeFormula>();
  WATTUNE_ASSIGN(SizeFormula formula, compile_positive(text, names));
  return std::optional<SizeFormula>(std::move(formula));
}

}  // namespace

Result<std::size_t> multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    return Error(ErrorCode::out_of_range, fmt::format("{} * {} is larger than a size can be", a, b));
  return product;
}

Result<std::size_t> positive_size(const SizeFormula& formula, const Configuration& configuration) {
  WATTUNE_ASSIGN(const std::size_t size, formula.evaluate(configuration));
  if (size == 0)
    return Error(ErrorCode::invalid_argument, "a size of 0")
        .at(formula.expression().position())
        .about(formula.expression().text());
  return size;
}

Result<SizeFormula> compile_positive(const ExpressionText& text, const std::shared_ptr<const Names>& names) {
  WATTUNE_ASSIGN(SizeFormula formula, SizeFormula::compile(text, names));
  if (formula.fixed()) WATTUNE_TRY(positive_size(formula, Configuration()));
  return formula;
}

Result<GeometryPlan> GeometryPlan::compile(const Geometry& geometry, const std::shared_ptr<const Names>& names) {
  GeometryPlan plan;
  plan.convention_ = geometry.convention;
  for (std::size_t axis = 0; axis < plan.dimensions_.size(); ++axis) {
    WATTUNE_ASSIGN(plan.dimensions_[axis], compile_dimension(geometry, axis, names));
  }
  plan.cooperative_ = geometry.cooperative;
  if (plan.is_fixed()) WATTUNE_TRY(plan.evaluate(Configuration()));
  return plan;
}

Result<GeometryPlan::Dimension> GeometryPlan::compile_dimension(const Geometry& geometry, std::size_t axis,
                                                                const std::shared_ptr<const Names>& names) {
  Dimension dimension;
  WATTUNE_ASSIGN(dimension.size, compile_optional(geometry.sizes[axis], names));
  WATTUNE_ASSIGN(dimension.work_group, compile_optional(geometry.work_group[axis], names));
  WATTUNE_ASSIGN(dimension.cluster, compile_optional(geometry.cluster[axis], names));
  for (const ExpressionText& divisor : geometry.divisors[axis]) {
    WATTUNE_ASSIGN(SizeFormula formula, compile_positive(divisor, names));
    dimension.divisors.push_back(std::move(formula));
  }
  return dimension;
}

bool GeometryPlan::is_fixed() const {
  const auto fixed = [](const std::optional<SizeFormula>& size) { return !size || size->fixed(); };
  return std::ranges::all_of(dimensions_, [&](const Dimension& dimension) {
    return fixed(dimension.size) && fixed(dimension.work_group) && fixed(dimension.cluster) &&
           std::ranges::all_of(dimension.divisors, [](const SizeFormula& d) { return d.fixed(); });
  });
}

Result<backend::Geometry3> GeometryPlan::evaluate(const Configuration& configuration) const {
  backend::Geometry3 geometry;
  for (std::size_t axis = 0; axis < dimensions_.size(); ++axis) {
    const Dimension& dimension = dimensions_[axis];
    WATTUNE_ASSIGN(geometry.group_size[axis], positive_or_1(dimension.work_group, configuration));
    WATTUNE_ASSIGN(geometry.groups[axis], groups(dimension, geometry.group_size[axis], configuration));
    WATTUNE_ASSIGN(geometry.cluster[axis], positive_or_1(dimension.cluster, configuration));
  }
  geometry.cooperative = cooperative_;
  return geometry;
}

Result<std::size_t> GeometryPlan::groups(const Dimension& dimension, std::size_t group_size,
                                         const Configuration& configuration) const {
  WATTUNE_ASSIGN(const std::size_t size, positive_or_1(dimension.size, configuration));
  switch (convention_) {
    case GeometryConvention::cuda: return size;
    case GeometryConvention::opencl:
      if (size % group_size == 0) return size / group_size;
      return Error(ErrorCode::invalid_argument,
                   fmt::format("the global size {} is not a multiple of the work-group's {}", size, group_size))
          .at(dimension.size ? dimension.size->expression().position() : SourcePosition{});
    case GeometryConvention::divided: break;
  }
  std::size_t divisor = 1;
  for (const SizeFormula& factor : dimension.divisors) {
    WATTUNE_ASSIGN(const std::size_t value, positive_size(factor, configuration));
    WATTUNE_ASSIGN(divisor, multiply(divisor, value));
  }
  return size / divisor + (size % divisor != 0 ? 1 : 0);
}

}  // namespace wattune::tune
