// The owner of an object. An object works only with the device that made it, and only during the same life of it. By
// this, streams detect and refuse objects of other devices, of other backends and of the time before a reset().
//
// An object keeps the life that made it, so no new life gets the address of an old one while an object of it is left.
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
  // Makes an object without an owner, for devices that do not check owners, such as those of tests.
  DeviceObject() = default;
  explicit DeviceObject(const DeviceLife& life) : life_(&life) {}
  virtual ~DeviceObject() = default;

  const DeviceLife* life() const { return life_; }

 private:
  const DeviceLife* life_ = nullptr;
};

}  // namespace wattune::backend
