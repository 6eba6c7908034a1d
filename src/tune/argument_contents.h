// ArgumentContents: the host side of a spec's vector arguments, made when first asked for and kept for re-uploads.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tune/formula.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::tune {

class ArgumentContents {
 public:
  // `arguments` outlives it.
  explicit ArgumentContents(const std::vector<Argument>& arguments) : arguments_(arguments), slots_(arguments.size()) {}

  // Compiles the fill expressions, which may read `i` and the problem's extents. Before get().
  Result<void> compile(std::shared_ptr<const Names> names);

  // The bytes of vector argument i with `length` elements; valid until asked for another length of it.
  Result<const std::vector<std::byte>*> get(std::size_t argument, std::size_t length);

 private:
  struct Slot {
    std::optional<space::Expression> fill;
    std::size_t length = 0;
    std::vector<std::byte> bytes;
  };

  const std::vector<Argument>& arguments_;
  std::shared_ptr<const Names> names_;
  std::vector<Slot> slots_;
};

}  // namespace wattune::tune
