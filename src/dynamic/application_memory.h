// The memory that a call passes, as buffers that streams copy.
#pragma once

#include <memory>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/dynamic/call.h"

namespace wattune::dynamic {

// The memory itself, which outlives it: of OpenCL all of it, else this many bytes.
Result<std::unique_ptr<backend::Buffer>> adopt_memory(backend::Device& device, std::uint64_t memory, std::size_t bytes);

// So many bytes of what the call passes, when the stream has come to it; waits.
Result<std::vector<std::byte>> read_memory(backend::Device& device, backend::Stream& stream, const CallArgument& passed,
                                           std::size_t bytes);

}  // namespace wattune::dynamic
