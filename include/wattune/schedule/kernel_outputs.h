// KernelOutputs: whether a kernel leaves beside others what it leaves alone.
//
// It puts back what the kernel's buffers held before anything ran, so that kernels that overwrite their inputs can be
// compared as well. With a digest, outputs are read only where they differ. The device and the digest outlive it; one
// thread at a time, while nothing runs that uses the buffers.
//
//   schedule::KernelOutputs outputs(*device, spec, *kernel, Sameness::bits);
//   run_alone();
//   WATTUNE_TRY(outputs.remember());
//   WATTUNE_TRY(outputs.restore());
//   run_beside_another();
//   WATTUNE_ASSIGN(const std::optional<std::string> difference, outputs.difference());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/schedule/buffer_digest.h"
#include "wattune/schedule/loaded_kernel.h"

namespace wattune::schedule {

enum class Sameness {
  bits,
  // As the spec has the reference compared: for kernels whose results depend on the order of blocks.
  tolerance,
};

class KernelOutputs {
 public:
  // Without a digest, or where the device has none, outputs are always read.
  KernelOutputs(backend::Device& device, const KernelSpec& spec, const LoadedKernel& kernel, Sameness sameness,
                BufferDigest* digest = nullptr);

  // Errors of the device, as for all that follows. What the kernel reads, as it was before anything ran; what it only
  // writes is poisoned, so that it shows what was not written.
  Result<void> restore();
  // What the outputs hold is right. Where others that remember, of the same kernel, hold the same by its digest, it is
  // not read but shared with them.
  Result<void> remember(std::span<const KernelOutputs* const> others = {});
  bool remembers() const { return remembers_; }
  // Takes over what another holds to be right, whose kernel is a copy of this one.
  void remember_as(const KernelOutputs& other);
  // Where they hold anything else than was remembered: one line; none: nowhere.
  Result<std::optional<std::string>> difference();

  // True if there is an output that the spec does not leave out of comparisons.
  bool are_compared() const;
  // Returns the size of all buffers that the kernel writes.
  std::uint64_t bytes() const;
  // Arguments that the kernel reads and writes: what it leaves depends on how often it ran.
  std::vector<std::string> overwritten() const;

 private:
  struct Kept {
    Argument argument;
    std::shared_ptr<backend::Buffer> buffer;
    std::shared_ptr<const backend::Buffer> pristine;  // of what it reads as well
    std::shared_ptr<const std::vector<std::byte>> right = {};
    std::optional<std::uint64_t> right_digest = {};
  };

  Result<std::vector<std::byte>> read(const backend::Buffer& buffer) const;
  // nullptr: no such output of the others is known to hold the same.
  static std::shared_ptr<const std::vector<std::byte>> find_right(const Kept& kept,
                                                                  std::span<const KernelOutputs* const> others);
  // None where it cannot be had.
  Result<std::optional<std::uint64_t>> digest_of(const backend::Buffer& buffer);
  std::optional<std::string> compare(const Kept& output, const std::vector<std::byte>& found) const;

  backend::Device* device_;
  Tolerance tolerance_;
  Sameness sameness_;
  BufferDigest* digest_;
  bool remembers_ = false;
  std::vector<Kept> kept_;  // what the kernel writes
};

}  // namespace wattune::schedule
