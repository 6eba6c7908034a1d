#include "dynamic/calls/streams.h"

#include <atomic>

namespace wattune::inline v0_1::dynamic {

Result<std::unique_ptr<backend::Stream>> adopt(backend::Device& device, const CallStream& stream) {
  if (stream.kind() == CallStream::Kind::cuda)
    return backend::adopt_stream(device, static_cast<CUstream_st*>(stream.handle()));
  if (stream.kind() == CallStream::Kind::opencl)
    return backend::adopt_stream(device, static_cast<_cl_command_queue*>(stream.handle()));
  return Error(ErrorCode::invalid_argument, "a stream of the library is not adopted");
}

Result<std::unique_ptr<backend::Stream>> adopt_elsewhere(backend::Device& device, const CallStream& stream) {
  constexpr std::uintptr_t kPerThread = 2;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream.handle());
  if (stream.kind() == CallStream::Kind::cuda && handle == kPerThread)
    return Error(ErrorCode::invalid_argument, "a thread's own stream is not asked by another thread");
  return adopt(device, stream);
}

std::uint64_t Lane::next_identity() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

Result<Lane*> Streams::add(const CallStream& stream) {
  const std::lock_guard lock(adding_);
  if (Lane* const known = find_known(stream)) {
    if (known->stream == nullptr) WATTUNE_TRY(open(*known));
    return known;
  }
  auto lane = std::make_unique<Lane>(stream, serial_of(stream));
  WATTUNE_TRY(open(*lane));
  return &lanes_.add(place_of(stream), std::move(lane));
}

void Streams::forget(const CallStream& stream) {
  const std::lock_guard lock(adding_);
  if (Lane* const known = find_known(stream)) known->forget();
}

Result<void> Streams::open(Lane& lane) const {
  if (lane.serial == 0) {
    WATTUNE_ASSIGN(lane.adopted, adopt(device_, lane.name));
    lane.stream = lane.adopted.get();
  } else {
    lane.stream = static_cast<backend::Stream*>(lane.name.handle());
  }
  return {};
}

}  // namespace wattune::dynamic
