// KernelBuffers: the buffers that configurations of one kernel have in common, where one of them runs at a time.
//
// One for each argument and size, which lives as long as somebody uses it. What one configuration left in outputs stays
// until KernelOutputs::restore(). One thread at a time, while nothing runs on them.
//
//   WATTUNE_ASSIGN(const auto copies, load_kernel(*device, spec, configuration, {.buffers = &buffers}));
//   WATTUNE_TRY(buffers.note_inputs(digest));
//   run_alone();
//   WATTUNE_ASSIGN(const bool is_clean, buffers.inputs_hold(digest));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tune/launch_plan.h"
#include "wattune/backend/launch.h"
#include "wattune/schedule/buffer_digest.h"

namespace wattune::schedule {

// Those of an argument.
struct ArgumentBuffers {
  std::shared_ptr<backend::Buffer> buffer = {};
  std::shared_ptr<backend::Buffer> pristine = {};  // as LoadedKernel has it
};

class KernelBuffers {
 public:
  // None: nobody uses such.
  std::optional<ArgumentBuffers> find(std::size_t argument, const tune::PlannedBuffer& planned) const;
  void add(std::size_t argument, const tune::PlannedBuffer& planned, const ArgumentBuffers& made, bool is_input);
  // What inputs that are new hold, which kernels are declared to leave alone.
  Result<void> note_inputs(BufferDigest& digest);
  // Whether all hold what was noted; also where no digest of them can be had.
  Result<bool> inputs_hold(BufferDigest& digest);

 private:
  struct Known {
    std::size_t argument = 0;
    tune::PlannedBuffer planned;
    std::weak_ptr<backend::Buffer> buffer;
    std::weak_ptr<backend::Buffer> pristine;
    bool is_input = false;
    std::optional<std::uint64_t> digest = {};  // of an input
  };
  std::vector<Known> known_;
};

}  // namespace wattune::schedule
