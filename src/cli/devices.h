// The devices of this machine as the program uses them: in a worker process, or in this one when asked.
#pragma once

#include <memory>
#include <string>

#include "wattune/backend/registry.h"

namespace wattune::cli {

Result<backend::Discovery> find_devices(bool in_process);

// The device that the user named. unavailable when there is none at all, saying why; not_found.
Result<std::unique_ptr<backend::Device>> open_named_device(const std::string& wanted, bool in_process);

}  // namespace wattune::cli
