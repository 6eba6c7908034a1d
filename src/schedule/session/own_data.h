// OwnData: a kernel with memory and values of an application, and what a work does to this memory. Any thread may call.
//
//   WATTUNE_ASSIGN(OwnData own, own_data(*device, spec, *kernel, {{"x", x}, {"n", n}}));
//   if (const auto conflict = conflict_of(own.uses, others)) return refuse(conflict->first.argument);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/interface/memory_range.h"
#include "schedule/interface/loaded_kernel.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/schedule/session.h"

namespace wattune::inline v0_1::schedule {

// A use of memory by a work.
struct MemoryUse {
  std::string argument;
  backend::MemoryRange range;
  bool is_written = false;
};

struct OwnData {
  std::shared_ptr<const LoadedKernel> kernel;  // with the given arguments; the others are shared with the original
  std::vector<MemoryUse> uses;
};

// Makes a copy of the kernel with these arguments. Fails with not_found if it has no such argument. Fails with
// invalid_argument if an argument does not fit, or a buffer that the kernel writes is not given.
Result<OwnData> own_data(backend::Device& device, const KernelSpec& spec, const LoadedKernel& kernel,
                         const OwnArguments& arguments);

// Returns the first two uses that must not be made at the same time, one of each list. They overlap, and one writes.
// Returns nullopt if there are none.
std::optional<std::pair<MemoryUse, MemoryUse>> conflict_of(const std::vector<MemoryUse>& uses,
                                                           const std::vector<MemoryUse>& others);

}  // namespace wattune::schedule
