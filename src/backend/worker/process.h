// WorkerProcess: a child process that speaks the protocol, from its start until it is reaped.
#pragma once

#include <sys/types.h>

#include <string>

#include "backend/worker/channel.h"
#include "backend/worker/error_stream.h"
#include "backend/worker/supervisor.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::backend::worker {

class WorkerProcess {
 public:
  // Starts a worker. Fails with unavailable if the program cannot be found or started, after several tries if the
  // machine is short of processes or memory for a moment.
  static Result<WorkerProcess> start(const WorkerOptions& options);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  // Closes the socket, which asks the worker to end. Kills the worker if it does not end.
  ~WorkerProcess();

  Channel& channel() { return channel_; }
  pid_t id() const { return pid_; }
  const std::string& name() const { return name_; }  // the worker's name in the log
  // Discards the text on the worker's standard error, so that the pipe has room for more. Log lines in it go to this
  // process's log.
  void forget_errors();
  // Kills the worker and all processes that it started, and reaps it. Returns a text on processes that are left after
  // WorkerOptions::end_limit, usually empty. A process that is stuck in a driver cannot be killed; it is reaped when it
  // has ended.
  std::string kill();
  // Waits for a worker that closed the connection, kills the worker if it does not end, and tells how it ended. The
  // result is a device_lost with a message like "worker killed by SIGSEGV", followed by the last line of its standard
  // error; the native code is the signal. If the worker has not `answered` yet, its program may come from another
  // build.
  Error explain_end(bool answered);

 private:
  WorkerProcess(WorkerOptions options, std::string mark, pid_t pid, Channel channel, ErrorStream errors);

  bool reap_within(Nanoseconds limit);
  Error end_by_itself(bool answered) const;
  std::string last_words();

  WorkerOptions options_;  // options, in which `executable` is the file that was found
  std::string mark_;       // a variable in the environment of all processes that the worker starts
  std::string name_;
  pid_t pid_;  // -1 once the worker was reaped or could not be
  int status_ = 0;
  bool killed_by_us_ = false;
  Channel channel_;
  ErrorStream errors_;
};

}  // namespace wattune::backend::worker
