#include "dynamic/streams.h"

#include "dynamic/stream_identity.h"

namespace wattune::dynamic {

Result<std::unique_ptr<backend::Stream>> adopt(backend::Device& device, const CallStream& stream) {
  if (stream.kind() == CallStream::Kind::cuda)
    return backend::adopt_stream(device, static_cast<CUstream_st*>(stream.handle()));
  if (stream.kind() == CallStream::Kind::opencl)
    return backend::adopt_stream(device, static_cast<_cl_command_queue*>(stream.handle()));
  return Error(ErrorCode::invalid_argument, "a stream of the library is not adopted");
}

Result<Lane*> Streams::find(const CallStream& stream) {
  const bool ours = stream.kind() == CallStream::Kind::ours;
  const std::uint64_t serial = ours ? static_cast<const backend::Stream*>(stream.handle())->serial() : 0;
  const auto is_it = [&](const Lane& lane) { return lane.serial == serial && lane.name == stream; };
  const std::size_t hash = hash_of(identity_of(stream)) >> 32;
  if (Lane* const known = lanes_.find(hash, is_it)) return known;
  const std::lock_guard lock(adding_);
  if (Lane* const known = lanes_.find(hash, is_it)) return known;
  return add(stream, serial, hash);
}

Result<Lane*> Streams::add(const CallStream& stream, std::uint64_t serial, std::size_t hash) {
  auto lane = std::make_unique<Lane>(stream, serial);
  if (serial == 0) {
    WATTUNE_ASSIGN(lane->adopted, adopt(device_, stream));
    lane->stream = lane->adopted.get();
  } else {
    lane->stream = static_cast<backend::Stream*>(stream.handle());
  }
  return &lanes_.add(hash, std::move(lane));
}

}  // namespace wattune::dynamic
