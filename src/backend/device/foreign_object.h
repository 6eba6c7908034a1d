// Recognises objects that a device did not make. A backend must refuse them, because it casts objects to its own types.
#pragma once

#include <span>
#include <string_view>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

// Returns invalid_argument, saying to which device `object` belongs. `what` names the object: "the buffer".
Error foreign(const DeviceLife& life, const DeviceObject& object, std::string_view what);

// Checks that `life` made the object. Fails with invalid_argument otherwise.
inline Result<void> check_own(const DeviceLife& life, const DeviceObject& object, std::string_view what) {
  if (object.life() == &life) return {};
  return foreign(life, object, what);
}

// Checks that `life` made all these streams, which are finished together. Fails with invalid_argument otherwise.
inline Result<void> check_own(const DeviceLife& life, std::span<Stream* const> streams) {
  for (const Stream* const stream : streams) WATTUNE_TRY(check_own(life, *stream, "the stream"));
  return {};
}

}  // namespace wattune::backend
