// KernelBuffers: the buffers that the configurations of one kernel share, if only one of them runs at a time.
//
// There is one buffer for each argument and size; it lives as long as a configuration uses it. Outputs keep what a
// configuration left until KernelOutputs::restore(). One thread at a time uses the object, while nothing runs on the
// buffers.
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

#include "schedule/interface/buffer_digest.h"
#include "tune/interface/launch_plan.h"
#include "wattune/backend/launch.h"

namespace wattune::inline v0_1::schedule {

// The buffers of one argument.
struct ArgumentBuffers {
  std::shared_ptr<backend::Buffer> buffer = {};
  std::shared_ptr<backend::Buffer> pristine = {};  // original contents, as in LoadedKernel
};

class KernelBuffers {
 public:
  // Returns the buffers of an argument of this size; nullopt if no configuration uses such buffers.
  std::optional<ArgumentBuffers> find(std::size_t argument, const tune::PlannedBuffer& planned) const;
  void add(std::size_t argument, const tune::PlannedBuffer& planned, const ArgumentBuffers& made, bool is_input);
  // Notes the digests of new inputs, which kernels do not write by their specs. Fails with errors of the device.
  Result<void> note_inputs(BufferDigest& digest);
  // Tells whether all inputs still have the noted contents. Inputs whose digest cannot be computed count as unchanged.
  // Fails with errors of the device.
  Result<bool> inputs_hold(BufferDigest& digest);

 private:
  struct Known {
    std::size_t argument = 0;
    tune::PlannedBuffer planned;
    std::weak_ptr<backend::Buffer> buffer;
    std::weak_ptr<backend::Buffer> pristine;
    bool is_input = false;
    std::optional<std::uint64_t> digest = {};  // digest of an input
  };
  std::vector<Known> known_;
};

}  // namespace wattune::schedule
