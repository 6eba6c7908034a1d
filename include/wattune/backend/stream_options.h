// The options of a new stream: plain values that any thread may use.
//
//   WATTUNE_ASSIGN(const auto urgent, device->create_stream({.priority = 2, .at_once = true}));
//   WATTUNE_ASSIGN(const unsigned grain, device->unit_grain());
//   WATTUNE_ASSIGN(const auto apart, device->create_stream({.units = {.first = 0, .count = 4 * grain}}));
#pragma once

namespace wattune::backend {

// Neighbouring compute units of a device (CUDA: multiprocessors). A count of 0 stands for all units.
struct UnitRange {
  unsigned first = 0;
  unsigned count = 0;

  bool operator==(const UnitRange&) const = default;
};

struct StreamOptions {
  // CUDA: a higher value runs the blocks of its launches earlier. A value beyond the driver's few levels becomes the
  // nearest one. Other backends ignore it.
  int priority = 0;
  // CUDA: launches run only on these units (Device::unit_grain()). Other backends refuse all but the whole device.
  UnitRange units = {};
  // Hands each command to the driver at once, as in an adopted stream (attach.h): launches begin soonest, and no clocks
  // are read beside them. Devices in other processes ignore it.
  bool at_once = false;

  bool operator==(const StreamOptions&) const = default;
};

}  // namespace wattune::backend
