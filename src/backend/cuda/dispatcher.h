// Dispatcher: hands the commands of a session's streams to the driver, in the order in which they were given.
//
// A transfer of ordinary host memory blocks inside the driver until its stream has reached it. Therefore the transfer
// waits here for its turn, together with the commands behind it in its stream, and with commands of other streams that
// wait for it. So this thread is not blocked, and can notice a kernel that never ends. Each call of the dispatcher
// tries again to send the waiting commands.
//
// The streams of an application (attach.h), and streams that ask for it (StreamOptions::at_once), share only the clock:
// their commands are sent at once. Any number of threads may call, one at a time for each stream.
//
//   dispatcher.add({.stream = &lane, .command = {"filling a buffer", Command::Kind::device, fill}});
//   dispatcher.finish(lanes, {.limit = limit});
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/clock.h"
#include "backend/cuda/event.h"
#include "backend/cuda/hold.h"
#include "backend/cuda/sensor_sampler.h"
#include "backend/device/backlog.h"
#include "backend/interface/polling.h"

namespace wattune::inline v0_1::backend::cuda {

struct Command {
  enum class Kind {
    device,        // a command that runs on the device alone
    transfer,      // a transfer of ordinary host memory
    first_launch,  // a first launch, or another one that is not held
    launch,        // another launch, which may be held, so that the host's time for sending does not delay kernels
    wait,          // a wait for a launch in another stream
  };

  std::string doing;
  Kind kind = Kind::device;
  std::function<CUresult()> run;               // hands the command to the driver
  std::shared_ptr<Timing> timing = {};         // the record of a timed launch
  std::shared_ptr<const Timing> awaited = {};  // the record of the launch that the command waits for

  bool launches() const { return kind == Kind::first_launch || kind == Kind::launch; }
};

// The dispatcher's view of a stream.
struct Lane {
  // Makes the lane. Beside an application no stream is held: its threads, and the thread that loads code, may free
  // memory or load code at any time. Such a call waits for all queued commands, and a held stream would wait for the
  // call to return.
  Lane(Handle<CUstream> driver_stream, bool sends_at_once)
      : stream(std::move(driver_stream)),
        at_once(sends_at_once),
        hold(stream, !at_once && !stream.session()->beside_application()) {}

  Handle<CUstream> stream;
  // True if each command is sent at once. That is so for an application's own streams, and for streams made with
  // StreamOptions::at_once.
  const bool at_once;
  Hold hold;
  std::optional<Error> failure;  // error of a requested command, until a caller receives it
  std::optional<Command> last;   // the last command sent since the stream was idle; the likely cause of a failure
};

class Dispatcher {
 public:
  using Entry = Backlog<Lane, Command>::Entry;
  using Lanes = std::span<Lane* const>;

  explicit Dispatcher(std::shared_ptr<Session> session) : session_(std::move(session)), clock_(session_) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  const std::shared_ptr<Session>& session() const { return session_; }

  // Keeps the command until submit() or finish() is called for its stream, or for a stream that waits for it. Sends it
  // to the driver now if the stream sends at once.
  Result<void> give(Lane& lane, Command command);
  // Implements Stream::wait_for().
  Result<void> wait_for(Lane& lane, const std::shared_ptr<const Timing>& awaited);
  // Tells whether some command of this stream has not been sent.
  bool keeps(const Lane& lane) const;
  // Implements Stream::submit() and Device::finish().

  Result<void> submit(Lanes lanes);
  Result<std::vector<SensorSample>> finish(Lanes lanes, const Wait& wait);
  // Waits until the device has executed all requested commands of these streams. Errors are those of Stream::finish().
  Result<void> settle(Lanes lanes, const Polling& polling, Nanoseconds limit, SensorSampler* sampler = nullptr);
  // Takes the commands of a stream, which the caller then sends. Fails with invalid_argument if one of them waits for
  // another stream.
  Result<std::vector<Command>> take(Lane& lane);
  // Drops the commands of a stream that is being destroyed.
  void forget(Lane& lane);

  // Tells whether a launch was sent, and sends commands whose turn has come. Fails if the launch will never be sent.
  Result<bool> has_sent(const Timing& timing);
  // Returns when a launch began. Fails with invalid_argument until it was sent.
  Result<Nanoseconds> start_of(const Timing& timing);
  // Returns the state of the device at about the time of a launch.
  Conditions conditions_of(const Timing& timing) const;

 private:
  Result<void> send_at_once(const Command& command);
  Result<void> wait_at_once(Lane& lane, const Timing& awaited);
  void hand_over(Lanes lanes);
  // Sends the requested commands whose turn has come.
  void advance();
  // Sends or drops a command. Returns false if the command's turn has not come.
  bool try_send(Lane& lane, Command& command);
  Result<bool> has_turn(Lane& lane, const Command& command);
  Result<void> send(Lane& lane, Command& command);
  void let_go();
  void read_conditions();
  Result<bool> is_idle(Lane& lane);
  Result<Lane*> find_busy(Lanes lanes);
  void drop_left(Lanes lanes, const Error& why);
  Result<void> take_failure(Lanes lanes);

  std::shared_ptr<Session> session_;
  mutable std::mutex mutex_;  // guards the members below, and the dispatcher's part of lanes and launches
  Clock clock_;
  Backlog<Lane, Command> backlog_;
  std::vector<Entry> left_;  // commands that were requested but not sent
  std::vector<Lane*> held_;
  std::size_t sent_ = 0;                         // number of commands since streams were last released
  std::vector<std::shared_ptr<Timing>> unread_;  // launches that were sent, but whose conditions have not been read yet
};

}  // namespace wattune::backend::cuda
