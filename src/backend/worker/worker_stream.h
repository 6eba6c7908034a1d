// The client's streams. Their commands are collected and sent to the worker when submit() or finish() is called for one
// of them.
#pragma once

#include <memory>
#include <optional>

#include "backend/device/backlog.h"
#include "backend/worker/remote.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::worker {

class WorkerStream;

// The record of a launch, which its stream fills in and its event reads.
struct RemoteLaunch {
  LaunchId id = 0;
  ObjectId stream = 0;
  WorkerStream* collector = nullptr;          // the stream that holds the launch until it is sent
  std::optional<LaunchAnswer> answer;         // the answer, once the launch has ended
  std::shared_ptr<const Error> failure = {};  // reason why the launch will have no answer
  Conditions conditions;
};

// A command to be sent, with the contents that it writes or reads.
struct Outgoing {
  Command command;
  std::span<const std::byte> sent = {};
  std::span<std::byte> received = {};
  std::shared_ptr<RemoteLaunch> launch = {};
  std::shared_ptr<const RemoteLaunch> awaited = {};
  LaunchId prepared = 0;  // the launch that a SendCommand sends
};

// The state that all streams of one worker share.
struct Outbox {
  ConnectionPointer connection;
  Backlog<WorkerStream, Outgoing> backlog = {};
  LaunchId last_launch = 0;  // the last id that a launch or a prepared launch got
};

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Outbox>& outbox);

// Implements Device::finish(). Fails with invalid_argument for a stream of another device.
Result<std::vector<SensorSample>> finish_streams(const std::shared_ptr<Outbox>& outbox,
                                                 std::span<Stream* const> streams, const Wait& wait);

// Implements Counters::count() of the device in its current life.
Result<std::vector<Metric>> count(const Connection& connection, Stream& stream,
                                  const std::vector<std::string>& counters, Nanoseconds limit);

}  // namespace wattune::backend::worker
