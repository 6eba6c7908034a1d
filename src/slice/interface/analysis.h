// Finds in a kernel's PTX whether its grid can be cut. The analysis gives the obstacles to each form of a twin, the
// special registers it reads, the effects of the order of blocks, and the resources it declares.
//
// Pure functions of values; any thread may call. Views point into the tree's text.
//
//   for (const slice::KernelAnalysis& kernel : slice::analyse(tree))
//     if (const auto* obstacle = kernel.obstacle_to(slice::TwinForm::persistent)) say(obstacle->construct);
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slice/interface/ptx_tree.h"
#include "wattune/core/error.h"

namespace wattune::inline v0_1::slice {

// The way in which a twin finds the blocks that a launch is to run (docs/slice.md).
enum class TwinForm : std::uint8_t {
  add,         // a box of the grid: its origin is added to the block's index
  linear,      // a range of block numbers, divided into indices
  guard,       // the whole grid is launched, and blocks outside a range leave at once
  persistent,  // resident blocks take numbers from a counter in device memory
};

inline constexpr std::size_t kTwinForms = 4;

// Returns "add", "linear", "guard" or "persistent".
std::string_view to_string(TwinForm form);
std::optional<TwinForm> twin_form(std::string_view name);

using TwinForms = std::bitset<kTwinForms>;  // by TwinForm

// The blocks in which whole warps are known to return together, so that a persistent twin can run them. Warps are made
// of threads along x first.
enum class BlockShape : std::uint8_t {
  any,
  one_row,      // block.x is a multiple of 32, or block.y and block.z are 1: a warp is a row of threads along x
  whole_warps,  // block.x is a multiple of 32: each row has only whole warps
};

// Tells whether a block of so many threads along x, y and z has the shape. Each launch of a twin must check it.
bool has_shape(const std::array<std::size_t, 3>& block, BlockShape shape);
// Returns "any", "one_row" or "whole_warps".
std::string_view to_string(BlockShape shape);
// Returns a clause such as "block.x is a multiple of 32"; empty for blocks of any shape.
std::string_view words_for(BlockShape shape);

// A construct that forbids cutting a kernel's grid.
struct Obstacle {
  std::string construct;    // as written in the text: "griddepcontrol.wait", "%envreg1"
  std::string reason;       // a clause: "the grid waits for all of itself"
  SourcePosition position;  // in the PTX
  TwinForms forms;          // the forms that it forbids
};

// The resources that the PTX declares. Only the assembler knows registers and spills.
struct DeclaredResources {
  std::size_t parameter_bytes = 0;
  std::size_t shared_bytes = 0;         // static; of the kernel and the functions it calls
  bool dynamic_shared = false;          // it uses an `extern .shared` array
  std::size_t local_bytes = 0;          // of `.local` variables
  std::optional<unsigned> max_threads;  // of a block: .maxntid or .reqntid
  std::optional<unsigned> min_blocks;   // on a multiprocessor: .minnctapersm
  std::optional<unsigned> max_registers;
};

struct KernelAnalysis {
  std::string_view name;
  SourcePosition position;
  // The special registers that it and the functions it calls read: "%ctaid.x", "%tid.x".
  std::vector<std::string_view> special_registers;
  std::vector<Obstacle> obstacles;
  // The blocks that its persistent twin can run, if nothing forbids that twin.
  BlockShape persistent_blocks = BlockShape::any;
  // The reason why its results may differ with the order of blocks even if it is not cut. This is the first atomic sum
  // of floating-point numbers, exchange, atomic operation whose result is used, strong read, or store of all blocks at
  // one place.
  // Without one, the PTX shows no such thing. That is no proof, because blocks may compute equal addresses.
  std::optional<Obstacle> order_sensitive;
  DeclaredResources resources;

  // Returns the first obstacle to this form; nullptr if the kernel can be cut in this form.
  const Obstacle* obstacle_to(TwinForm form) const;
};

// Analyses each entry with a body, in their order.
std::vector<KernelAnalysis> analyse(const PtxTree& tree);

}  // namespace wattune::slice
