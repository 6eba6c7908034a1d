// What a stream is made with. Values; any thread.
//
//   WATTUNE_ASSIGN(const auto urgent, device->create_stream({.priority = 2, .at_once = true}));
//   WATTUNE_ASSIGN(const unsigned grain, device->unit_grain());
//   WATTUNE_ASSIGN(const auto apart, device->create_stream({.units = {.first = 0, .count = 4 * grain}}));
#pragma once

namespace wattune::backend {

// Neighbouring compute units of a device, CUDA's multiprocessors; none counted: all of them.
struct UnitRange {
  unsigned first = 0;
  unsigned count = 0;

  bool operator==(const UnitRange&) const = default;
};

struct StreamOptions {
  // CUDA: the higher, the earlier the blocks of its launches; what is beyond the driver's few levels is the nearest
  // one. Others ignore it.
  int priority = 0;
  // CUDA: its launches run on these units alone (Device::unit_grain()). Others refuse all but the whole device.
  UnitRange units = {};
  // What it is given goes to the driver in the call itself, as in a stream that is adopted (attach.h): launches begin
  // soonest, and no clocks are read beside them. Devices in other processes ignore it.
  bool at_once = false;

  bool operator==(const StreamOptions&) const = default;
};

}  // namespace wattune::backend
