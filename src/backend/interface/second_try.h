// Marks timeouts that a busy machine may have caused: they do not show that the code is too slow.
#pragma once

#include <cerrno>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

// Marks a timeout: the code that ran had to wait for processors.
inline Error with_load(Error error) { return std::move(error).native(EAGAIN, "EAGAIN"); }

// True if the error is a timeout with that mark.
inline bool load_may_have_caused(const Error& error) {
  return error.code() == ErrorCode::timeout && error.native_code() == EAGAIN;
}

}  // namespace wattune::backend
