// Hold: keeps a stream from running its commands until all of them have been sent.
//
// Sending a launch takes the host longer than a short kernel runs. A stream that is not held is idle between two
// commands. The time between the events around a launch then includes time of the host. A held stream waits for a word
// of host memory (stream memory operations of "CUDA Driver API"). Its commands then follow each other as fast as the
// device takes them.
//
// Some calls of the driver wait for earlier commands, for a debugger or to allocate memory. A held stream would then
// wait for ever, so a thread releases it after kLongestHold. After a few such rescues the stream is not held any more.
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
  // times are then less exact, but right. The stream is also never held if `wanted` is false, as beside an application.
  Hold(const Handle<CUstream>& stream, bool wanted);
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  // Releases the stream.
  ~Hold();

  // Holds the stream: commands that are sent from now on wait until it is released. Does nothing if it is held already.
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
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::uint32_t taken_ = 0;     // number of holds so far
  std::uint32_t released_ = 0;  // number of the hold that was released last, as in *word_
  int rescues_ = 0;             // number of times that the thread had to release the stream
  bool ended_ = false;
  std::thread watcher_;
};

}  // namespace wattune::backend::cuda
