// Calls a reference written in C++ through a worker, which compiles and runs it.
#include <system_error>

#include "backend/interface/connection.h"
#include "backend/interface/kill_count.h"
#include "measure/interface/arguments.h"

namespace wattune::inline v0_1::measure {

namespace {

using backend::worker::Connection;
using backend::worker::ReferenceRequest;

// Time that the worker has after the limit to report by itself what was running. A worker that does not report is
// killed.
constexpr Nanoseconds kReportGrace = nanoseconds_from_seconds(5);

ReferenceRequest request_for(const ReferenceFunction& function, const std::vector<HostArgument>& arguments,
                             const ReferenceOptions& options) {
  ReferenceRequest request{.file = function.file,
                           .function = function.function,
                           .arguments = {},
                           .limit = options.limit,
                           .memory_limit_bytes = options.worker.memory_limit_bytes.value_or(0)};
  for (const HostArgument& argument : arguments) {
    request.arguments.push_back({.name = argument.name,
                                 .bytes = argument.bytes,
                                 .length = argument.length,
                                 .writable = argument.writable,
                                 .fill = argument.contents.empty() ? std::optional(argument.fill) : std::nullopt,
                                 .wanted = argument.wanted});
  }
  return request;
}

Result<void> ask(const ReferenceRequest& request, std::vector<HostArgument>& arguments,
                 const ReferenceOptions& options) {
  std::vector<std::span<const std::byte>> sent;
  std::vector<std::span<std::byte>> received;
  for (HostArgument& argument : arguments) {
    if (!argument.contents.empty()) sent.push_back(argument.contents);
    if (!argument.wanted) continue;
    argument.result.resize(argument.bytes);
    received.push_back(argument.result);
  }
  WATTUNE_ASSIGN(const auto worker, Connection::start(options.worker));
  auto answer = worker->ask<backend::worker::Nothing>(backend::worker::Request::reference, request,
                                                      options.limit + kReportGrace, sent, received);
  if (!answer) return std::move(answer).error();
  return {};
}

}  // namespace

// Starts the worker again if it was killed, as for a kernel.
Result<void> run_reference_function(const ReferenceFunction& function, std::vector<HostArgument>& arguments,
                                    const ReferenceOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::exists(function.file, ignored))
    return Error(ErrorCode::not_found, "no such file").about(function.file.string());
  const ReferenceRequest request = request_for(function, arguments, options);
  backend::KillCount kills;
  Result<void> done = ask(request, arguments, options);
  while (!done && kills.allow_another(done.error())) done = ask(request, arguments, options);
  if (done || done.error().code() != ErrorCode::device_lost) return done;
  return Error(ErrorCode::unavailable, "the process of the reference is gone: " + done.error().message())
      .hint(done.error().advice());
}

}  // namespace wattune::measure
