// Parts of buffers: ranges of bytes at any offset that a stream writes, reads, copies and fills. They need no further
// allocation. Threads use them as attach.h says.
//
// The caller owns the part and keeps the buffer longer. A part has no guard zones and no address, because kernels take
// whole buffers.
//
//   WATTUNE_ASSIGN(const auto tail, backend::part_of(*buffer, 1024, 512));
//   WATTUNE_TRY(stream.write(*tail, bytes));
#pragma once

#include <cstddef>
#include <memory>

#include "wattune/backend/launch.h"

namespace wattune::inline v0_1::backend {

// Makes a part of a buffer. Fails with out_of_range if the part would end behind the buffer. Fails with unavailable for
// pixels, and for memory of a device in another process.
Result<std::unique_ptr<Buffer>> part_of(const Buffer& buffer, std::size_t offset, std::size_t bytes);

}  // namespace wattune::backend
