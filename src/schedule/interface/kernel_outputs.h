// KernelOutputs: tells whether a kernel leaves the same results beside other kernels as alone.
//
// It restores the original contents of the kernel's buffers before each run, so kernels that overwrite their inputs can
// be compared as well. With a digest, a comparison reads only outputs that differ. The device and the digest must
// outlive this object. Only one thread at a time may use it, while nothing runs on the buffers.
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

#include "schedule/interface/buffer_digest.h"
#include "schedule/interface/loaded_kernel.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::schedule {

enum class Sameness {
  bits,
  // The tolerance of the spec's reference comparison, for kernels whose results depend on the order of blocks.
  tolerance,
};

class KernelOutputs {
 public:
  // Keeps the kernel's buffers alive. Without a digest, or if the device cannot compute one, outputs are always read.
  KernelOutputs(backend::Device& device, const KernelSpec& spec, const LoadedKernel& kernel, Sameness sameness,
                BufferDigest* digest = nullptr);

  // Restores the original contents of buffers that the kernel reads and writes. Poisons buffers that it only writes, so
  // that unwritten parts show. Fails with errors of the device, as all functions below.
  Result<void> restore();
  // Remembers the present contents of the outputs as the right ones. If one of `others`, which are of the same kernel,
  // remembers contents with the same digest, these are shared instead of read from the device.
  Result<void> remember(std::span<const KernelOutputs* const> others = {});
  bool remembers() const { return remembers_; }
  // Takes over the right contents that `other` remembers, whose kernel is a copy of this one.
  void remember_as(const KernelOutputs& other);
  // Compares the outputs with the remembered contents. Returns the first difference in one line; nullopt if there is
  // none.
  Result<std::optional<std::string>> difference();

  // True if there is an output that the spec does not leave out of comparisons.
  bool are_compared() const;
  // Returns the size of all buffers that the kernel writes, in bytes.
  std::uint64_t bytes() const;
  // Returns the names of the arguments that the kernel reads and writes: their final contents depend on how often it
  // ran.
  std::vector<std::string> overwritten() const;

 private:
  struct Kept {
    Argument argument;  // argument whose contents the buffer has after the last launch
    std::shared_ptr<backend::Buffer> buffer;
    std::shared_ptr<const backend::Buffer> pristine;  // original contents if the kernel also reads them; else nullptr
    std::string first_name;                           // argument whose contents it had before the first launch
    std::shared_ptr<const std::vector<std::byte>> right = {};
    std::optional<std::uint64_t> right_digest = {};
  };

  Result<std::vector<std::byte>> read(const backend::Buffer& buffer) const;
  // Returns the right contents of the same output that one of `others` remembers with the same digest; nullptr if there
  // are none.
  static std::shared_ptr<const std::vector<std::byte>> find_right(const Kept& kept,
                                                                  std::span<const KernelOutputs* const> others);
  // Returns the digest of the buffer; nullopt if it cannot be computed.
  Result<std::optional<std::uint64_t>> digest_of(const backend::Buffer& buffer);
  std::optional<std::string> compare(const Kept& output, const std::vector<std::byte>& found) const;

  backend::Device* device_;
  Tolerance tolerance_;
  Sameness sameness_;
  BufferDigest* digest_;
  bool remembers_ = false;
  std::vector<Kept> kept_;  // the outputs that the kernel writes
};

}  // namespace wattune::schedule
