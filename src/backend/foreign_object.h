// Objects that a device did not make are recognised, because what a backend hands out it takes back by a cast.
#pragma once

#include <span>
#include <string_view>

#include "wattune/backend/device.h"

namespace wattune::backend {

// invalid_argument, saying whose `object` is. `what` stands for it: "the buffer".
Error foreign(const DeviceLife& life, const DeviceObject& object, std::string_view what);

// An error unless `life` made the object.
inline Result<void> check_own(const DeviceLife& life, const DeviceObject& object, std::string_view what) {
  if (object.life() == &life) return {};
  return foreign(life, object, what);
}

// Of all streams that are to be finished together.
inline Result<void> check_own(const DeviceLife& life, std::span<Stream* const> streams) {
  for (const Stream* const stream : streams) WATTUNE_TRY(check_own(life, *stream, "the stream"));
  return {};
}

}  // namespace wattune::backend
