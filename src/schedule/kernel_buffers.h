// KernelBuffers: the buffers that configurations of one kernel have in common, where one of them runs at a time.
//
// A set for each argument and size, which lives as long as somebody uses it. Inputs keep their contents, since kernels
// leave them alone; what one configuration left in outputs stays until KernelOutputs::restore(). What a kernel writes
// into an argument declared read_only stays there. One thread at a time.
//
//   WATTUNE_ASSIGN(const auto copies, load_kernel(*device, spec, configuration, {.buffers = &buffers}));
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "tune/launch_plan.h"
#include "wattune/backend/launch.h"

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
  void add(std::size_t argument, const tune::PlannedBuffer& planned, const ArgumentBuffers& made);

 private:
  struct Known {
    std::size_t argument = 0;
    tune::PlannedBuffer planned;
    std::weak_ptr<backend::Buffer> buffer;
    std::weak_ptr<backend::Buffer> pristine;
  };
  std::vector<Known> known_;
};

}  // namespace wattune::schedule
