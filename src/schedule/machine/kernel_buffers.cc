#include "schedule/interface/kernel_buffers.h"

namespace wattune::inline v0_1::schedule {

std::optional<ArgumentBuffers> KernelBuffers::find(std::size_t argument, const tune::PlannedBuffer& planned) const {
  for (const Known& known : known_) {
    const bool alike = known.argument == argument && known.planned.length == planned.length &&
                       known.planned.bytes == planned.bytes && known.planned.pixels == planned.pixels;
    if (!alike) continue;
    if (auto buffer = known.buffer.lock()) return ArgumentBuffers{std::move(buffer), known.pristine.lock()};
  }
  return std::nullopt;
}

void KernelBuffers::add(std::size_t argument, const tune::PlannedBuffer& planned, const ArgumentBuffers& made,
                        bool is_input) {
  std::erase_if(known_, [](const Known& known) { return known.buffer.expired(); });
  known_.push_back({argument, planned, made.buffer, made.pristine, is_input});
}

Result<void> KernelBuffers::note_inputs(BufferDigest& digest) {
  for (Known& known : known_) {
    const auto buffer = known.buffer.lock();
    if (!known.is_input || known.digest || buffer == nullptr) continue;
    if (!BufferDigest::can_read(*buffer) || !digest.prepare()) continue;
    WATTUNE_ASSIGN(known.digest, digest.of(*buffer));
  }
  return {};
}

Result<bool> KernelBuffers::inputs_hold(BufferDigest& digest) {
  for (const Known& known : known_) {
    const auto buffer = known.buffer.lock();
    if (!known.digest || buffer == nullptr) continue;
    WATTUNE_ASSIGN(const std::uint64_t found, digest.of(*buffer));
    if (found != known.digest) return false;
  }
  return true;
}

}  // namespace wattune::schedule
