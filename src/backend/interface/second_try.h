// Timeouts that load on the machine may have caused: they are no verdict on the code that ran.
#pragma once

#include <cerrno>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

// Marks a timeout of code that lacked processors.
inline Error with_load(Error error) { return std::move(error).native(EAGAIN, "EAGAIN"); }

// True if the error is a timeout that was marked so.
inline bool load_may_have_caused(const Error& error) {
  return error.code() == ErrorCode::timeout && error.native_code() == EAGAIN;
}

}  // namespace wattune::backend
