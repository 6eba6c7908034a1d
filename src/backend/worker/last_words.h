// LastWords: what a process wrote last, through a pipe that never makes it wait for long.
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>

#include "backend/worker/channel.h"

namespace wattune::backend::worker {

class LastWords {
 public:
  static Result<LastWords> create();

  // In the child: these descriptors write here from now on.
  void take_over(std::initializer_list<int> descriptors) const;
  // In the parent, once the child is there: the end of its writing can be seen.
  void listen() { theirs_.close(); }
  // Takes what comes, until nothing comes for so long.
  void read_for(std::chrono::milliseconds patience);
  // The last line that is not empty, without control characters; cut where it is long.
  std::string last_line() const;

 private:
  LastWords(Descriptor ours, Descriptor theirs) : ours_(std::move(ours)), theirs_(std::move(theirs)) {}

  Descriptor ours_;
  Descriptor theirs_;
  std::string kept_;
};

}  // namespace wattune::backend::worker
