// Hold: keeps a stream from running its commands until all of them have been sent.
//
// Sending a launch takes the host longer than a short kernel runs. A stream that is not held runs dry between two
// commands, and the time between the events around a launch then contains time of the host. A held stream waits for a
// word of host memory (stream memory operations of "CUDA Driver API"). Its commands then follow each other as fast as
// the device takes them.
//
// Some calls of the driver wait for earlier commands, for a debugger or to make room. A held stream would then wait for
// ever, so a thread lets it go after kLongestHold. After some of these rescues the stream is held no more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "backend/cuda/session.h"

namespace wattune::inline v0_1::backend::cuda {

class Hold {
 public:
  // Prepares to hold a stream. The stream is never held if there is no memory for the word that it would wait for;
  // times are then less exact, but right. It is not held either unless that is `wanted`: beside an application it is
  // not.
  Hold(const Handle<CUstream>& stream, bool wanted);
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  // Lets the stream go.
  ~Hold();

  // Holds the stream: commands that are sent from here on wait. Does nothing while it is held.
  void take();
  void let_go();

 private:
  static constexpr std::chrono::milliseconds kLongestHold{100};
  static constexpr int kMostRescues = 3;

  void watch();

  CUstream stream_;
  Handle<std::uint32_t*> word_;
  bool usable_ = false;
  bool held_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::uint32_t taken_ = 0;     // number of holds so far
  std::uint32_t released_ = 0;  // number of the hold that was let go last, as in *word_
  int rescues_ = 0;             // number of times that the thread had to let go
  bool ended_ = false;
  std::thread watcher_;
};

}  // namespace wattune::backend::cuda
