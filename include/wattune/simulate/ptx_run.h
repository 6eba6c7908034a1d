// PtxRun: a launch of a kernel of a PtxModule, interpreted instruction by instruction on the host.
//
// What it computes is what a GPU computes, but for functions that PTX calls approximate, the order of what threads do
// without agreeing on one, and contraction: ptxas may make one fma of a mul and an add without rounding modifiers.
// Equal calls give equal results and equal counts. The caller owns it; module and memory outlive it. One thread at a
// time. Several runs may take turns in advance() on one memory, as kernels that are on a device together.
//
//   WATTUNE_ASSIGN(PtxRun run, PtxRun::start(module, "scale", {.groups = {64, 1, 1}, .group_size = {256, 1, 1}},
//                                            parameter_bytes, memory, {.resident_blocks = 4, .seed = 7}));
//   WATTUNE_TRY(run.finish());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/launch.h"
#include "wattune/core/result.h"
#include "wattune/simulate/ptx_costs.h"
#include "wattune/simulate/ptx_module.h"
#include "wattune/simulate/virtual_memory.h"

namespace wattune::simulate {

struct PtxRunOptions {
  std::size_t dynamic_shared_bytes = 0;
  // So many blocks are there at once and take turns; the next one begins when one of them ends.
  std::size_t resident_blocks = 1;
  // Linear indices of the blocks, each once, as they are to begin. Empty: all, ascending.
  std::vector<std::uint64_t> order = {};
  // Draws the order of blocks (where none is given), who has the next turn, and how long it is. Empty: all in turn.
  std::optional<std::uint64_t> seed = {};
  std::uint64_t turn = 1000;  // instructions that a warp has before the next one's, at most
  // Instructions of all warps after which the kernel counts as one that never ends.
  std::uint64_t most_instructions = 1'000'000'000;
  bool is_part = false;          // `order` names some of the blocks, and no others run
  bool costs = false;            // whether they are counted
  unsigned multiprocessors = 1;  // %nsmid; block i of those that are resident sees i modulo this as its %smid
};

struct PtxCounts {
  std::uint64_t instructions = 0;         // of warps
  std::uint64_t thread_instructions = 0;  // of threads that their guards let run
  std::uint64_t blocks = 0;               // that have ended
};

class PtxRun {
 public:
  // The bytes are laid out as PtxKernel::parameters says. not_found, unavailable: as PtxModule::kernel();
  // invalid_argument: geometry, order or parameters do not fit.
  static Result<PtxRun> start(const PtxModule& module, std::string_view kernel, const backend::Geometry3& geometry,
                              std::span<const std::byte> parameters, VirtualMemory& memory,
                              const PtxRunOptions& options = {});
  PtxRun(PtxRun&&) noexcept;
  PtxRun& operator=(PtxRun&&) noexcept;
  ~PtxRun();

  // Goes on for so many instructions of warps, or a few more; whether all blocks have ended. launch_failed, with
  // kernel, block, thread and the line of the instruction: an access out of bounds or misaligned, a division by zero,
  // threads that wait for each other forever, a trap, an instruction met where it cannot be run; timeout:
  // most_instructions. After an error there is nothing to go on with.
  Result<bool> advance(std::uint64_t instructions);
  Result<void> finish();

  const PtxCounts& counts() const;
  // Zeros where the options do not ask for them.
  PtxCosts costs() const;
  // What the kernel's printf wrote, in the order in which threads came to it.
  const std::string& printed() const;

 private:
  struct State;
  explicit PtxRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wattune::simulate
