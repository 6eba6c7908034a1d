// GuardianProcess is the tuner's handle of its guardian process (guardian.h), from the guardian's start to its end.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "power/guardian_message.h"

namespace wattune::inline v0_1::power {

class GuardianProcess {
 public:
  // Starts a guardian; looks for its program if `program` is empty. Fails with unavailable.
  static Result<GuardianProcess> start(const std::filesystem::path& program);
  GuardianProcess(GuardianProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), socket_(std::move(other.socket_)) {}
  GuardianProcess& operator=(GuardianProcess&&) = delete;
  // Closes the connection, which the guardian takes as the end of its tuner, and waits up to 5 s for the guardian to
  // end. Never kills it, because it must be able to finish restoring a slow board.
  ~GuardianProcess();

  pid_t id() const { return pid_; }
  // Sends a request and returns the notes in the guardian's answer, or its Error. Fails with unavailable if the
  // guardian is gone, does not answer, or has restored the clocks; the Error has the guardian's reason if there is one.
  Result<std::vector<std::string>> ask(const GuardianRequest& request);
  // Borrows the board for this process. The guardian first restores settings that a dead guardian left. If another
  // process has the board, the Error names it.
  Result<std::vector<std::string>> open(const std::string& pci_bus_id, Nanoseconds lease);

 private:
  GuardianProcess(pid_t pid, MessageSocket socket) : pid_(pid), socket_(std::move(socket)) {}

  pid_t pid_;
  MessageSocket socket_;
};

}  // namespace wattune::power
