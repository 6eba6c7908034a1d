#include "schedule/machine/progress_slots.h"

#include <span>

#include "backend/interface/part.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr std::size_t kSlots = 64;      // number of slots in one allocation
constexpr std::size_t kSlotBytes = 16;  // 8 bytes for the counter, 4 for the stop word
constexpr std::size_t kStopOffset = 8;
constexpr std::uint32_t kStop = 1;
constexpr Nanoseconds kCopyLimit = nanoseconds_from_seconds(10);  // limit of copying a few bytes after other copies

}  // namespace

Result<std::size_t> ProgressSlots::take(std::uint64_t first_block) {
  if (free_.empty()) WATTUNE_TRY(grow());
  const std::size_t slot = free_.back();
  if (first_block > 0) WATTUNE_TRY(set(slot, first_block));
  WATTUNE_TRY(settle());
  free_.pop_back();
  return slot;
}

// Takes back a slot. A slot that cannot be set to 0 is not used again, because the device is lost.
void ProgressSlots::give_back(std::size_t slot) {
  if (set(slot, 0)) free_.push_back(slot);
}

slice::Progress ProgressSlots::progress(std::size_t slot, std::size_t stopped_by, const Fetching& fetching) const {
  return {.counter = slots_[slot].address,
          .stop = slots_[stopped_by].address + kStopOffset,
          .chunk = fetching.chunk,
          .ahead = fetching.ahead};
}

Result<void> ProgressSlots::stop(std::size_t slot) {
  settled_ = false;
  return control_->write(*slots_[slot].word, std::as_bytes(std::span(&kStop, 1)));
}

Result<std::vector<std::uint64_t>> ProgressSlots::counters(std::span<const std::size_t> slots) {
  std::vector<std::array<std::uint64_t, 2>> found(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i)
    WATTUNE_TRY(control_->read(*slots_[slots[i]].both, std::as_writable_bytes(std::span(found[i]))));
  settled_ = false;
  WATTUNE_TRY(settle());
  std::vector<std::uint64_t> counters;
  for (const std::array<std::uint64_t, 2>& each : found) counters.push_back(each[0]);
  return counters;
}

Result<void> ProgressSlots::grow() {
  if (!control_) {
    WATTUNE_ASSIGN(control_, device_.create_stream({.at_once = true}));
  }
  WATTUNE_ASSIGN(std::unique_ptr<backend::Buffer> memory, device_.create_buffer(kSlots * kSlotBytes));
  if (memory->memory() == 0)
    return Error(ErrorCode::unavailable,
                 "the device does not tell the address of its memory, which resident blocks need");
  constexpr std::array<std::byte, kSlots * kSlotBytes> kZeros{};
  WATTUNE_TRY(control_->write(*memory, kZeros));
  WATTUNE_TRY(control_->finish(kCopyLimit));
  for (std::size_t i = 0; i < kSlots; ++i) {
    Slot slot{.address = memory->memory() + i * kSlotBytes, .both = {}, .word = {}};
    WATTUNE_ASSIGN(slot.both, backend::part_of(*memory, i * kSlotBytes, kSlotBytes));
    WATTUNE_ASSIGN(slot.word, backend::part_of(*memory, i * kSlotBytes + kStopOffset, sizeof kStop));
    free_.push_back(slots_.size());
    slots_.push_back(std::move(slot));
  }
  memory_.push_back(std::move(memory));
  return {};
}

Result<void> ProgressSlots::set(std::size_t slot, std::uint64_t first_block) {
  settled_ = false;
  slots_[slot].written = {first_block, 0};
  return control_->write(*slots_[slot].both, std::as_bytes(std::span(slots_[slot].written)));
}

// Waits for the copies. Costs no more than a query if they are complete.
Result<void> ProgressSlots::settle() {
  if (settled_) return {};
  WATTUNE_TRY(control_->finish(kCopyLimit));
  settled_ = true;
  return {};
}

}  // namespace wattune::schedule
