// Tenants of `wattune corun` as users name them, and the report on them. A tenant is a client with kernels, a priority
// and arrivals of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/json.h"
#include "wattune/core/result.h"
#include "wattune/schedule/session.h"

namespace wattune::cli {

struct CorunTenants {
  std::vector<std::string> texts;  // NAME=KERNEL/KERNEL,priority=N,every=TIME or poisson=TIME
  std::optional<Nanoseconds> time;

  bool are_given() const { return !texts.empty(); }
};

// Declares --tenant and --for.
void declare_tenants(CLI::App& app, CorunTenants& tenants);

// A tenant as users name it.
struct NamedTenant {
  schedule::Tenant tenant;           // the tenant without its kernels
  std::vector<std::string> kernels;  // names of its kernels
};
// Parses the texts that --tenant takes. Fails with invalid_argument.
Result<std::vector<NamedTenant>> parse_tenants(const std::vector<std::string>& texts);
// Finds the kernels of the tenants. Fails with not_found, with the nearest name.
Result<std::vector<schedule::Tenant>> tenants_of(const schedule::CorunSession& session,
                                                 std::vector<NamedTenant> tenants);

std::string tenants_text(const schedule::CorunSession& session, const schedule::TenantReport& report);
Json tenants_json(const schedule::TenantReport& report);

}  // namespace wattune::cli
