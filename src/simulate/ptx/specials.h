// Special registers tell threads about themselves, their block and their grid.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wattune::inline v0_1::simulate::ptx {

class Block;

// Returns the index of a register that is constant while a thread runs; clocks and counters are not among these.
std::optional<std::uint32_t> special_named(std::string_view name);
std::uint32_t special_value(std::uint32_t special, Block& block, unsigned warp, unsigned lane);

}  // namespace wattune::simulate::ptx
