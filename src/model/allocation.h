// In which units an SM gives its warps, registers and shared memory to blocks.
#pragma once

#include <cstddef>

#include "model/multiprocessor.h"
#include "wattune/model/occupancy.h"

namespace wattune::model {

template <typename T>
T divided_up(T value, T unit) {
  return (value + unit - 1) / unit;
}
template <typename T>
T rounded_up(T value, T unit) {
  return divided_up(value, unit) * unit;
}

unsigned warps_of(const BlockDemand& block);
unsigned registers_per_warp(const Multiprocessor& sm, unsigned registers);
// With what the driver reserves.
std::size_t shared_bytes_of(const Multiprocessor& sm, const BlockDemand& block);
// The least carveout that the SM offers and that holds `bytes`.
std::size_t offered(const Multiprocessor& sm, std::size_t bytes);

}  // namespace wattune::model
