// Messages between a tuner and its guardian: requests and answers in turns, one message each, over a pair of sockets
// that keeps messages apart (SOCK_SEQPACKET). Both programs are of one build.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/interface/descriptor.h"
#include "power/process_identity.h"
#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::power {

// Kinds of requests. `open` takes the board's lock and restores what a dead guardian left. `give_back` restores what
// was set since then. `end` does the same and announces that no further request follows.
enum class GuardianTask { open, set, renew, give_back, end };

struct GuardianRequest {
  GuardianTask task = GuardianTask::renew;
  // Members of `open`.
  std::string board = {};
  ProcessIdentity tuner = {};
  Nanoseconds lease = {};
  // Members of `set`.
  backend::BoardSetting setting = {};
};

struct GuardianAnswer {
  std::optional<Error> error = {};  // its code, message and hint
  std::vector<std::string> notes = {};
  // True for a farewell instead of an answer: the clocks were restored for the reason in the last note.
  bool over = false;
};

std::string to_text(const GuardianRequest& request);
std::string to_text(const GuardianAnswer& answer);
// Parses a request. Fails with parse_error if it is of another build.
Result<GuardianRequest> request_from(const std::string& text);
Result<GuardianAnswer> answer_from(const std::string& text);

class MessageSocket {
 public:
  explicit MessageSocket(backend::Descriptor socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }
  // Fails with io_error if the peer is gone.
  Result<void> send(const std::string& text);
  // Receives a message. Fails with io_error if the peer is gone, with timeout if nothing comes within `limit`.
  Result<std::string> receive(Nanoseconds limit);
  void close() { socket_.close(); }

 private:
  backend::Descriptor socket_;
};

}  // namespace wattune::power
