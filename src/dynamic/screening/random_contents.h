// RandomContents: the contents of randomly filled arguments, kept from one key of a kernel to the next. Drawing them
// takes longer than screening some configurations. One thread uses it.
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

  // Returns contents by the positions of the arguments, for the default configuration, as EvaluatorOptions::contents.
  // nullptr if an argument is filled by other means, not filled, or too long to be kept. Empty if the spec is wrong;
  // its evaluation reports why.
  Contents of(const KernelSpec& spec, const space::SearchSpace& space);
  void forget() { kept_.clear(); }

 private:
  // A sequence of random elements. An argument holds its first elements.
  struct Sequence {
    std::variant<FillUniform, FillNormal> fill;
    ElementType type;
    std::size_t width;
    std::size_t padding;
    std::uint64_t seed;  // the seed if the fill names none

    bool operator==(const Sequence&) const = default;
  };
  struct Kept {
    Sequence sequence;
    tune::SharedBytes bytes;  // at least as many as any argument needed so far
  };

  Result<Contents> find(const KernelSpec& spec, const space::SearchSpace& space);
  Result<tune::SharedBytes> beginning_of(const Sequence& sequence, const VectorArgument& argument, std::size_t length);

  std::deque<Kept> kept_;
};

}  // namespace wattune::dynamic
