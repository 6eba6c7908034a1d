// Timeouts that a machine under load may have caused, whatever ran: they are no verdict on it.
#pragma once

#include <cerrno>

#include "wattune/core/result.h"

namespace wattune::backend {

// Marks a timeout in which what ran lacked processors.
inline Error with_load(Error error) { return std::move(error).native(EAGAIN, "EAGAIN"); }

// A timeout that was marked so.
inline bool load_may_have_caused(const Error& error) {
  return error.code() == ErrorCode::timeout && error.native_code() == EAGAIN;
}

}  // namespace wattune::backend
