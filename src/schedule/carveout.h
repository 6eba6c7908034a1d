// Carveout: how much of each multiprocessor's memory is shared memory while twins of a machine run: the same for all.
//
// An SM changes it only when nothing runs there, so that twins which want it differently would not run side by side. It
// is what the two most demanding kernels need together, with all blocks that each has resident alone: then the memory
// that is shared between blocks and caches forbids no ratio that other limits allow. One thread at a time.
//
//   WATTUNE_TRY(carveout.add(kernel->code, traits));
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "wattune/schedule/loaded_kernel.h"
#include "wattune/schedule/machine.h"

namespace wattune::schedule {

class Carveout {
 public:
  // Sets it for the twins of this code, and anew for those before where it needs more. As Kernel's.
  Result<void> add(const std::shared_ptr<const KernelCode>& code, const KernelTraits& traits);
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::map<std::shared_ptr<const KernelCode>, std::uint64_t> needs_;
  std::uint64_t bytes_ = 0;  // of an SM
};

}  // namespace wattune::schedule
