// RandomContents: the contents of randomly filled arguments, kept from one key of a kernel to the next. Drawing them
// takes longer than screening some configurations. Only one thread may use this object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::dynamic {

class RandomContents {
 public:
  using Contents = std::vector<tune::SharedBytes>;

  // Returns contents by the positions of the arguments, for the default configuration, in the form of
  // EvaluatorOptions::contents. The contents are nullptr for an argument that is not filled randomly or is too long to
  // be kept. The result is empty if the spec is wrong; its evaluation reports why.
  Contents of(const KernelSpec& spec, const space::SearchSpace& space);
  void forget() { kept_.clear(); }

 private:
  // A sequence of random elements. An argument holds its first elements.
  struct Sequence {
    std::variant<FillUniform, FillNormal> fill;
    ElementType type;
    std::size_t width;
    std::size_t padding;
    std::uint64_t seed;  // seed of the fill, or the default seed if the fill has none

    bool operator==(const Sequence&) const = default;
  };
  struct Kept {
    Sequence sequence;
    tune::SharedBytes bytes;  // the elements; at least as many as were needed so far
  };

  Result<Contents> find(const KernelSpec& spec, const space::SearchSpace& space);
  Result<tune::SharedBytes> beginning_of(const Sequence& sequence, const VectorArgument& argument, std::size_t length);

  std::deque<Kept> kept_;
};

}  // namespace wattune::dynamic
