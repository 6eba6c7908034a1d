// ProgressSlots: the counters and stop words of persistent launches, in device memory.
//
// They are written and read through a stream of their own, which no kernel delays. Words are moved by copies, which
// need no SM, since resident blocks may hold all SMs. One thread uses them.
//
// Each launch of a sequence has a counter of its own, but all have the stop word of the first one. So launches behind a
// stopped one run no block.
//
//   WATTUNE_ASSIGN(const std::size_t slot, slots.take(first_block));
//   launch(slots.progress(slot, slot, fetching));
//   WATTUNE_TRY(slots.stop(slot));
//   WATTUNE_ASSIGN(const std::vector<std::uint64_t> counters, slots.counters({&slot, 1}));  // once it has ended
//   slots.give_back(slot);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedule/machine/device_parts.h"
#include "slice/interface/slice_words.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::schedule {

class ProgressSlots {
 public:
  // Borrows the device. Allocates nothing before warm_up() or the first take().
  explicit ProgressSlots(backend::Device& device) : device_(device) {}

  // Allocates the first slots. Fails with unavailable if the device does not tell the address of its memory.
  Result<void> warm_up() { return free_.empty() ? grow() : Result<void>(); }

  // Returns a slot whose counter is `first_block` and whose stop word is 0. Waits some microseconds for a copy if the
  // counter is not 0. Fails with unavailable if the device does not tell the address of its memory.
  Result<std::size_t> take(std::uint64_t first_block);
  void give_back(std::size_t slot);

  // Returns the words of a launch with the counter of one slot and the stop word of another.
  slice::Progress progress(std::size_t slot, std::size_t stopped_by, const Fetching& fetching) const;
  Result<void> stop(std::size_t slot);
  Result<std::vector<std::uint64_t>> counters(std::span<const std::size_t> slots);

 private:
  struct Slot {
    std::uint64_t address = 0;
    std::unique_ptr<backend::Buffer> both;          // the counter and the stop word
    std::unique_ptr<backend::Buffer> word;          // the stop word
    std::array<std::uint64_t, 2> written = {0, 0};  // the last written values, which a copy may still read
  };

  Result<void> grow();
  Result<void> set(std::size_t slot, std::uint64_t first_block);
  Result<void> settle();

  backend::Device& device_;
  std::unique_ptr<backend::Stream> control_;
  std::vector<std::unique_ptr<backend::Buffer>> memory_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;  // slots whose words are 0 as soon as the stream has finished
  bool settled_ = true;            // true if the stream has finished
};

}  // namespace wattune::schedule
