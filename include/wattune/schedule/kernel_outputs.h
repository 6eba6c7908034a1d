// KernelOutputs: whether a kernel leaves beside others what it leaves alone.
//
// It keeps what the kernel's buffers held before anything ran, so that kernels that overwrite their inputs can be
// compared as well. With a digest, outputs are read only where they differ. The device, the buffers and the digest
// outlive it; one thread at a time, while nothing runs that uses them.
//
//   WATTUNE_ASSIGN(auto outputs, schedule::KernelOutputs::of(*device, spec, buffers, Sameness::bits));
//   run_alone();
//   WATTUNE_TRY(outputs.remember());
//   WATTUNE_TRY(outputs.restore());
//   run_beside_another();
//   WATTUNE_ASSIGN(const std::optional<std::string> difference, outputs.difference());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/schedule/buffer_digest.h"

namespace wattune::schedule {

enum class Sameness {
  bits,
  // As the spec has the reference compared: for kernels whose results depend on the order of blocks.
  tolerance,
};

class KernelOutputs {
 public:
  // `buffers` are by argument of the spec; nullptr: it has none. Without a digest, or where
  // the device has none, outputs are always read. Errors of
  // the device, as for all that follows.
  static Result<KernelOutputs> of(backend::Device& device, const KernelSpec& spec,
                                  std::vector<backend::Buffer*> buffers, Sameness sameness,
                                  BufferDigest* digest = nullptr);

  // What the kernel reads, as it was before anything ran; what it only writes is poisoned, so that it shows what was
  // not written.
  Result<void> restore();
  // What the outputs hold is right.
  Result<void> remember();
  bool remembers() const { return remembers_; }
  // Where they hold anything else than was remembered: one line; none: nowhere.
  Result<std::optional<std::string>> difference();

  // Arguments that the kernel reads and writes: what it leaves depends on how often it ran.
  std::vector<std::string> overwritten() const;

 private:
  struct Kept {
    Argument argument;
    backend::Buffer* buffer = nullptr;
    std::vector<std::byte> before = {};  // of what it reads as well
    std::vector<std::byte> right = {};
    std::optional<std::uint64_t> right_digest = {};
  };

  KernelOutputs(backend::Device& device, Tolerance tolerance, Sameness sameness, BufferDigest* digest)
      : device_(&device), tolerance_(tolerance), sameness_(sameness), digest_(digest) {}
  Result<std::vector<std::byte>> read(const backend::Buffer& buffer) const;
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
