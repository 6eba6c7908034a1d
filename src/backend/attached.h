// What devices answer whose context is an application's, and those that have none in this process.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "wattune/core/device_info.h"
#include "wattune/core/result.h"

namespace wattune::backend {

// To reset().
inline Error belongs_to_application(const DeviceInfo& info) {
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} is attached to an application's context, which is not reset", info.selector))
      .hint("the application makes another context and attaches to that");
}

// To adopt_stream() and adopt_buffer().
inline Error no_home(const DeviceInfo& info, std::string_view api) {
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} is no {} device in this process, so it takes nothing of an application's", info.selector,
                           api))
      .hint("attach to the application's context first");
}

}  // namespace wattune::backend
