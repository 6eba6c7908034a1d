// The devices of this machine as the program uses them: in a worker process, or in this one when asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "wattune/backend/registry.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::cli {

Result<backend::Discovery> find_devices(bool in_process);

// The device that the user named, of those that compile one of the spec's languages. `memory_limit` bounds the worker's
// memory in bytes, 0 does not. unavailable when there is no device, saying why; not_found; mismatch.
Result<std::unique_ptr<backend::Device>> open_named_device(const std::string& wanted, const KernelSpec& spec,
                                                           bool in_process, std::uint64_t memory_limit);

}  // namespace wattune::cli
