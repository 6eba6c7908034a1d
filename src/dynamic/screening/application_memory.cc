#include "dynamic/screening/application_memory.h"

#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

Result<std::unique_ptr<backend::Buffer>> adopt_memory(backend::Device& device, std::uint64_t memory,
                                                      std::size_t bytes) {
  if (device.info().backend == "opencl")
    return backend::adopt_buffer(device, reinterpret_cast<_cl_mem*>(static_cast<std::uintptr_t>(memory)));
  return backend::adopt_buffer(device, memory, bytes);
}

Result<std::vector<std::byte>> read_memory(backend::Device& device, backend::Stream& stream, const CallArgument& passed,
                                           std::size_t bytes) {
  constexpr Nanoseconds kLongestWait = nanoseconds_from_seconds(60);
  std::unique_ptr<backend::Buffer> adopted;
  if (passed.buffer() == nullptr) {
    WATTUNE_ASSIGN(adopted, adopt_memory(device, passed.memory(), bytes));
  }
  const backend::Buffer& buffer = adopted ? *adopted : *passed.buffer();
  std::vector<std::byte> contents(buffer.bytes());
  WATTUNE_TRY(stream.read(buffer, contents));
  WATTUNE_TRY(stream.finish(kLongestWait));
  contents.resize(std::min(contents.size(), bytes));
  return contents;
}

}  // namespace wattune::dynamic
