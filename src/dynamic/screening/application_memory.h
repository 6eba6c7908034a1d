// Gives access to the memory that a call passes, as buffers that streams can copy.
#pragma once

#include <memory>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/dynamic/call.h"

namespace wattune::inline v0_1::dynamic {

// Wraps memory of the application, which must outlive the buffer. On OpenCL the buffer is all of it, else `bytes`.
Result<std::unique_ptr<backend::Buffer>> adopt_memory(backend::Device& device, std::uint64_t memory, std::size_t bytes);

// Reads at most `bytes` of the memory that the call passes, after all commands that the stream was given. Waits for the
// stream.
Result<std::vector<std::byte>> read_memory(backend::Device& device, backend::Stream& stream, const CallArgument& passed,
                                           std::size_t bytes);

}  // namespace wattune::dynamic
