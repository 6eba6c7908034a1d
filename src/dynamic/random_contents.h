// RandomContents: what arguments that are filled at random hold, kept from one key of a kernel to the next, because to
// draw as much takes longer than to screen some configurations. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace wattune::dynamic {

class RandomContents {
 public:
  using Contents = std::vector<tune::SharedBytes>;

  // By the positions of the arguments, for the default configuration, as EvaluatorOptions::contents; nullptr: it is
  // filled by other means, or not at all, or is too long to be kept. Nothing, where the spec is wrong: whoever
  // evaluates it says so.
  Contents of(const KernelSpec& spec, const space::SearchSpace& space);
  void forget() { kept_.clear(); }

 private:
  // One sequence of elements, of which an argument holds as many as it is long.
  struct Sequence {
    std::variant<FillUniform, FillNormal> fill;
    ElementType type;
    std::size_t width;
    std::uint64_t seed;  // where the fill has none

    bool operator==(const Sequence&) const = default;
  };
  struct Kept {
    Sequence sequence;
    tune::SharedBytes bytes;  // at least as many as were ever wanted
  };

  Result<Contents> find(const KernelSpec& spec, const space::SearchSpace& space);
  Result<tune::SharedBytes> beginning_of(const Sequence& sequence, const VectorArgument& argument, std::size_t length);

  std::deque<Kept> kept_;
};

}  // namespace wattune::dynamic
