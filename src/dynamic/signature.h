// Signature: what calls of a kernel pass, and which sizes they tell. Immutable; any thread.
//
// A call passes the spec's arguments in their order but local memory and samplers. A scalar whose value is the bare
// name of a size tells it. One whose value reads tuning parameters is the spec's: what the call passes for it counts
// for nothing, because the application cannot know it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/dynamic/call.h"

namespace wattune::dynamic {

// The sizes of a call: those of the spec in their order, then as pairs the position and the value of each parameter
// that is given. Plain, so that calls compare them quickly.
struct CallSizes {
  static constexpr std::size_t kMost = 32;

  std::array<std::int64_t, kMost> numbers;  // `count` of them mean something
  std::size_t count = 0;

  bool operator==(const CallSizes& other) const {
    if (count != other.count) return false;
    for (std::size_t i = 0; i < count; ++i)  // a few: to call a function for them takes longer
      if (numbers[i] != other.numbers[i]) return false;
    return true;
  }
  std::size_t hash() const;
};

// An argument of a call.
struct PassedArgument {
  std::size_t argument = 0;  // in the spec
  bool is_memory = false;
  std::optional<ElementType> type = {};  // none: whatever it is
  std::size_t bytes = 0;                 // of a scalar or struct
  std::optional<std::size_t> size = {};  // that it tells, in the spec's problem size
  bool is_computed = false;              // its value is the spec's
};

class Signature {
 public:
  // Errors of the spec; out_of_range: more sizes than calls can tell.
  static Result<Signature> make(const KernelSpec& spec);

  const std::vector<PassedArgument>& passed() const { return passed_; }
  // invalid_argument: another number of arguments, or another type of one.
  Result<void> check(std::span<const CallArgument> arguments) const {
    return have_their_types(arguments) ? Result<void>() : check_each(arguments);
  }
  // What the scalars tell, then what is given by name, then the spec's; without arguments, what is given. Into `sizes`,
  // of which each call would be too much to copy. invalid_argument: a name that is neither a size nor a parameter. The
  // arguments are checked.
  Result<void> read_sizes(std::span<const CallArgument> arguments, std::span<const NamedSize> given,
                          CallSizes& sizes) const;
  // Whether the scalars tell these sizes.
  bool agrees(std::span<const CallArgument> arguments, const CallSizes& sizes) const;
  // The same with names.
  std::vector<NamedSize> named(const CallSizes& sizes) const;

 private:
  // An argument of the call that tells a size.
  struct Telling {
    std::size_t passed = 0;
    std::size_t size = 0;  // in the spec's problem size
    std::optional<ElementType> type = {};
  };

  bool have_their_types(std::span<const CallArgument> arguments) const {
    if (arguments.size() != shapes_.size()) return false;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].shape() != shapes_[i]) return false;
    return true;
  }
  Result<void> check_each(std::span<const CallArgument> arguments) const;
  Error wrong(std::size_t index, const CallArgument& argument) const;
  Result<void> give(const NamedSize& size, CallSizes& sizes) const;

  std::string kernel_;
  std::vector<PassedArgument> passed_;
  std::vector<std::string> argument_names_;  // of those passed
  std::vector<std::uint32_t> shapes_;        // of those passed in their very types
  std::vector<Telling> telling_;
  std::vector<NamedSize> sizes_;  // the spec's
  std::vector<std::string> parameters_;
};

}  // namespace wattune::dynamic
