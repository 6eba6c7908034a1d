// LastWords: keeps the last output of a process, read through a pipe that never blocks the process for long.
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>

#include "backend/worker/channel.h"

namespace wattune::inline v0_1::backend::worker {

class LastWords {
 public:
  static Result<LastWords> create();

  // Redirects these descriptors to the pipe; the child process calls this.
  void take_over(std::initializer_list<int> descriptors) const;
  // Closes the parent's copy of the writing end, so that the parent sees when the child closes its own. Precondition:
  // the child exists.
  void listen() { theirs_.close(); }
  // Takes one piece of output, and waits for it at most this long.
  void read_for(std::chrono::milliseconds patience);
  // Returns the last line that is not empty. It is cut if it is long, and has '?' in place of control characters.
  std::string last_line() const;

 private:
  LastWords(Descriptor ours, Descriptor theirs) : ours_(std::move(ours)), theirs_(std::move(theirs)) {}

  Descriptor ours_;
  Descriptor theirs_;
  std::string kept_;
};

}  // namespace wattune::backend::worker
