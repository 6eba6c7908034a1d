#include "backend/host/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace wattune::inline v0_1::backend::host {

Result<std::unique_ptr<Buffer>> HostBuffer::make(const std::shared_ptr<Session>& session, std::size_t bytes) {
  const std::size_t guards = 2 * session->guard().size();
  const std::size_t most = session->info().max_allocation_bytes.value_or(0);
  if (bytes > most - std::min(guards, most))
    return Error(ErrorCode::invalid_argument,
                 fmt::format("a buffer of {} bytes is larger than the machine's memory ({})", bytes, most));
  void* const memory = mmap(nullptr, bytes + guards, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Error(ErrorCode::unavailable,
                 fmt::format("no room for a buffer of {} bytes: {}", bytes, std::strerror(errno)));
  std::unique_ptr<HostBuffer> buffer(new HostBuffer(session, static_cast<std::byte*>(memory), bytes));
  for (const std::span<std::byte> zone : buffer->guards()) std::ranges::copy(session->guard(), zone.begin());
  return std::unique_ptr<Buffer>(std::move(buffer));
}

HostBuffer::~HostBuffer() {
  if (session_->releasable()) munmap(memory_, bytes_ + 2 * session_->guard().size());
}

std::array<std::span<std::byte>, 2> HostBuffer::guards() const {
  const std::size_t zone = session_->guard().size();
  return {std::span(memory_, zone), std::span(memory_ + zone + bytes_, zone)};
}

}  // namespace wattune::backend::host
