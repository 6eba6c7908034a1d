// PtxRun is a launch of a kernel of a PtxModule, interpreted instruction by instruction on the host.
//
// Its results are those of a GPU, with three exceptions: functions that PTX calls approximate, the order of threads
// that do not synchronize, and contraction. The interpreter never contracts operations, but ptxas may make one fma of a
// mul and an add without rounding modifiers. Equal calls give equal results and equal costs. The caller owns the run.
// The module and the memory must outlive it. Only one thread at a time may use it. Several runs may take turns in
// advance() on one memory, like kernels that are on a device together.
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

#include "simulate/interface/ptx_costs.h"
#include "simulate/interface/ptx_module.h"
#include "simulate/interface/virtual_memory.h"
#include "wattune/backend/launch.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::simulate {

struct PtxRunOptions {
  std::size_t dynamic_shared_bytes = 0;
  // Number of blocks that are resident at once and take turns. The next block begins when one of them ends.
  std::size_t resident_blocks = 1;
  // Linear indices of the blocks in the order in which they begin, each once. If empty, all blocks begin in ascending
  // order.
  std::vector<std::uint64_t> order = {};
  // Seed for the order of blocks (unless `order` is given), for the choice of the warp with the next turn, and for the
  // length of the turn. If empty, blocks and warps take turns in order.
  std::optional<std::uint64_t> seed = {};
  std::uint64_t turn = 1000;  // largest number of instructions of a warp in one turn
  // The largest number of instructions of all warps together; a kernel that exceeds it counts as one that never ends.
  std::uint64_t most_instructions = 1'000'000'000;
  bool is_part = false;          // true if `order` names only some of the blocks, and the others do not run
  bool costs = false;            // true to count costs
  unsigned multiprocessors = 1;  // the value of %nsmid; resident block i sees i modulo this number as its %smid
};

struct PtxCounts {
  std::uint64_t instructions = 0;         // number of warp instructions
  std::uint64_t thread_instructions = 0;  // instructions summed over the threads whose guard is true
  std::uint64_t blocks = 0;               // number of blocks that have ended
};

class PtxRun {
 public:
  // Starts a launch. The parameters' bytes are laid out as PtxKernel::parameters says. Fails with not_found or
  // unavailable as PtxModule::kernel() does, with invalid_argument if geometry, order or parameters do not fit.
  static Result<PtxRun> start(const PtxModule& module, std::string_view kernel, const backend::Geometry3& geometry,
                              std::span<const std::byte> parameters, VirtualMemory& memory,
                              const PtxRunOptions& options = {});
  PtxRun(PtxRun&&) noexcept;
  PtxRun& operator=(PtxRun&&) noexcept;
  ~PtxRun();

  // Runs for this many instructions of warps, or a few more. Returns true if all blocks have ended. Fails with
  // launch_failed, naming kernel, block, thread and line. Its causes are an access out of bounds or misaligned, a
  // division by zero, threads that wait for each other forever, a trap, or an instruction that cannot be run. Fails
  // with timeout after most_instructions. After an error the run cannot go on.
  Result<bool> advance(std::uint64_t instructions);
  Result<void> finish();

  const PtxCounts& counts() const;
  // Returns the costs so far; zeros unless the options ask for costs.
  PtxCosts costs() const;
  // Returns the output of the kernel's printf, in the order in which threads reached the calls.
  const std::string& printed() const;

 private:
  struct State;
  explicit PtxRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wattune::simulate
