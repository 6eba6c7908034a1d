#include "dynamic/screening/memory_check.h"

#include <fmt/format.h>

namespace wattune::inline v0_1::dynamic {

namespace {

// Returns the size of the memory. With CUDA, the size is only determined up to `enough`. Memory that the driver does
// not know but that kernels can access counts as large enough.
Result<std::size_t> bytes_of(backend::Device& device, std::uint64_t memory, std::size_t enough) {
  if (device.info().backend != "cuda") {
    WATTUNE_ASSIGN(const auto buffer, backend::adopt_buffer(device, reinterpret_cast<_cl_mem*>(memory)));
    return buffer->bytes();
  }
  Result<std::size_t> bytes = backend::memory_bytes(device, memory, enough);
  if (bytes || bytes.error().code() != ErrorCode::not_found) return bytes;
  WATTUNE_ASSIGN(const auto buffer, backend::adopt_buffer(device, memory, enough));
  return buffer->bytes();
}

}  // namespace

MemoryCheck::MemoryCheck(const KernelSpec& spec, const Signature& signature,
                         const std::vector<tune::PlannedArgument>& planned, backend::MemoryMark mark_of)
    : kernel_(spec.name), mark_(mark_of) {
  const std::vector<PassedArgument>& passed = signature.passed();
  for (std::size_t i = 0; i < passed.size(); ++i)
    if (const auto* buffer = std::get_if<tune::PlannedBuffer>(&planned[passed[i].argument]))
      needed_.push_back({i, spec.arguments[passed[i].argument].name, buffer->bytes, buffer->pixels.has_value()});
}

Result<void> MemoryCheck::check(std::span<const CallArgument> arguments, backend::Device& device) {
  for (const Needed& needed : needed_) {
    const CallArgument& given = arguments[needed.passed];
    if (given.buffer() != nullptr) {
      WATTUNE_TRY(check(needed, given, device));
      continue;
    }
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
    const std::uint64_t place = given.memory() ^ (std::uint64_t{needed.passed} + 1) << 56;
    const std::uint64_t told = mark_ != nullptr ? mark_(given.memory()) : 0;
    if (told == backend::kUnknownMark) continue;  // then the launch reports the error of the context
    const std::uint64_t mark = place ^ told * kOdd;
    std::atomic<std::uint64_t>& seen = seen_[(place * kOdd) >> 58];
    if (seen.load(std::memory_order_relaxed) == mark) continue;
    WATTUNE_TRY(check(needed, given, device));
    seen.store(mark, std::memory_order_relaxed);
  }
  return {};
}

Result<void> MemoryCheck::check(const Needed& needed, const CallArgument& given, backend::Device& device) const {
  const backend::Buffer* const buffer = given.buffer();
  if (needed.pixels != (buffer != nullptr && buffer->has_pixels()))
    return Error(ErrorCode::mismatch,
                 fmt::format("argument `{}` of kernel `{}` is {}, but the call passes {}", needed.name, kernel_,
                             needed.pixels ? "an image" : "a buffer", needed.pixels ? "none" : "an image"));
  if (buffer != nullptr) return buffer->bytes() < needed.bytes ? too_small(needed, buffer->bytes()) : Result<void>();
  if (given.memory() == 0) return too_small(needed, 0);
  WATTUNE_ASSIGN(const std::size_t bytes, bytes_of(device, given.memory(), needed.bytes));
  return bytes < needed.bytes ? too_small(needed, bytes) : Result<void>();
}

Error MemoryCheck::too_small(const Needed& needed, std::size_t bytes) const {
  return Error(ErrorCode::mismatch, fmt::format("argument `{}` of kernel `{}` needs {} bytes for these sizes, has {}",
                                                needed.name, kernel_, needed.bytes, bytes));
}

}  // namespace wattune::dynamic
