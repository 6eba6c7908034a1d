// Capturing a call: what an application gave a kernel, and what it got back, as a spec for offline tuning.
//
// `wattune tune FOLDER/NAME.toml` then measures on the data of the application and checks against the outputs that it
// got. The caller reads its buffers back from the device, before the call and after it; nothing is kept. Any thread may
// call. It reads and writes whole buffers: once for a problem, not in each call.
//
//   CapturedCall call{.sizes = {{"n", 1024}}, .arguments = {bytes_of(x), bytes_of(y), bytes_of(n)}};
//   call.outputs = {{}, bytes_of(y_afterwards), {}};
//   WATTUNE_ASSIGN(const auto file, capture(spec, call, "captured/saxpy"));
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::dynamic {

using Bytes = std::span<const std::byte>;

// One call of a kernel, by the positions of KernelSpec::arguments.
struct CapturedCall {
  std::vector<NamedSize> sizes;  // of this call; those that are not named stay as the spec has them
  // What the kernel was given: contents of buffers and images, values of scalars and structs. Empty for what is only
  // written, local memory, null pointers and samplers.
  std::vector<Bytes> arguments;
  // What the call left in buffers that it wrote; empty for others. Without any, outputs will not be checked.
  std::vector<Bytes> outputs = {};
};

struct CaptureOptions {
  std::string name = {};                              // of the files; empty: the spec's name, or else the function's
  bool replace = false;                               // an earlier capture of this name in the folder
  std::uint64_t most_bytes = std::uint64_t{1} << 30;  // of a buffer
};

// Writes NAME.toml, the kernel's source, and NAME.ARGUMENT.bin and NAME.ARGUMENT.expected.bin for buffers, into a
// folder that is there whole or not at all, and returns the spec's file. Files that the source includes stay where they
// are. already_exists: the folder is there; invalid_argument: bytes do not fit the spec, or a buffer is larger than
// allowed; io_error.
Result<std::filesystem::path> capture(const KernelSpec& spec, const CapturedCall& call,
                                      const std::filesystem::path& folder, const CaptureOptions& options = {});

}  // namespace wattune::dynamic
