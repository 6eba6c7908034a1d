// StreamTable: the streams into which the application's calls go, with the time until which each probably has work.
//
// Calls record their launches, in a few nanoseconds and without a lock. The thread that loads code asks whether streams
// are idle. Any thread may use it. If there are more streams than slots, the table cannot know all of them, and never
// reports an idle device.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "wattune/backend/stream.h"
#include "wattune/core/units.h"
#include "wattune/dynamic/call.h"

namespace wattune::inline v0_1::dynamic {

// Function that adopts the stream of a call, only to query its state. Fails if the stream's state cannot be queried.
using Adopt = std::function<Result<std::unique_ptr<backend::Stream>>(const CallStream&)>;

class StreamTable {
 public:
  static constexpr std::size_t kMostStreams = 64;

  explicit StreamTable(Adopt adopt) : adopt_(std::move(adopt)) {}

  // Records a launch, which will probably run for `expected` after the launches that were recorded before it. It must
  // be called before the launch itself.
  void note(const CallStream& stream, Nanoseconds expected, Nanoseconds now);
  // True if a stream other than this one probably has work.
  bool others_busy(const CallStream& stream, Nanoseconds now) const;
  // Returns the time at which the last launch was recorded. Returns 0 if no launch was recorded.
  Nanoseconds last_noted() const;
  // Returns how long all streams together will probably take to become empty.
  Nanoseconds queued(Nanoseconds now) const;
  // True if all streams are idle. Asks each stream's driver, in one thread at a time. A stream that cannot be queried
  // counts as idle when its launches should have ended. A stream is forgotten if no call used it for kForgettingAge. It
  // is also forgotten if its state is an error, because the application may have destroyed it.
  bool all_idle(Nanoseconds now);

  // Forgets a stream that the application is about to destroy. Only the thread that calls all_idle() may call this
  // function.
  void forget(const CallStream& stream);

  // Begins to watch for launches. Until end_load(), the time of the first launch is kept.
  void begin_load() {
    first_late_.store(kNone);
    loading_.store(true);
  }
  bool is_late() const { return first_late_.load() != kNone; }
  std::optional<Nanoseconds> end_load();

  static constexpr Nanoseconds kForgettingAge = nanoseconds_from_seconds(1);

 private:
  static constexpr double kNone = -1.0;
  struct Slot {
    std::atomic<std::uint64_t> key = 0;  // 0 if the slot is free
    std::atomic<double> busy_until = 0.0;
    std::atomic<double> noted = 0.0;  // time at which the last launch was recorded
  };

  Slot* slot_of(std::uint64_t key);
  bool is_idle(Slot& slot, Nanoseconds now);
  void forget(Slot& slot);

  const Adopt adopt_;
  std::array<Slot, kMostStreams> slots_;
  std::atomic<double> crowded_ = kNone;  // time at which a stream found no slot
  std::atomic<bool> loading_ = false;
  std::atomic<double> first_late_ = kNone;
  std::map<std::uint64_t, std::unique_ptr<backend::Stream>> adopted_;  // nullptr for a stream that cannot be queried
};

}  // namespace wattune::dynamic
