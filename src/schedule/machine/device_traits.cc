// Finds the facts of a kernel that follow from its device and its grid.
#include <algorithm>

#include "backend/interface/launch_check.h"
#include "schedule/machine/block_demand.h"
#include "schedule/machine/device_machine_state.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr unsigned kWarp = 32;

Result<model::BlockDemand> demand_of(const LoadedKernel& kernel, const backend::Kernel& code) {
  const std::array<std::size_t, 3>& size = kernel.geometry.group_size;
  const std::size_t threads = size[0] * size[1] * size[2];
  WATTUNE_ASSIGN(const auto resources, code.resources(threads, backend::local_bytes_of(kernel.arguments)));
  return model::BlockDemand{.threads = static_cast<unsigned>(threads),
                            .registers = resources.registers.value_or(0),
                            .static_shared_bytes = resources.static_local_bytes.value_or(0),
                            .dynamic_shared_bytes = resources.dynamic_local_bytes.value_or(0),
                            .carveout_bytes = {}};
}

}  // namespace

// Twins share SMs and take more resources than their kernel, so the traits are those of the twin, if there is one. Each
// block of a sequence counts with the most resources that a block of any launch takes. Thus if one such block fits, a
// block of every launch fits.
Result<KernelTraits> DeviceMachine::traits_of(const LoadedKernel& kernel) const {
  const bool persistent = why_not_persistent(kernel).empty();
  KernelTraits traits;
  traits.name = kernel.name;
  traits.blocks = blocks_of(kernel);
  traits.launches = launches_in(kernel);
  for (std::size_t place = 0; place < traits.launches; ++place) {
    const LoadedKernel& launch = launch_at(kernel, place);
    const backend::Kernel* const twin = persistent ? launch.code->twin(slice::TwinForm::persistent) : nullptr;
    WATTUNE_ASSIGN(const model::BlockDemand demand, demand_of(launch, twin != nullptr ? *twin : *launch.code->whole));
    traits.block = place == 0 ? demand : most_of(traits.block, demand);
  }
  const auto alone = model::occupancy(state_->limits.capability.value_or(model::ComputeCapability{}), traits.block);
  traits.profile.blocks_alone = alone ? std::max(1U, alone->blocks) : 1;
  traits.profile.warps_per_block = (traits.block.threads + kWarp - 1) / kWarp;
  traits.least_slice = std::uint64_t{traits.profile.blocks_alone} * state_->limits.sms;
  traits.sliceable = why_no_slices(kernel).empty();
  traits.persistent = persistent;
  return traits;
}

}  // namespace wattune::schedule
