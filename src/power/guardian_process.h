// GuardianProcess: a guardian (guardian.h) as its tuner sees it, from its start to its end.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "power/guardian_message.h"

namespace wattune::power {

class GuardianProcess {
 public:
  // `program` is looked for when it is empty. unavailable.
  static Result<GuardianProcess> start(const std::filesystem::path& program);
  GuardianProcess(GuardianProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), socket_(std::move(other.socket_)) {}
  GuardianProcess& operator=(GuardianProcess&&) = delete;
  // Hangs up, which the guardian takes as the end of its tuner, and waits a while for its end. It is never killed: who
  // restores a board that is slow to answer must be let finish.
  ~GuardianProcess();

  pid_t id() const { return pid_; }
  // Its notes, or its Error. unavailable: it is gone, or does not answer, saying why where it did.
  Result<std::vector<std::string>> ask(const GuardianRequest& request);
  // Takes the board for this process: gives back what a dead guardian left, or says who has it.
  Result<std::vector<std::string>> open(const std::string& pci_bus_id, Nanoseconds lease);

 private:
  GuardianProcess(pid_t pid, MessageSocket socket) : pid_(pid), socket_(std::move(socket)) {}

  pid_t pid_;
  MessageSocket socket_;
};

}  // namespace wattune::power
