#include "backend/device/foreign_object.h"

#include <fmt/format.h>

namespace wattune::inline v0_1::backend {

Error foreign(const DeviceLife& life, const DeviceObject& object, std::string_view what) {
  const std::string& here = life.info().selector;
  const std::string there = object.life() != nullptr ? object.life()->info().selector : "none";
  if (there != here)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{} was made by device {}, and is used with {}", what, there, here))
        .hint("a device takes what it made itself");
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} was made by {} before its reset(), or where it was opened apart", what, here))
      .hint("make it anew, by the device that is to use it");
}

}  // namespace wattune::backend
