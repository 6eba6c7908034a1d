// Hold: keeps a stream from running what it is sent until it has been sent all of it.
//
// Sending a launch takes the host longer than a short kernel runs. A stream that is not held runs dry between two
// commands, and the time between the events around a launch then counts the host's. A held stream waits for a word of
// host memory (stream memory operations of "CUDA Driver API"), so that its commands follow each other as fast as the
// device takes them.
//
// Some calls of the driver wait for what was sent before, be it for a debugger, be it to make room. A held stream would
// wait for ever, so a thread lets it go after kLongest; such a stream is held no more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "backend/cuda/session.h"

namespace wattune::backend::cuda {

class Hold {
 public:
  // Without memory for the word it never holds: times are then less exact, but right. Nor does it hold a stream where
  // it is not `wanted`, as where an application works beside it.
  Hold(const Handle<CUstream>& stream, bool wanted);
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  // Lets go.
  ~Hold();

  // What the stream is sent from here on waits. Does nothing while it is held.
  void take();
  void let_go();

 private:
  static constexpr std::chrono::milliseconds kLongest{100};
  static constexpr int kMostRescues = 3;

  void watch();

  CUstream stream_;
  Handle<std::uint32_t*> word_;
  bool usable_ = false;
  bool held_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::uint32_t taken_ = 0;     // how often the stream was held
  std::uint32_t released_ = 0;  // the hold that was let go last, as the word says
  int rescues_ = 0;             // how often the thread had to let go
  bool ended_ = false;
  std::thread watcher_;
};

}  // namespace wattune::backend::cuda
