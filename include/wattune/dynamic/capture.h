// Captures a call: writes what an application gave a kernel, and what it got back, as a spec for offline tuning.
//
// `wattune tune FOLDER/NAME.toml` then measures on the application's data and checks against the outputs that the
// application got. The caller reads its buffers back from the device, before the call and after it. This module keeps
// nothing. Any thread may call the functions. A capture reads and writes whole buffers, so capture once for each
// problem, not in each call.
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

#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::dynamic {

using Bytes = std::span<const std::byte>;

// One call of a kernel. Both lists are parallel to KernelSpec::arguments.
struct WATTUNE_EXPORT CapturedCall {
  std::vector<NamedSize> sizes;  // sizes of this call; sizes that are not named here stay as in the spec
  // Contents of buffers and images before the call, and values of scalars and structs. Nothing is given for arguments
  // that are only written, local memory, null pointers and samplers.
  std::vector<Bytes> arguments;
  // Contents of written buffers after the call; empty for other arguments. If all are empty, outputs will not be
  // checked.
  std::vector<Bytes> outputs = {};
};

struct WATTUNE_EXPORT CaptureOptions {
  std::string name = {};  // base name of the files; if empty, the spec's name, or the function's if the spec has none
  bool replace = false;   // replaces an earlier capture of this name in the folder
  std::uint64_t most_bytes = std::uint64_t{1} << 30;  // largest buffer that is captured, in bytes
};

// Writes NAME.toml, the kernel's source, and NAME.ARGUMENT.bin and NAME.ARGUMENT.expected.bin for each buffer, and
// returns the path of the spec. The folder is created complete or not at all. Files that the source includes stay where
// they are. Fails with already_exists if the folder exists, with not_found for an unknown size, and with io_error.
// Fails with invalid_argument if bytes do not fit the spec or a buffer is larger than allowed.
WATTUNE_EXPORT Result<std::filesystem::path> capture(const KernelSpec& spec, const CapturedCall& call,
                                                     const std::filesystem::path& folder,
                                                     const CaptureOptions& options = {});

}  // namespace wattune::dynamic
