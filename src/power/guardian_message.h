// Messages between a tuner and its guardian. Requests and answers take turns, one message each, over a pair of sockets
// that keeps messages apart (SOCK_SEQPACKET). Both programs come from the same build.
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
// the tuner has set since then. `end` does the same as `give_back`, and is the last request.
enum class GuardianTask { open, set, renew, give_back, end };

struct GuardianRequest {
  GuardianTask task = GuardianTask::renew;
  // The board and the lease, for the request `open`.
  std::string board = {};
  ProcessIdentity tuner = {};
  Nanoseconds lease = {};
  // The clocks and the limit, for the request `set`.
  backend::BoardSetting setting = {};
};

struct GuardianAnswer {
  std::optional<Error> error = {};  // code, message and hint of the Error
  std::vector<std::string> notes = {};
  // True if this is no answer to a request: the guardian has restored the clocks, for the reason in the last note.
  bool over = false;
};

std::string to_text(const GuardianRequest& request);
std::string to_text(const GuardianAnswer& answer);
// Parses a request. Fails with parse_error if a program of another build sent it.
Result<GuardianRequest> request_from(const std::string& text);
Result<GuardianAnswer> answer_from(const std::string& text);

class MessageSocket {
 public:
  explicit MessageSocket(backend::Descriptor socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }
  // Sends a message. Fails with io_error if the peer is gone.
  Result<void> send(const std::string& text);
  // Receives a message. Fails with io_error if the peer is gone, with timeout if nothing comes within `limit`.
  Result<std::string> receive(Nanoseconds limit);
  void close() { socket_.close(); }

 private:
  backend::Descriptor socket_;
};

}  // namespace wattune::power
