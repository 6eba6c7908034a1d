// ArgumentContents: the contents of a spec's vector arguments in host memory. They are made when first asked for, and
// kept for further uploads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tune/evaluate/formula.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

class ArgumentContents {
 public:
  // Makes contents for `arguments`, which must outlive the object. `given` replaces the spec's fills, by position;
  // nullptr keeps a fill.
  explicit ArgumentContents(const std::vector<Argument>& arguments, std::vector<SharedBytes> given = {})
      : arguments_(arguments), given_(std::move(given)), slots_(arguments.size()) {
    given_.resize(arguments.size());
  }

  // Compiles the fill expressions, which may read `i` and the problem's extents. Call it before get(). Fails as
  // Expression::parse() does.
  Result<void> compile(std::shared_ptr<const Names> names);

  // Returns the bytes of a vector argument with `length` elements; valid until another length of the argument is
  // requested. Fails as measure::make_contents() does.
  Result<std::span<const std::byte>> get(std::size_t argument, std::size_t length);

 private:
  using FillExpressionOf = std::optional<space::Expression>;
  struct Slot {
    std::vector<FillExpressionOf> fills;  // one expression for the buffer, or one for each field of its structs
    std::size_t length = 0;
    std::vector<std::byte> bytes;
  };

  Result<FillExpressionOf> compile(const Fill& fill) const;
  Result<std::vector<std::byte>> fill(const VectorArgument& vector, const FillExpressionOf& expression,
                                      std::size_t length, std::uint64_t seed) const;
  Result<std::vector<std::byte>> fill_structs(const VectorArgument& vector, const Slot& slot, std::size_t length,
                                              std::uint64_t seed) const;

  const std::vector<Argument>& arguments_;
  std::vector<SharedBytes> given_;
  std::shared_ptr<const Names> names_;
  std::vector<Slot> slots_;
};

}  // namespace wattune::tune
