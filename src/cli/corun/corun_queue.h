// Reports of `wattune corun` on queues: a list of works of a few kernels that several policies run.
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
// Returns, for each round, the policies in the order in which they ran.
Json orders_json(const schedule::QueueReport& report);
std::string queue_svg(const schedule::CorunSession& session, const schedule::QueueReport& report);

}  // namespace wattune::cli
