// Carveout: how much of each multiprocessor's memory is shared memory while twins of a machine run: the same for all.
//
// An SM changes it only when nothing runs there, so that twins which want it differently would not run side by side. It
// is what the most demanding two need at any ratio, so that the memory that is shared between blocks and caches forbids
// no ratio that other limits allow; and no more, since kernels that wait for memory miss it in their caches. One thread
// at a time.
//
//   WATTUNE_TRY(carveout.add(kernel->code, traits.block));
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "wattune/model/occupancy.h"
#include "wattune/schedule/loaded_kernel.h"

namespace wattune::schedule {

class Carveout {
 public:
  explicit Carveout(model::ComputeCapability capability) : capability_(capability) {}

  // Sets it for the twins of this code, and anew for those before where it needs more. As Kernel's.
  Result<void> add(const std::shared_ptr<const KernelCode>& code, const model::BlockDemand& block);

 private:
  struct Twins {
    std::shared_ptr<const KernelCode> code;
    model::BlockDemand block;
  };

  std::uint64_t need_with(const model::BlockDemand& block) const;

  model::ComputeCapability capability_;
  std::vector<Twins> twins_;
  std::uint64_t bytes_ = 0;  // of an SM
};

}  // namespace wattune::schedule
