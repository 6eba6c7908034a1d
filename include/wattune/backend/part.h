// Parts of buffers, for what a stream writes, reads, copies and fills: a range of bytes at any place, without another
// allocation. Threads as attach.h says.
//
// The caller owns the part and keeps the buffer longer. It has no guard zones and no address: kernels take whole
// buffers.
//
//   WATTUNE_ASSIGN(const auto tail, backend::part_of(*buffer, 1024, 512));
//   WATTUNE_TRY(stream.write(*tail, bytes));
#pragma once

#include <cstddef>
#include <memory>

#include "wattune/backend/launch.h"

namespace wattune::backend {

// out_of_range: the buffer ends before; unavailable: pixels, or memory of a device in another process.
Result<std::unique_ptr<Buffer>> part_of(const Buffer& buffer, std::size_t offset, std::size_t bytes);

}  // namespace wattune::backend
