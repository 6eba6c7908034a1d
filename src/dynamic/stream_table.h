// StreamTable: which streams the application calls in, and until when they probably have work.
//
// Calls note what they launch, in a few nanoseconds and without a lock; whoever loads code asks. Any thread. Of more
// streams than it holds it knows only that there are more, and then never calls the device idle.
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

namespace wattune::dynamic {

// The stream of a call, as one that only tells its state. An error: it cannot be asked.
using Adopt = std::function<Result<std::unique_ptr<backend::Stream>>(const CallStream&)>;

class StreamTable {
 public:
  static constexpr std::size_t kMost = 64;

  explicit StreamTable(Adopt adopt) : adopt_(std::move(adopt)) {}

  // A launch that will probably run for so long behind what was noted before; comes before the launch itself.
  void note(const CallStream& stream, Nanoseconds expected, Nanoseconds now);
  // Whether another stream probably has work.
  bool others_busy(const CallStream& stream, Nanoseconds now) const;
  // When the last launch was noted; long ago, where none was.
  Nanoseconds last_noted() const;
  // How long all streams together will probably take to be empty.
  Nanoseconds queued(Nanoseconds now) const;
  // Asks each stream's driver, in one thread at a time. A stream that cannot tell is idle when its launches should have
  // ended. One that was not called in for kForgotten, or whose state is an error, is forgotten: its handle may be of a
  // stream that the application destroyed.
  bool all_idle(Nanoseconds now);

  // The application destroys it; in the thread that asks.
  void forget(const CallStream& stream);

  // Between begin_load() and end_load() it keeps when the first launch was noted.
  void begin_load() {
    first_late_.store(kNone);
    loading_.store(true);
  }
  bool is_late() const { return first_late_.load() != kNone; }
  std::optional<Nanoseconds> end_load();

  static constexpr Nanoseconds kForgotten = nanoseconds_from_seconds(1);

 private:
  static constexpr double kNone = -1.0;
  struct Slot {
    std::atomic<std::uint64_t> key = 0;  // 0: free
    std::atomic<double> busy_until = 0.0;
    std::atomic<double> noted = 0.0;  // the last time
  };

  Slot* slot_of(std::uint64_t key);
  bool is_idle(Slot& slot, Nanoseconds now);
  void forget(Slot& slot);

  const Adopt adopt_;
  std::array<Slot, kMost> slots_;
  std::atomic<double> crowded_ = kNone;  // when a stream found no place
  std::atomic<bool> loading_ = false;
  std::atomic<double> first_late_ = kNone;
  std::map<std::uint64_t, std::unique_ptr<backend::Stream>> adopted_;  // nullptr: cannot be asked
};

}  // namespace wattune::dynamic
