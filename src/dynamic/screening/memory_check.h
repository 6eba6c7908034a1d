// MemoryCheck: checks that the memory that calls pass is as large as the launches need. Any thread may call check().
//
// The size of an allocation is requested from the driver once, and not again while the allocation is among those passed
// recently. At each call, the driver only tells whether the allocation is still the same, which is cheap
// (backend::MemoryMark).
#pragma once

#include <array>
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "dynamic/calls/signature.h"
#include "tune/interface/launch_plan.h"
#include "wattune/backend/attach.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::dynamic {

class MemoryCheck {
 public:
  MemoryCheck(const KernelSpec& spec, const Signature& signature, const std::vector<tune::PlannedArgument>& planned,
              backend::MemoryMark mark_of);

  // Checks the memory arguments. Fails with mismatch if one of them is too small, a null pointer, or of the wrong kind
  // (pixels or not). Fails with the errors of adopt_buffer() as well.
  Result<void> check(std::span<const CallArgument> arguments, backend::Device& device);
  backend::MemoryMark mark() const { return mark_; }

 private:
  struct Needed {
    std::size_t passed = 0;
    std::string name;
    std::size_t bytes = 0;
    bool pixels = false;
  };

  Result<void> check(const Needed& needed, const CallArgument& given, backend::Device& device) const;
  Error too_small(const Needed& needed, std::size_t bytes) const;

  std::string kernel_;
  std::vector<Needed> needed_;
  backend::MemoryMark mark_;
  std::array<std::atomic<std::uint64_t>, 64> seen_{};  // addresses mixed with marks; the upper bits are the argument
};

}  // namespace wattune::dynamic
