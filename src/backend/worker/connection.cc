#include "backend/interface/connection.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/interface/second_try.h"
#include "core/logging.h"

namespace wattune::inline v0_1::backend::worker {

namespace {

// The time after the limit in which a worker may still report that the limit has passed.
constexpr Nanoseconds kReportGrace = nanoseconds_from_ms(250);
// The time that a request is served before its delay is investigated.
constexpr Nanoseconds kDelayBeforeLook = nanoseconds_from_ms(100);
// Time per byte of the slowest copying on any machine.
constexpr double kNanosecondsPerByte = 10.0;

double total_bytes(const auto& spans) {
  double bytes = 0.0;
  for (const auto& span : spans) bytes += static_cast<double>(span.size());
  return bytes;
}

}  // namespace

Result<std::shared_ptr<Connection>> Connection::start(const WorkerOptions& options) {
  if (options.stop.stop_requested())
    return Error(ErrorCode::unavailable, "the program that uses workers was told to stop");
  WATTUNE_ASSIGN(WorkerProcess process, WorkerProcess::start(options));
  return std::shared_ptr<Connection>(new Connection(std::move(process), options.stop));
}

Result<void> Connection::check() const {
  if (end_.empty()) return {};
  return Error(ErrorCode::device_lost, "made by a worker that is gone: " + end_);
}

void Connection::close() {
  if (end_.empty()) end_ = "the device was reset";
  process_.kill();
}

Deadline Connection::answer_deadline(Nanoseconds limit, const std::vector<std::span<const std::byte>>& sent,
                                     const std::vector<std::span<std::byte>>& received) {
  const Nanoseconds copying(kNanosecondsPerByte * (total_bytes(sent) + total_bytes(received)));
  return deadline_in(limit + kReportGrace + copying);
}

Result<std::vector<std::byte>> Connection::exchange(std::span<const std::byte> message,
                                                    const std::vector<std::span<const std::byte>>& sent,
                                                    const Deadline& deadline) {
  process_.forget_errors();
  WATTUNE_TRY(process_.channel().send(message, deadline));
  for (const std::span<const std::byte> contents : sent) WATTUNE_TRY(process_.channel().send_bytes(contents, deadline));
  // Processors are watched only if the answer does not come soon, because most answers come at once.
  processor_wait_.reset();
  const Deadline soon = deadline_in(kDelayBeforeLook);
  const bool answered = process_.channel().wait_for_bytes(deadline ? std::min(*deadline, *soon) : *soon).has_value();
  if (!answered) processor_wait_.emplace(process_.id());
  Result<std::vector<std::byte>> answer = process_.channel().receive(deadline);
  answered_ |= answer.has_value();
  return answer;
}

Error Connection::broken(Error error, Nanoseconds limit) {
  switch (error.code()) {
    case ErrorCode::invalid_argument: return error;  // the message is too long to be sent; the worker lives on
    case ErrorCode::timeout:
      return too_late(Error(ErrorCode::timeout, fmt::format("no answer within {:g} ms", to_ms(limit))));
    case ErrorCode::io_error: return end(process_.explain_end(answered_));
    default: return end(Error(ErrorCode::device_lost, "the worker does not speak the protocol: " + error.message()));
  }
}

Error Connection::refused(Error error, Nanoseconds limit) {
  switch (error.code()) {
    case ErrorCode::timeout: return too_late(std::move(error));
    case ErrorCode::device_lost: return end(std::move(error));
    case ErrorCode::parse_error: return broken(std::move(error), limit);
    default: return error;
  }
}

Error Connection::too_late(Error error) {
  const bool lacked_processors = !processor_wait_ || processor_wait_->was_long();
  return end(lacked_processors ? with_load(std::move(error)) : std::move(error));
}

Error Connection::end(Error error) {
  log_info("{}: ends, because {}", process_.name(), error.message());
  const std::string left = process_.kill();
  end_ = error.message();
  return left.empty() ? error : std::move(error).hint(left);
}

}  // namespace wattune::backend::worker
