// Connection: one life of a worker, from its start until it ends, is killed, or its device is reset.
// Every object made from a worker's device keeps its Connection. A call that finds the worker dead, or has to kill it,
// closes the Connection. From then on, every call on these objects answers device_lost.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "backend/worker/process.h"
#include "backend/worker/processor_wait.h"
#include "backend/worker/protocol.h"
#include "wattune/backend/launch.h"

namespace wattune::inline v0_1::backend::worker {

class Connection : public DeviceLife {
 public:
  static Result<std::shared_ptr<Connection>> start(const WorkerOptions& options);

  // Returns the information on the worker's device, once it has been set.
  const DeviceInfo& info() const override { return info_; }
  void set_info(DeviceInfo info) { info_ = std::move(info); }
  // Checks that the worker lives. Fails with device_lost and the reason otherwise.
  Result<void> check() const;
  // Ends the worker at once, for reset().
  void close();
  // Ends the worker, from any thread: an ask() that is waiting for the worker returns device_lost.
  void hang_up() { process_.channel().hang_up(); }
  // Lets the worker drop the object before it serves the next request.
  void release(ObjectId id) { released_.push_back(id); }

  // Sends a request and waits for the answer: at most `limit`, and the time until the worker notices that the limit has
  // passed. Fails with the worker's own error, or with timeout (second_try.h) or device_lost, after which the worker is
  // gone.
  template <typename Answer, typename Asked>
  Result<Answer> ask(Request request, const Asked& asked, Nanoseconds limit) {
    return ask<Answer>(request, asked, limit, {}, {});
  }
  // Sends a request with contents: the bytes of `sent` follow the request. A good answer is followed by the bytes of
  // `received`.
  template <typename Answer, typename Asked>
  Result<Answer> ask(Request request, const Asked& asked, Nanoseconds limit,
                     const std::vector<std::span<const std::byte>>& sent,
                     const std::vector<std::span<std::byte>>& received) {
    WATTUNE_TRY(check());
    Writer writer;
    writer.put(Envelope{request, std::exchange(released_, {})});
    writer.put(asked);
    const Deadline deadline = answer_deadline(limit, sent, received);
    Result<std::vector<std::byte>> bytes = exchange(writer.bytes(), sent, deadline);
    if (!bytes) return broken(std::move(bytes).error(), limit);
    Result<Answer> answer = get_answer<Answer>(*bytes);
    if (!answer) return refused(std::move(answer).error(), limit);
    for (const std::span<std::byte> contents : received)
      if (Result<void> done = process_.channel().receive_bytes(contents, deadline); !done)
        return broken(std::move(done).error(), limit);
    return answer;
  }

 private:
  Connection(WorkerProcess process, const std::stop_token& stop)
      : process_(std::move(process)), stop_(stop, [this] { hang_up(); }) {}

  static Deadline answer_deadline(Nanoseconds limit, const std::vector<std::span<const std::byte>>& sent,
                                  const std::vector<std::span<std::byte>>& received);
  Result<std::vector<std::byte>> exchange(std::span<const std::byte> message,
                                          const std::vector<std::span<const std::byte>>& sent,
                                          const Deadline& deadline);
  // Returns the error for the caller after the exchange of messages failed. Ends the worker, unless the message was too
  // long to be sent.
  Error broken(Error error, Nanoseconds limit);
  // Returns the error for the caller after the worker answered with an error. Some errors end the worker.
  Error refused(Error error, Nanoseconds limit);
  // Returns the caller's error for a request whose limit has passed.
  Error too_late(Error error);
  Error end(Error error);

  WorkerProcess process_;
  DeviceInfo info_;
  std::optional<ProcessorWait> processor_wait_;  // the worker's wait for processors during a request that takes long
  bool answered_ = false;
  std::vector<ObjectId> released_;
  std::string end_;                                 // reason why the worker is gone; empty while it lives
  std::stop_callback<std::function<void()>> stop_;  // the last member, because it uses the others
};

}  // namespace wattune::backend::worker
