// The run of tenants under several policies, in rounds.
#pragma once

#include "schedule/session/stage.h"
#include "wattune/schedule/tenants.h"

namespace wattune::inline v0_1::schedule {

// Runs the tenants under each policy. On a device each policy first runs once unmeasured, which makes its streams. Each
// policy then runs once in each round, in balanced orders. Precondition: the policies exist. Fails with
// invalid_argument if there is no tenant, or if a tenant has no kernel, a kernel that does not exist, or a gap that is
// not positive. Fails with cancelled, and with the errors of works and devices.
Result<TenantReport> run_tenants(Stage& stage, const TenantRequest& request);

}  // namespace wattune::schedule
