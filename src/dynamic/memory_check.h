// MemoryCheck: whether the memory that calls pass is as large as launches need it. Any thread.
//
// A driver is asked once for an address, not again while the address is among those that were passed of late: to ask
// costs as much as a call may. So what is freed and allocated smaller at the same address is not noticed.
#pragma once

#include <array>
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "dynamic/signature.h"
#include "tune/launch_plan.h"
#include "wattune/backend/device.h"

namespace wattune::dynamic {

class MemoryCheck {
 public:
  MemoryCheck(const KernelSpec& spec, const Signature& signature, const std::vector<tune::PlannedArgument>& planned);

  // mismatch: memory that is too small, a null pointer, or pixels where there are none; errors of adopt_buffer().
  Result<void> check(std::span<const CallArgument> arguments, backend::Device& device);

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
  std::array<std::atomic<std::uint64_t>, 64> seen_{};  // addresses, with the argument in their upper bits
};

}  // namespace wattune::dynamic
