#include "backend/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace wattune::inline v0_1::backend::worker {

namespace {

// The mark of this build, because another build may read the same bytes differently.
constexpr std::uint64_t kMagic = WATTUNE_BUILD_ID;

struct Header {
  std::uint64_t magic = kMagic;
  std::uint64_t payload_bytes = 0;
};

Error system_error(const char* doing) {
  const int code = errno;
  return Error(ErrorCode::io_error, std::string(doing) + ": " + std::strerror(code))
      .native(code, strerrorname_np(code) ? strerrorname_np(code) : "");
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

Deadline deadline_in(Nanoseconds limit) {
  constexpr double kCentury = 3e18;
  if (!(limit.value() < kCentury)) return std::nullopt;
  return std::chrono::steady_clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(limit.value()));
}

void Channel::hang_up() { shutdown(socket_.get(), SHUT_RDWR); }

Result<void> Channel::wait(short events, const Deadline& deadline) {
  for (;;) {
    timespec left{};
    if (deadline) {
      const auto remaining = std::max(*deadline - std::chrono::steady_clock::now(), {});
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(remaining);
      left = {seconds.count(), std::chrono::nanoseconds(remaining - seconds).count()};
    }
    std::array<pollfd, 2> entries{{{socket_.get(), events, 0}, {peer_.get(), POLLIN, 0}}};  // poll() skips -1
    const int ready = ppoll(entries.data(), entries.size(), deadline ? &left : nullptr, nullptr);
    if (ready > 0 && entries[0].revents == 0)
      return Error(ErrorCode::io_error, "the process at the other end has ended");
    if (ready > 0) return {};
    if (ready == 0) return Error(ErrorCode::timeout, "no answer in time");
    if (errno != EINTR) return system_error("waiting on a socket");
  }
}

Result<void> Channel::wait_for_bytes(const Deadline& deadline) { return wait(POLLIN, deadline); }

Result<void> Channel::send_bytes(std::span<const std::byte> bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (would_block()) {
      WATTUNE_TRY(wait(POLLOUT, deadline));
    } else if (errno != EINTR) {
      return system_error("writing to a socket");
    }
  }
  return {};
}

Result<void> Channel::receive_bytes(std::span<std::byte> bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (received > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(received));
    } else if (received == 0) {
      return Error(ErrorCode::io_error, "the other end closed the connection");
    } else if (would_block()) {
      WATTUNE_TRY(wait(POLLIN, deadline));
    } else if (errno != EINTR) {
      return system_error("reading from a socket");
    }
  }
  return {};
}

Result<void> Channel::send(std::span<const std::byte> payload, const Deadline& deadline) {
  if (payload.size() > kMaxPayload) return Error(ErrorCode::invalid_argument, "a message to a worker is too long");
  // Header and payload are sent by one call, because most messages are short, and a further call costs more than
  // copying.
  const Header header{kMagic, payload.size()};
  std::vector<std::byte> frame(sizeof header + payload.size());
  std::memcpy(frame.data(), &header, sizeof header);
  std::ranges::copy(payload, frame.begin() + sizeof header);
  return send_bytes(frame, deadline);
}

Result<std::vector<std::byte>> Channel::receive(const Deadline& deadline) {
  Header header;
  WATTUNE_TRY(receive_bytes(std::as_writable_bytes(std::span(&header, 1)), deadline));
  if (header.magic != kMagic || header.payload_bytes > kMaxPayload)
    return Error(ErrorCode::parse_error, "a message over the socket is not one of this build");
  // The payload is read in pieces, so that a wrong length does not allocate much more memory than the bytes that really
  // come.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<std::byte> payload;
  while (payload.size() < header.payload_bytes) {
    const std::size_t had = payload.size();
    payload.resize(std::min<std::size_t>(header.payload_bytes, had + kPiece));
    WATTUNE_TRY(receive_bytes(std::span(payload).subspan(had), deadline));
  }
  return payload;
}

}  // namespace wattune::backend::worker
