// Sends and receives frames over one end of a stream socket.
//
// A frame is a 16-byte header (magic, which names the build, and the payload's length) and a payload of at most
// kMaxPayload bytes. Bytes without a header may follow a frame if both ends expect them. Interrupted calls are resumed.
// If the peer is gone, calls return an error, and no signal is raised. Every wait ends at its deadline. A channel that
// also watches the peer's process notices its end even if a process that the peer left behind holds the other end open.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "backend/interface/descriptor.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend::worker {

inline constexpr std::size_t kMaxPayload = std::size_t{256} << 20;

// The point in time at which a wait gives up; nullopt for a wait without end.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// Returns the deadline after `limit`; nullopt for an infinite limit.
Deadline deadline_in(Nanoseconds limit);

// A channel. All functions fail with timeout, io_error (the peer is gone) or parse_error (the bytes are no frame).
class Channel {
 public:
  // Makes a channel. If `peer`, the descriptor of a process, is given, the channel also notices the end of that
  // process.
  explicit Channel(Descriptor socket, Descriptor peer = Descriptor())
      : socket_(std::move(socket)), peer_(std::move(peer)) {}

  Result<void> send(std::span<const std::byte> payload, const Deadline& deadline);
  Result<std::vector<std::byte>> receive(const Deadline& deadline);
  Result<void> send_bytes(std::span<const std::byte> bytes, const Deadline& deadline);
  Result<void> receive_bytes(std::span<std::byte> bytes, const Deadline& deadline);
  // Waits until bytes have come. Fails with timeout.
  Result<void> wait_for_bytes(const Deadline& deadline);
  void close() { socket_.close(); }
  // Ends the channel, from any thread: every wait ends with io_error, and the peer sees the end.
  void hang_up();

 private:
  Result<void> wait(short events, const Deadline& deadline);

  Descriptor socket_;
  Descriptor peer_;
};

}  // namespace wattune::backend::worker
