// Signature: the arguments that calls of a kernel pass, and the problem sizes that these arguments determine. It is
// immutable, and any thread may use it.
//
// A call passes the spec's arguments in their order, without local memory and samplers. A scalar whose value in the
// spec is only the name of a size gives that size. A scalar whose value depends on tuning parameters is computed by the
// spec. The value that a call passes for it is ignored, because the application cannot know it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/dynamic/call.h"

namespace wattune::inline v0_1::dynamic {

// The sizes of a call: first the sizes of the spec in their order, then a pair of position and value for each given
// parameter. It is a plain struct, so that calls compare it quickly.
struct CallSizes {
  static constexpr std::size_t kMostSizes = 32;

  std::array<std::int64_t, kMostSizes> numbers;  // the first `count` are valid
  std::size_t count = 0;

  bool operator==(const CallSizes& other) const {
    if (count != other.count) return false;
    for (std::size_t i = 0; i < count; ++i)  // a loop, since calling a function for few numbers would take longer
      if (numbers[i] != other.numbers[i]) return false;
    return true;
  }
  std::size_t hash() const;
};

// An argument that calls pass.
struct PassedArgument {
  std::size_t argument = 0;  // position in the spec's arguments
  bool is_memory = false;
  std::optional<ElementType> type = {};  // nullopt if any type fits
  std::size_t bytes = 0;                 // size of a scalar or struct
  std::optional<std::size_t> size = {};  // position of the problem size that it gives, if any
  bool is_computed = false;              // true if the spec computes its value for each configuration
};

class Signature {
 public:
  // Makes the signature of a kernel. Fails with the errors of the spec, and with out_of_range if the kernel has more
  // sizes than a call can give.
  static Result<Signature> make(const KernelSpec& spec);

  const std::vector<PassedArgument>& passed() const { return passed_; }
  // Checks the arguments of a call. Fails with invalid_argument if the number of arguments or the type of an argument
  // is wrong.
  Result<void> check(std::span<const CallArgument> arguments) const {
    return have_their_types(arguments) ? Result<void>() : check_each(arguments);
  }
  // Writes the sizes of a call. A size comes from a scalar, or else from `given`, or else from the spec. Without
  // arguments, it comes from `given` or the spec. The result is an output parameter, because returning the struct would
  // cost each call a copy. Fails with invalid_argument if a name is neither a size nor a parameter. Precondition: the
  // arguments were checked.
  Result<void> read_sizes(std::span<const CallArgument> arguments, std::span<const NamedSize> given,
                          CallSizes& sizes) const;
  // True if the scalars give these sizes.
  bool agrees(std::span<const CallArgument> arguments, const CallSizes& sizes) const;
  // Returns the sizes with their names.
  std::vector<NamedSize> named(const CallSizes& sizes) const;

 private:
  // An argument of the call from which a size is read.
  struct Telling {
    std::size_t passed = 0;
    std::size_t size = 0;  // position of the size in the spec's problem size
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
  std::vector<std::string> argument_names_;  // names of the passed arguments
  std::vector<std::uint32_t> shapes_;        // numbers that encode their types and sizes, for a quick check
  std::vector<Telling> telling_;
  std::vector<NamedSize> sizes_;  // the sizes in the spec
  std::vector<std::string> parameters_;
};

}  // namespace wattune::dynamic
