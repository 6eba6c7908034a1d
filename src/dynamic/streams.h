// Streams: the application's streams as ours, each adopted once, when it is first called in.
//
// What is laid out for a stream refers to its handle alone. So a CUDA stream that the application destroyed costs
// nothing, and another of its context that gets the same handle takes its place; a queue of OpenCL is retained, so that
// its handle is of no other, until it is forgotten. A stream of ours is told from others at the same address by its
// number. Any thread.
#pragma once

#include <memory>
#include <mutex>

#include "dynamic/lasting_table.h"
#include "dynamic/stream_identity.h"
#include "wattune/backend/device.h"
#include "wattune/dynamic/call.h"

namespace wattune::dynamic {

// A stream of calls. Two threads may share one, as they do the default stream: who sends holds `sending` through the
// whole call, in which a composition's function calls others.
struct Lane {
  Lane(const CallStream& named, std::uint64_t number) : name(named), serial(number) {}

  const CallStream name;
  const std::uint64_t serial;  // of a stream of ours; 0: it is adopted
  std::unique_ptr<backend::Stream> adopted;
  backend::Stream* stream = nullptr;  // nullptr: it was forgotten
  // Of no other stream that a lane ever had.
  std::uint64_t identity = next_identity();
  std::recursive_mutex sending;

  void forget() {
    stream = nullptr;
    adopted.reset();
    identity = next_identity();
  }

 private:
  static std::uint64_t next_identity();
};

class Streams {
 public:
  explicit Streams(backend::Device& device) : device_(device) {}

  // Where tables by streams have it.
  static std::size_t place_of(const CallStream& stream) { return hash_of(identity_of(stream)) >> 32; }
  // It lives as long as this. Errors of adopt_stream().
  Result<Lane*> find(const CallStream& stream) {
    Lane* const known = find_opened(stream);
    return known != nullptr ? Result<Lane*>(known) : add(stream);
  }
  // nullptr: nothing was called in it, or it was forgotten.
  Lane* find_opened(const CallStream& stream) const {
    Lane* const known = find_known(stream);
    return known != nullptr && known->stream != nullptr ? known : nullptr;
  }
  // As Tuner::forget(). Its lane stays, for the next stream of its handle.
  void forget(const CallStream& stream);

 private:
  static std::uint64_t serial_of(const CallStream& stream) {
    return stream.kind() == CallStream::Kind::ours ? static_cast<const backend::Stream*>(stream.handle())->serial() : 0;
  }
  Lane* find_known(const CallStream& stream) const {
    const std::uint64_t serial = serial_of(stream);
    return lanes_.find(place_of(stream),
                       [&](const Lane& lane) { return lane.serial == serial && lane.name == stream; });
  }
  Result<Lane*> add(const CallStream& stream);
  Result<void> open(Lane& lane) const;

  backend::Device& device_;
  std::mutex adding_;
  LastingTable<Lane, 256> lanes_;
};

// An application's stream, adopted for whoever asks; one of ours is not. Errors of adopt_stream().
Result<std::unique_ptr<backend::Stream>> adopt(backend::Device& device, const CallStream& stream);
// The same for another thread than its callers', to ask for its state. invalid_argument: CU_STREAM_PER_THREAD, which is
// another stream there.
Result<std::unique_ptr<backend::Stream>> adopt_elsewhere(backend::Device& device, const CallStream& stream);

}  // namespace wattune::dynamic
