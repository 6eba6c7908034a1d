// The coordinates of a thread block: its index and the grid's size, along three axes. In a twin each block must see the
// coordinates that it has in the whole grid.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// The special registers %ctaid.x, y and z, then %nctaid.x, y and z.
enum class Coordinate : std::uint8_t { block_x, block_y, block_z, grid_x, grid_y, grid_z };

inline constexpr auto kCoordinates = std::to_array({Coordinate::block_x, Coordinate::block_y, Coordinate::block_z,
                                                    Coordinate::grid_x, Coordinate::grid_y, Coordinate::grid_z});

using CoordinateSet = std::bitset<kCoordinates.size()>;

// Returns the coordinates that a special register holds; an empty set for other names. "%ctaid" without an axis holds
// three coordinates.
CoordinateSet coordinates_in(std::string_view name);
CoordinateSet coordinates_read(const PtxInstruction& instruction);
bool contains(const CoordinateSet& set, Coordinate coordinate);

// The prefix of all names that Wattune adds to PTX and OpenCL source.
inline constexpr std::string_view kPrefix = "wattune_";

// Returns a name such as "wattune_block_x".
std::string name_of(Coordinate coordinate);
// Returns the name of a 32-bit PTX register, such as "%wattune_block_x".
std::string register_of(Coordinate coordinate);

}  // namespace wattune::slice
