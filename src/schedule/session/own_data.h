// OwnData: a kernel with memory and values of an application, and the uses of this memory by a work. Any thread may
// call the functions.
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

// A use of memory by a work: the argument, the range of memory, and whether it is written.
struct MemoryUse {
  std::string argument;
  backend::MemoryRange range;
  bool is_written = false;
};

struct OwnData {
  std::shared_ptr<const LoadedKernel> kernel;  // has the given arguments; shares the others with the original kernel
  std::vector<MemoryUse> uses;
};

// Makes a copy of the kernel with these arguments. Fails with not_found if the kernel has no such argument. Fails with
// invalid_argument if an argument does not fit, or if a buffer that the kernel writes is not among them.
Result<OwnData> own_data(backend::Device& device, const KernelSpec& spec, const LoadedKernel& kernel,
                         const OwnArguments& arguments);

// Returns the first two uses that must not be made at the same time, one from each list. Their ranges overlap, and at
// least one of them writes. Returns nullopt if there are no such uses.
std::optional<std::pair<MemoryUse, MemoryUse>> conflict_of(const std::vector<MemoryUse>& uses,
                                                           const std::vector<MemoryUse>& others);

}  // namespace wattune::schedule
