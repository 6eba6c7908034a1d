// Host memory between guard zones, in pages that nothing else uses.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "backend/host/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::host {

class HostBuffer : public Buffer {
 public:
  // Allocates a buffer. Fails with invalid_argument if it exceeds the machine's memory, with unavailable if there is
  // not enough free memory.
  static Result<std::unique_ptr<Buffer>> make(const std::shared_ptr<Session>& session, std::size_t bytes);
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() override;

  std::size_t bytes() const override { return bytes_; }
  std::span<std::byte> contents() const { return {memory_ + session_->guard().size(), bytes_}; }
  // Returns the guard zones before and after the contents.
  std::array<std::span<std::byte>, 2> guards() const;

 private:
  HostBuffer(std::shared_ptr<Session> session, std::byte* memory, std::size_t bytes)
      : Buffer(*session), session_(std::move(session)), memory_(memory), bytes_(bytes) {}

  std::shared_ptr<Session> session_;
  std::byte* memory_;
  std::size_t bytes_;
};

}  // namespace wattune::backend::host
