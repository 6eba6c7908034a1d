// Gives access to the memory that a call passes. It is wrapped in buffers that streams can copy.
#pragma once

#include <memory>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/dynamic/call.h"

namespace wattune::inline v0_1::dynamic {

// Makes a buffer from memory of the application, which must outlive the buffer. With OpenCL, the buffer is the whole
// memory object; otherwise it is the first `bytes` of the memory.
Result<std::unique_ptr<backend::Buffer>> adopt_memory(backend::Device& device, std::uint64_t memory, std::size_t bytes);

// Reads at most `bytes` of the memory that the call passes, after all commands that were sent into the stream before.
// Waits for the stream.
Result<std::vector<std::byte>> read_memory(backend::Device& device, backend::Stream& stream, const CallArgument& passed,
                                           std::size_t bytes);

}  // namespace wattune::dynamic
