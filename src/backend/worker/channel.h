// Frames over one end of a stream socket.
//
// A frame is a 16-byte header (magic, which names the build, and the payload's length) and a payload of at
// most kMaxPayload bytes. Bare bytes may follow where both ends expect them. Interrupted calls go on, a peer that is
// gone is an error and no signal, and every wait ends at its deadline. Who watches the peer's process as well learns of
// its end where a process that the peer left behind holds the other end open.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "backend/descriptor.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend::worker {

inline constexpr std::size_t kMaxPayload = std::size_t{256} << 20;

// When to give up; nothing: never.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// `limit` from now; a limit beyond any machine's life (infinity) is none.
Deadline deadline_in(Nanoseconds limit);

// Errors of all functions: timeout; io_error (the peer is gone); parse_error (what came is no frame).
class Channel {
 public:
  // `peer`, a process as a descriptor, is watched if it is given.
  explicit Channel(Descriptor socket, Descriptor peer = Descriptor())
      : socket_(std::move(socket)), peer_(std::move(peer)) {}

  Result<void> send(std::span<const std::byte> payload, const Deadline& deadline);
  Result<std::vector<std::byte>> receive(const Deadline& deadline);
  Result<void> send_bytes(std::span<const std::byte> bytes, const Deadline& deadline);
  Result<void> receive_bytes(std::span<std::byte> bytes, const Deadline& deadline);
  // Until something came; timeout.
  Result<void> wait_for_bytes(const Deadline& deadline);
  void close() { socket_.close(); }
  // From any thread: every wait ends with io_error, and the peer sees the end.
  void hang_up();

 private:
  Result<void> wait(short events, const Deadline& deadline);

  Descriptor socket_;
  Descriptor peer_;
};

}  // namespace wattune::backend::worker
