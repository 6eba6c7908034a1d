// The answer to an object that another device made.
#pragma once

#include <string>

#include "wattune/core/device_info.h"
#include "wattune/core/result.h"

namespace wattune::backend {

// `kind` is what it is: an event, a stream.
inline Error foreign_object(const std::string& kind, const DeviceInfo& info) {
  return Error(ErrorCode::invalid_argument, "the " + kind + " was not made by " + info.selector);
}

}  // namespace wattune::backend
