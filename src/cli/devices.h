// The devices of this machine as the program uses them: in a worker process, or in this one when asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "wattune/backend/registry.h"

namespace wattune::cli {

Result<backend::Discovery> find_devices(bool in_process);

// The device that the user named. `memory_limit` bounds the worker's memory in bytes, 0 does not. unavailable when
// there is no device at all, saying why; not_found.
Result<std::unique_ptr<backend::Device>> open_named_device(const std::string& wanted, bool in_process,
                                                           std::uint64_t memory_limit);

}  // namespace wattune::cli
