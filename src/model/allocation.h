// Allocation units: the granularity with which an SM gives warps, registers and shared memory to blocks.
#pragma once

#include <cstddef>

#include "model/multiprocessor.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::model {

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
// Returns the bytes of shared memory that a block takes, including those that the driver reserves.
std::size_t shared_bytes_of(const Multiprocessor& sm, const BlockDemand& block);
// Returns the smallest carveout of the SM that holds `bytes`.
std::size_t offered(const Multiprocessor& sm, std::size_t bytes);

}  // namespace wattune::model
