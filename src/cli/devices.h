// The devices of this machine as the program uses them: in a worker process, or in this one when asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/registry.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::cli {

Result<backend::Discovery> find_devices(bool in_process);

// The devices that the user named, of those that compile one of the spec's languages. unavailable when there is no
// device, saying why; not_found; mismatch; invalid_argument.
Result<std::vector<DeviceInfo>> find_named_devices(const std::string& wanted, const KernelSpec& spec, bool in_process);

// Sorted by model, so that times of those in one group compare; in the order of their first devices.
std::vector<std::vector<DeviceInfo>> by_model(const std::vector<DeviceInfo>& devices);

// Devices of one model: "NVIDIA H200 (cuda:0, cuda:1)".
std::string describe(const std::vector<DeviceInfo>& devices);

// `memory_limit` bounds the worker's memory in bytes.
Result<std::unique_ptr<backend::Device>> open_device(const std::string& selector, bool in_process,
                                                     std::uint64_t memory_limit);

}  // namespace wattune::cli
