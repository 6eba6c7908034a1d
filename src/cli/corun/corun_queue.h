// Reports of `wattune corun` on queues: works of a few kernels under several policies.
#pragma once

#include <string>

#include "cli/corun/corun_verdict.h"
#include "cli/program/json.h"
#include "wattune/schedule/session.h"

namespace wattune::cli {

std::string queue_text(const schedule::CorunSession& session, const schedule::QueueReport& report, bool explain);
Json queue_json(const schedule::CorunSession& session, const schedule::QueueReport& report);
// Describes the verdict on the fastest policy; empty for a single policy.
std::string verdict_text(const schedule::QueueReport& report);
Json verdict_json(const schedule::QueueReport& report);
// Lists the policies as they ran, by round.
Json orders_json(const schedule::QueueReport& report);
std::string queue_svg(const schedule::CorunSession& session, const schedule::QueueReport& report);

}  // namespace wattune::cli
