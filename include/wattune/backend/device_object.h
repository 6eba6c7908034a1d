// Whose an object is. What a device makes works with that device only, as it was when it made it: streams tell the
// objects of other devices, of other backends and of the time before a reset() by this, and refuse them.
//
// Objects keep the life that made them, so that no two lives have one address while something of either is left.
//
//   if (buffer.life() != &session) return Error(ErrorCode::invalid_argument, "...");
#pragma once

#include "wattune/core/device_info.h"

namespace wattune::backend {

// One life of a device: from its opening or last reset() until it is reset, lost or destroyed.
class DeviceLife {
 public:
  virtual ~DeviceLife() = default;
  virtual const DeviceInfo& info() const = 0;
};

class DeviceObject {
 public:
  // Of a device that does not ask whose objects it gets, such as those of tests.
  DeviceObject() = default;
  explicit DeviceObject(const DeviceLife& life) : life_(&life) {}
  virtual ~DeviceObject() = default;

  const DeviceLife* life() const { return life_; }

 private:
  const DeviceLife* life_ = nullptr;
};

}  // namespace wattune::backend
