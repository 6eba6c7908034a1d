// What a tuner asks its guardian, and what that answers: one message each, in turns, over a pair of sockets that keep
// messages apart (SOCK_SEQPACKET). Both programs are of one build.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/descriptor.h"
#include "power/process_identity.h"
#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::power {

// open: take the board's lock and give back what a dead guardian left owing. give_back: what was set since. end: that,
// and no more is asked.
enum class Wish { open, set, renew, give_back, end };

struct GuardianRequest {
  Wish wish = Wish::renew;
  // Of open.
  std::string board = {};
  ProcessIdentity tuner = {};
  Nanoseconds lease = {};
  // Of set.
  backend::BoardSetting setting = {};
};

struct GuardianAnswer {
  std::optional<Error> error = {};  // its code, message and hint
  std::vector<std::string> notes = {};
  bool over = false;  // no answer but a farewell: the guardian has given the clocks back, as its last note explains
};

std::string to_text(const GuardianRequest& request);
std::string to_text(const GuardianAnswer& answer);
// parse_error: it is of another build.
Result<GuardianRequest> request_from(const std::string& text);
Result<GuardianAnswer> answer_from(const std::string& text);

class MessageSocket {
 public:
  explicit MessageSocket(backend::Descriptor socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }
  // io_error: the peer is gone.
  Result<void> send(const std::string& text);
  // io_error; timeout.
  Result<std::string> receive(Nanoseconds limit);
  void close() { socket_.close(); }

 private:
  backend::Descriptor socket_;
};

}  // namespace wattune::power
