// What a kernel's PTX says of cutting its grid: what stands against each form of a twin, what it reads of its place in
// the grid, what may change with the order of blocks, and what it declares to need.
//
// Pure functions of values; any thread may call. Views point into the tree's text.
//
//   for (const slice::KernelAnalysis& kernel : slice::analyse(tree))
//     if (const auto* obstacle = kernel.obstacle_to(slice::TwinForm::persistent)) say(obstacle->construct);
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/error.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

// How a twin finds the blocks that a launch is to run (docs/slice.md).
enum class TwinForm : std::uint8_t {
  add,         // a box of the grid: its origin is added to the block's index
  linear,      // a range of block numbers, divided into indices
  guard,       // the whole grid is launched, and blocks outside a range leave at once
  persistent,  // resident blocks take numbers from a counter in device memory
};

inline constexpr std::size_t kTwinForms = 4;

// "add", "linear", "guard", "persistent"
std::string_view to_string(TwinForm form);
std::optional<TwinForm> twin_form(std::string_view name);

using TwinForms = std::bitset<kTwinForms>;  // by TwinForm

// What stands against cutting a kernel's grid.
struct Obstacle {
  std::string construct;    // as in the text: "griddepcontrol.wait", "%envreg1"
  std::string reason;       // a clause: "the grid waits for all of itself"
  SourcePosition position;  // in the PTX
  TwinForms forms;          // against these
};

// What the PTX declares; registers and spills are the assembler's to say.
struct DeclaredResources {
  std::size_t parameter_bytes = 0;
  std::size_t shared_bytes = 0;         // static, of the kernel and the functions it calls
  bool dynamic_shared = false;          // it uses an `extern .shared` array
  std::size_t local_bytes = 0;          // of `.local` variables
  std::optional<unsigned> max_threads;  // of a block: .maxntid or .reqntid
  std::optional<unsigned> min_blocks;   // on a multiprocessor: .minnctapersm
  std::optional<unsigned> max_registers;
};

struct KernelAnalysis {
  std::string_view name;
  SourcePosition position;
  // All that it and the functions it calls read: "%ctaid.x", "%tid.x".
  std::vector<std::string_view> special_registers;
  std::vector<Obstacle> obstacles;
  // Why its results may differ with the order of blocks even when it is not cut: the first atomic sum of floating-point
  // numbers, exchange, atomic operation whose result is used, strong read, or store of all blocks at one place. None:
  // the PTX shows no such thing, which is no proof, as blocks may compute equal addresses.
  std::optional<Obstacle> order_sensitive;
  DeclaredResources resources;

  // The first against this form; nullptr: it can be cut so.
  const Obstacle* obstacle_to(TwinForm form) const;
};

// Of each entry with a body, in their order.
std::vector<KernelAnalysis> analyse(const PtxTree& tree);

}  // namespace wattune::slice
