// Finds in a kernel's PTX whether its grid can be cut into slices. Reports what prevents each form of a twin, the
// special registers that the kernel reads, whether its results depend on the order of blocks, and the resources that it
// declares.
//
// All functions are pure functions of values, and any thread may call them. Views point into the tree's text.
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

// The way in which a twin determines which blocks of the grid a launch runs (docs/slice.md).
enum class TwinForm : std::uint8_t {
  add,         // the launch runs a box of the grid, whose origin is added to the block's index
  linear,      // the launch runs a range of block numbers, which are divided into indices
  guard,       // the whole grid is launched, and blocks outside the range return at once
  persistent,  // resident blocks take block numbers from a counter in device memory
};

inline constexpr std::size_t kTwinForms = 4;

// Returns "add", "linear", "guard" or "persistent".
std::string_view to_string(TwinForm form);
std::optional<TwinForm> twin_form(std::string_view name);

using TwinForms = std::bitset<kTwinForms>;  // one bit for each TwinForm

// Shapes of thread blocks in which whole warps are known to return together, so that a persistent twin can run them. A
// warp takes its threads along x first.
enum class BlockShape : std::uint8_t {
  any,
  one_row,      // block.x is a multiple of 32, or block.y and block.z are 1: a warp is a row of threads along x
  whole_warps,  // block.x is a multiple of 32: no warp contains threads of two rows
};

// True if a block with these numbers of threads along x, y and z has the shape. Check it before each launch of a twin.
bool has_shape(const std::array<std::size_t, 3>& block, BlockShape shape);
// Returns "any", "one_row" or "whole_warps".
std::string_view to_string(BlockShape shape);
// Returns a clause such as "block.x is a multiple of 32"; empty for blocks of any shape.
std::string_view words_for(BlockShape shape);

// A construct that forbids cutting a kernel's grid.
struct Obstacle {
  std::string construct;    // the construct as written in the PTX: "griddepcontrol.wait", "%envreg1"
  std::string reason;       // the reason as a clause: "the grid waits for all of itself"
  SourcePosition position;  // place of the obstacle in the PTX
  TwinForms forms;          // the forms of twins that it forbids
};

// The resources that the PTX declares. Registers and spills are not among them: only the assembler determines these.
struct DeclaredResources {
  std::size_t parameter_bytes = 0;
  std::size_t shared_bytes = 0;         // static shared memory of the kernel and the functions that it calls
  bool dynamic_shared = false;          // true if the kernel uses an `extern .shared` array
  std::size_t local_bytes = 0;          // size of the kernel's `.local` variables
  std::optional<unsigned> max_threads;  // most threads per block, from .maxntid or .reqntid
  std::optional<unsigned> min_blocks;   // least number of blocks per multiprocessor, from .minnctapersm
  std::optional<unsigned> max_registers;
};

struct KernelAnalysis {
  std::string_view name;
  SourcePosition position;
  // Special registers that the kernel and the functions that it calls read: "%ctaid.x", "%tid.x".
  std::vector<std::string_view> special_registers;
  std::vector<Obstacle> obstacles;
  // The shape of the blocks that the kernel's persistent twin can run, if nothing forbids that twin.
  BlockShape persistent_blocks = BlockShape::any;
  // The reason why the kernel's results may depend on the order of its blocks, even without slicing. It is the first of
  // these: an atomic sum of floating-point numbers, an exchange, an atomic operation whose result is used, a strong
  // read, or a store of all blocks to one address. If empty, the PTX shows no reason. This does not prove that there is
  // none, because blocks may compute equal addresses.
  std::optional<Obstacle> order_sensitive;
  DeclaredResources resources;

  // Returns the first obstacle to this form; nullptr if the kernel can have a twin of this form.
  const Obstacle* obstacle_to(TwinForm form) const;
};

// Analyses each entry that has a body, in the order of the PTX.
std::vector<KernelAnalysis> analyse(const PtxTree& tree);

}  // namespace wattune::slice
