// The record of a command in an OpenCL queue, which its stream and its Event share.
#pragma once

#include <memory>
#include <string>

#include "backend/opencl/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::opencl {

// A queue, which lives as long as one of its commands is referred to.
using Queue = std::shared_ptr<const Handle<cl_command_queue>>;

// A command, shared with the Event that the caller holds.
struct Command {
  Handle<cl_event> event;
  Queue queue;
  std::string doing;
  bool launch = false;
  bool profiled = true;
};
using CommandPointer = std::shared_ptr<const Command>;

// Returns the status, from CL_QUEUED down to CL_COMPLETE. A negative status is the error that ended the command.
cl_int status_of(const Command& command);

class OpenClEvent : public Event {
 public:
  explicit OpenClEvent(CommandPointer command) : Event(*command->event.session()), command_(std::move(command)) {}

  Result<bool> ready() const override;
  Result<Nanoseconds> start() const override { return moment(CL_PROFILING_COMMAND_START); }
  Result<Nanoseconds> end() const override { return moment(CL_PROFILING_COMMAND_END); }
  Result<Nanoseconds> duration() const override;

  const CommandPointer& command() const { return command_; }

 private:
  Session& session() const { return *command_->event.session(); }
  Result<cl_ulong> reported(cl_profiling_info which) const;
  Result<Nanoseconds> moment(cl_profiling_info which) const;

  CommandPointer command_;
};

}  // namespace wattune::backend::opencl
