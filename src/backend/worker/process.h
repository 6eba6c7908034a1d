// WorkerProcess: a child process that speaks the protocol, from its start to its reaping.
//
// The child is a worker's supervisor (supervisor.h). It leads a process group of its own (Ctrl-C in the terminal goes
// to its parent only), which ends with it. It inherits no descriptor but its socket and leaves no core dump.
#pragma once

#include <sys/types.h>

#include <string>

#include "backend/worker/channel.h"
#include "backend/worker/error_stream.h"
#include "backend/worker/supervisor.h"
#include "wattune/backend/worker.h"

namespace wattune::backend::worker {

class WorkerProcess {
 public:
  // unavailable when the program cannot be found or started, also not after some tries where the machine is short of
  // processes or memory.
  static Result<WorkerProcess> start(const WorkerOptions& options);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  // Closes the socket, which a worker takes as the request to end; kills it when it does not.
  ~WorkerProcess();

  Channel& channel() { return channel_; }
  pid_t id() const { return pid_; }
  const std::string& name() const { return name_; }  // in the log
  // Forgets what the worker has written to its standard error, and so makes room for more. Its log goes to ours.
  void forget_errors();
  // Kills all that it started, and reaps it. Returns what is left after WorkerOptions::end_limit, in words, usually
  // nothing: a process that is stuck in a driver cannot be killed. Such a one is reaped when it has ended.
  std::string kill();
  // Waits for a worker that hung up, kills it if it stays, and tells how it ended: a device_lost whose message is like
  // "worker killed by SIGSEGV" and ends with the last line it wrote to its standard error; native: the signal. One that
  // has not `answered` anything yet may be of another build.
  Error explain_end(bool answered);

 private:
  WorkerProcess(WorkerOptions options, std::string mark, pid_t pid, Channel channel, ErrorStream errors);

  bool reap_within(Nanoseconds limit);
  Error end_by_itself(bool answered) const;
  std::string last_words();

  WorkerOptions options_;  // with the executable that was found
  std::string mark_;       // of all that the worker starts
  std::string name_;
  pid_t pid_;  // -1 once reaped or given up
  int status_ = 0;
  bool killed_by_us_ = false;
  Channel channel_;
  ErrorStream errors_;
};

}  // namespace wattune::backend::worker
