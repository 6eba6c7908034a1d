// Shortcut: remembers the last call in a stream that ran the best known configuration, so that a similar call needs no
// look-up.
//
// Most calls differ from the call before only in memory and scalars. Between calls, the caches fill with the data of
// the application and the driver, so each cache line that a call need not read saves time.
//
//   const std::lock_guard lock(last->lane().sending);
//   if (last->is_for(arguments, signature)) sent = last->send(arguments);
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "dynamic/calls/fit.h"
#include "dynamic/calls/instance.h"
#include "dynamic/calls/signature.h"

namespace wattune::inline v0_1::dynamic {

class Shortcut {
 public:
  explicit Shortcut(Lane& lane) : lane_(lane) {}

  // Returns the lane. The lane's mutex `sending` guards all other members.
  Lane& lane() const { return lane_; }
  Instance& instance() const { return *instance_; }
  const Variant* variant() const { return variant_; }

  // Remembers the call that was sent. Precondition: has_no_buffers().
  void lead(const CallSizes& sizes, Instance& instance, const Variant& variant, const LaidOut& laid_out) {
    sizes_ = sizes;
    instance_ = &instance;
    variant_ = &variant;
    laid_out_ = laid_out;
    mark_ = laid_out.fit->memory_mark();
    memory_.clear();
  }
  // True if no argument is a buffer object of this library, so that a shortcut is possible. The address of a destroyed
  // buffer may later belong to a buffer of another size.
  static bool has_no_buffers(std::span<const CallArgument> arguments) {
    return std::ranges::none_of(arguments, [](const CallArgument& each) { return each.buffer() != nullptr; });
  }

  // True if a call with these arguments is for the same instance. Precondition: the arguments have the right types, and
  // the call gives no sizes by name.
  bool is_for(std::span<const CallArgument> arguments, const Signature& signature) const {
    return laid_out_.layout->is_current() && has_no_buffers(arguments) && signature.agrees(arguments, sizes_);
  }
  // Sends the call with the remembered variant. Errors are those of Variant::send().
  Result<void> send(std::span<const CallArgument> arguments) {
    if (!has_memory_of(arguments)) WATTUNE_TRY(check_memory(arguments));
    return laid_out_.layout->send(arguments);
  }

 private:
  bool has_memory_of(std::span<const CallArgument> arguments) const {
    if (memory_.size() != arguments.size()) return false;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (memory_[i] != marked(arguments[i])) return false;
    return true;
  }

  // An address, and a mark that distinguishes its allocation from a later one at the same address.
  using Marked = std::pair<std::uint64_t, std::uint64_t>;
  Marked marked(const CallArgument& argument) const {
    const std::uint64_t memory = argument.memory();
    return {memory, memory != 0 && mark_ != nullptr ? mark_(memory) : 0};
  }

  Result<void> check_memory(std::span<const CallArgument> arguments);

  Lane& lane_;
  CallSizes sizes_ = {};
  Instance* instance_ = nullptr;
  const Variant* variant_ = nullptr;
  LaidOut laid_out_ = {};
  backend::MemoryMark mark_ = nullptr;
  std::vector<Marked> memory_;  // memory arguments of the last call, found large enough; 0 for scalars
};

}  // namespace wattune::dynamic
