// The experiment on a queue: works of a few kernels run under several policies, in rounds.
#pragma once

#include <optional>

#include "schedule/session/stage.h"
#include "wattune/schedule/queue_report.h"

namespace wattune::inline v0_1::schedule {

// Runs the queue under each policy. On a device each policy first runs once unmeasured. That run creates the policy's
// streams, and each work gets output buffers of its own. Each policy then runs once in each round, in balanced orders.
//
// Precondition: the policies exist, and a stage with clocks comes with an objective that needs power. Fails with
// not_found if no policy has the label that is to be traced, and with cancelled if the run is cancelled. Errors of the
// arrivals, the works and the devices are passed on.
Result<QueueReport> run_policies(Stage& stage, const QueueRequest& request);

// Fills in how many joules each policy saves, compared with `fifo` and with the best baseline.
void compare_energy(const Stage& stage, QueueReport& report);
// Fills in the gains and the verdict from the rounds. `off` is the deviation of the control; nullopt if there is no
// control.
void judge(std::optional<double> off, QueueReport& report);

}  // namespace wattune::schedule
