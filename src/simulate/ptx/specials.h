// Special registers hold facts about a thread, its block and its grid.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wattune::inline v0_1::simulate::ptx {

class Block;

// Finds a special register that is constant while a thread runs, and returns its index. Clocks and counters are not
// among these.
std::optional<std::uint32_t> special_named(std::string_view name);
std::uint32_t special_value(std::uint32_t special, Block& block, unsigned warp, unsigned lane);

}  // namespace wattune::simulate::ptx
