// Makes the errors of devices whose context is an application's, and of devices that have no context in this process.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "wattune/core/device_info.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

// Returns the error of reset() on an attached device, whose context belongs to the application.
inline Error belongs_to_application(const DeviceInfo& info) {
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} is attached to an application's context, which is not reset", info.selector))
      .hint("the application makes another context and attaches to that");
}

// Returns the error of any call on a device whose context has ended: an application's context if `attached`, otherwise
// the device's own.
inline Error gone(const DeviceInfo& info, bool attached) {
  if (!attached)
    return Error(ErrorCode::device_lost, fmt::format("{} was lost or reset since this was made", info.selector));
  return Error(ErrorCode::device_lost,
               fmt::format("the application's context on {} is broken, or the device that was attached to it is gone",
                           info.selector))
      .hint("only the application can make another context and attach to that");
}

// Returns the error of adopt_stream() and adopt_buffer() on a device that is not in this process or not of this API.
inline Error no_home(const DeviceInfo& info, std::string_view api) {
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} is no {} device in this process, so it cannot adopt an application's objects",
                           info.selector, api))
      .hint("attach to the application's context first");
}

}  // namespace wattune::backend
