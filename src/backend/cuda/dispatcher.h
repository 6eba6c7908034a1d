// Dispatcher: hands what the streams of a session were given to the driver, in the order in which it was given.
//
// Transfers of ordinary host memory block inside the driver until their stream has come to them. So they wait here for
// their turn, where a kernel that never ends is noticed, with all that comes behind them in their stream and all that
// waits for it in others. What is left is tried again whenever the dispatcher is called.
//
// Streams that belong to an application (attach.h) or were asked for so (StreamOptions::at_once) share its clock only:
// what they are given is sent at once. Any
// number of threads may call, one at a time for each stream.
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

#include "backend/backlog.h"
#include "backend/cuda/clock.h"
#include "backend/cuda/event.h"
#include "backend/cuda/hold.h"
#include "backend/cuda/sensor_sampler.h"
#include "backend/polling.h"

namespace wattune::backend::cuda {

struct Command {
  enum class Kind {
    device,        // on the device alone
    transfer,      // of ordinary host memory
    first_launch,  // or another that is not held
    launch,        // may be held, so that the host's own time does not show in that of the kernel
    wait,          // for a launch in another stream
  };

  std::string doing;
  Kind kind = Kind::device;
  std::function<CUresult()> run;               // hands it to the driver
  std::shared_ptr<Timing> timing = {};         // of a launch that is timed
  std::shared_ptr<const Timing> awaited = {};  // of the launch that it waits for

  bool launches() const { return kind == Kind::first_launch || kind == Kind::launch; }
};

// A stream, as the dispatcher sees it.
struct Lane {
  // Beside an application nothing is held: its threads, and the loader's, may free memory or load code at any time,
  // which waits for all that is queued, and the launches of the held stream would wait for that.
  Lane(Handle<CUstream> driver_stream, bool sends_at_once)
      : stream(std::move(driver_stream)),
        at_once(sends_at_once),
        hold(stream, !at_once && !stream.session()->beside_application()) {}

  Handle<CUstream> stream;
  // What it is given is sent in the call: it is somebody else's, who sends it commands too, or was asked to.
  const bool at_once;
  Hold hold;
  std::optional<Error> failure;  // of a command that was handed over, until somebody is told
  std::optional<Command> last;   // sent since it last idled: a failure of the device is most likely of it
};

class Dispatcher {
 public:
  using Entry = Backlog<Lane, Command>::Entry;
  using Lanes = std::span<Lane* const>;

  explicit Dispatcher(std::shared_ptr<Session> session) : session_(std::move(session)), clock_(session_) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  const std::shared_ptr<Session>& session() const { return session_; }

  // Keeps the command until its stream, or one that waits for it, is handed over; sends it if the stream does so at
  // once.
  Result<void> give(Lane& lane, Command command);
  // As Stream::wait_for().
  Result<void> wait_for(Lane& lane, const std::shared_ptr<const Timing>& awaited);
  // Whether something of this stream has not been sent.
  bool keeps(const Lane& lane) const;
  // As Stream::submit() and Device::finish().
  Result<void> submit(Lanes lanes);
  Result<std::vector<SensorSample>> finish(Lanes lanes, const Wait& wait);
  // Until the device has done all that was handed over for these; as Stream::finish().
  Result<void> settle(Lanes lanes, const Polling& polling, Nanoseconds limit, SensorSampler* sampler = nullptr);
  // Takes what a stream was given, to be sent by the caller. invalid_argument: something in it waits for another.
  Result<std::vector<Command>> take(Lane& lane);
  // Drops what a stream was given. Its end.
  void forget(Lane& lane);

  // Of a launch: whether it was sent, as far as its turn has come, or why it never will be; its beginning, which is an
  // invalid_argument before; what the device was like.
  Result<bool> has_sent(const Timing& timing);
  Result<Nanoseconds> start_of(const Timing& timing);
  Conditions conditions_of(const Timing& timing) const;

 private:
  Result<void> send_at_once(const Command& command);
  Result<void> wait_at_once(Lane& lane, const Timing& awaited);
  void hand_over(Lanes lanes);
  // Sends what is left of what was handed over, as far as its turn has come.
  void advance();
  // False: its turn has not come.
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
  mutable std::mutex mutex_;  // guards what follows, and what it knows of lanes and launches
  Clock clock_;
  Backlog<Lane, Command> backlog_;
  std::vector<Entry> left_;  // handed over, but not sent
  std::vector<Lane*> held_;
  std::size_t sent_ = 0;                         // since the streams were let go
  std::vector<std::shared_ptr<Timing>> unread_;  // sent, without the device's conditions
};

}  // namespace wattune::backend::cuda
