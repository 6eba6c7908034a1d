// Streams: adopts the application's streams as streams of this library. Each stream is adopted once, at the first call
// in it.
//
// Launches are prepared for the handle of a stream. So a later CUDA stream of the same context with the same handle can
// take the place of a destroyed one. A queue of OpenCL is retained until it is forgotten, so no other queue can get its
// handle. A stream object of this library has a number that distinguishes it from later ones at its address. Any thread
// may call the functions.
#pragma once

#include <memory>
#include <mutex>

#include "dynamic/calls/lasting_table.h"
#include "dynamic/calls/stream_identity.h"
#include "wattune/backend/device.h"
#include "wattune/dynamic/call.h"

namespace wattune::inline v0_1::dynamic {

// A stream into which calls go. Several threads may share a stream, such as the default stream. A thread that sends a
// call holds `sending` until the call is sent; a composition's function may make further calls meanwhile.
struct Lane {
  Lane(const CallStream& named, std::uint64_t number) : name(named), serial(number) {}

  const CallStream name;
  const std::uint64_t serial;  // number of a stream object of this library; 0 if the stream is adopted
  std::unique_ptr<backend::Stream> adopted;
  backend::Stream* stream = nullptr;  // nullptr once the stream was forgotten
  // A number that no other stream ever had, in any lane.
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

  // Returns the index under which tables look for a stream.
  static std::size_t place_of(const CallStream& stream) { return hash_of(identity_of(stream)) >> 32; }
  // Returns the lane of a stream. The lane lives as long as this object. Errors are those of adopt_stream().
  Result<Lane*> find(const CallStream& stream) {
    Lane* const known = find_opened(stream);
    return known != nullptr ? Result<Lane*>(known) : add(stream);
  }
  // Returns the lane of a stream. Returns nullptr if no call was made in the stream, or if the stream was forgotten.
  Lane* find_opened(const CallStream& stream) const {
    Lane* const known = find_known(stream);
    return known != nullptr && known->stream != nullptr ? known : nullptr;
  }
  // Forgets a stream, as Tuner::forget() does. Its lane stays for the next stream of the same handle.
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

// Adopts an application's stream. Returns nullptr for a stream object of this library. Errors are those of
// adopt_stream().
Result<std::unique_ptr<backend::Stream>> adopt(backend::Device& device, const CallStream& stream);
// Adopts a stream for another thread than those that send calls into it. That thread checks the stream's state. Fails
// with invalid_argument for CU_STREAM_PER_THREAD, which is another stream in each thread.
Result<std::unique_ptr<backend::Stream>> adopt_elsewhere(backend::Device& device, const CallStream& stream);

}  // namespace wattune::dynamic
