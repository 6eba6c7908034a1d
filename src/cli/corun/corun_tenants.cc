#include "cli/corun/corun_tenants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "cli/program/options.h"
#include "cli/program/text.h"
#include "core/interface/suggest.h"
#include "report/interface/text.h"

namespace wattune::cli {

namespace {

// The policies with which others are compared: the first by the responses of urgent works, and the second by the
// throughput of all other works.
constexpr const char* kBaseOfResponses = "priority";
constexpr const char* kBaseOfThroughput = "split";

Error no_tenant(std::string what, std::string about) {
  return Error(ErrorCode::invalid_argument, "--tenant: " + std::move(what))
      .about(std::move(about))
      .hint("such as chat=gemm,priority=1,poisson=4ms or train=fma/copy");
}

std::vector<std::string> fields_of_tenant(const std::string& text, char separator) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    fields.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return fields;
}

Result<int> parse_priority(const std::string& text) {
  int priority = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), priority);
  if (failure != std::errc() || end != text.data() + text.size())
    return no_tenant("a priority is a whole number", text);
  return priority;
}

Result<void> set_property(const std::string& text, schedule::Tenant& tenant) {
  const auto property = parse_assignment(text);
  const std::string name = property ? property->first : text;
  if (name == "priority" && property) {
    WATTUNE_ASSIGN(tenant.priority, parse_priority(property->second));
    return {};
  }
  if ((name != "every" && name != "poisson") || !property)
    return no_tenant("a tenant has priority=N, every=TIME or poisson=TIME", text);
  if (tenant.gap) return no_tenant("its works arrive in one way", text);
  WATTUNE_ASSIGN(tenant.gap, parse_positive_time(property->second));
  tenant.at_random = name == "poisson";
  return {};
}

Result<NamedTenant> parse_tenant(const std::string& text) {
  const auto named = parse_assignment(text);
  if (!named) return no_tenant("NAME=KERNEL,...", text);
  const std::vector<std::string> fields = fields_of_tenant(named->second, ',');
  NamedTenant tenant{.tenant = {.name = named->first}, .kernels = fields_of_tenant(fields.front(), '/')};
  for (std::size_t i = 1; i < fields.size(); ++i) WATTUNE_TRY(set_property(fields[i], tenant.tenant));
  return tenant;
}

std::string arrivals_text(const schedule::Tenant& tenant) {
  if (!tenant.gap) return "a backlog";
  if (tenant.at_random) return fmt::format("at random, every {} on average", format_time(*tenant.gap));
  return "every " + format_time(*tenant.gap);
}

std::vector<std::string> kernel_names(const schedule::TenantReport& report, const schedule::Tenant& tenant) {
  std::vector<std::string> names;
  for (const schedule::KernelId kernel : tenant.kernels) names.push_back(report.kernels[kernel].name);
  return names;
}

std::string tenant_lines(const schedule::TenantReport& report) {
  using Align = report::TextTable::Align;
  report::TextTable table(
      {{"tenant", Align::left}, {"priority"}, {"kernels", Align::left}, {"its works come", Align::left}});
  for (const schedule::Tenant& tenant : report.tenants)
    table.add_row({tenant.name, fmt::format("{}", tenant.priority),
                   fmt::format("{}", fmt::join(kernel_names(report, tenant), ", ")), arrivals_text(tenant)});
  return table.to_string();
}

std::string response_text(const std::optional<Nanoseconds>& response) {
  return response ? format_time(*response) : "-";
}

std::string runs_text(const schedule::TenantReport& report) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"policy", Align::left},
                           {"tenant", Align::left},
                           {"works"},
                           {"works per second"},
                           {"of alone"},
                           {"median response"},
                           {"95 %"},
                           {"99 %"}});
  bool lacks = false;
  for (const schedule::TenantPolicy& policy : report.policies)
    for (std::size_t i = 0; i < report.tenants.size(); ++i) {
      const schedule::TenantRun& run = policy.tenants[i];
      table.add_row({policy.policy, report.tenants[i].name, fmt::format("{}", run.works()),
                     fmt::format("{:.1f}", report.works_per_second(run)),
                     fmt::format("{:.1f} %", 100.0 * report.share_of_gpu(run)), response_text(run.response(0.5)),
                     response_text(run.response(0.95)), response_text(run.response(0.99))});
      lacks = lacks || !run.response(0.99);
    }
  return table.to_string() + (lacks ? "-: 95 % needs 20 works, 99 % needs 100.\n" : "");
}

std::string ratio_text(const schedule::Ratio& ratio) {
  if (ratio.low == ratio.high) return fmt::format("{:.3f}", ratio.ratio);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio.ratio, ratio.low, ratio.high);
}

bool is_urgent(const schedule::TenantReport& report, const schedule::Tenant& tenant) {
  const auto from = schedule::urgent_from(report.tenants);
  return from && tenant.priority >= *from;
}

// Compares each policy with the baselines. Returns an empty text if the baselines did not run.
std::string comparisons_text(const schedule::TenantReport& report) {
  std::string text;
  for (const schedule::TenantPolicy& run : report.policies) {
    if (run.policy == kBaseOfResponses || run.policy == kBaseOfThroughput) continue;
    for (std::size_t i = 0; i < report.tenants.size(); ++i) {
      const auto ratio = schedule::response_over(report, run.policy, kBaseOfResponses, i);
      if (ratio && is_urgent(report, report.tenants[i]))
        text += fmt::format("{} over {}: 99 % of the works of {} respond within {} times the time.\n", run.policy,
                            kBaseOfResponses, report.tenants[i].name, ratio_text(*ratio));
    }
    if (const auto ratio = schedule::throughput_over(report, run.policy, kBaseOfThroughput))
      text += fmt::format("{} over {}: tenants that are not urgent do {} times as much.\n", run.policy,
                          kBaseOfThroughput, ratio_text(*ratio));
  }
  return text;
}

Json ratio_json(const std::optional<schedule::Ratio>& ratio) {
  if (!ratio) return nullptr;
  return {{"ratio", ratio->ratio}, {"interval", {ratio->low, ratio->high}}};
}

Json response_json(const std::optional<Nanoseconds>& response) {
  return response ? Json(to_ms(*response)) : Json(nullptr);
}

Json tenant_policy_json(const schedule::TenantReport& report, const schedule::TenantPolicy& policy) {
  Json json = {{"policy", policy.policy},
               {"tenants", Json::array()},
               {"others_over_split", ratio_json(schedule::throughput_over(report, policy.policy, kBaseOfThroughput))}};
  for (std::size_t i = 0; i < report.tenants.size(); ++i) {
    const schedule::TenantRun& run = policy.tenants[i];
    json["tenants"].push_back({{"name", report.tenants[i].name},
                               {"works", run.works()},
                               {"works_per_second", report.works_per_second(run)},
                               {"of_alone", report.share_of_gpu(run)},
                               {"median_response_ms", response_json(run.response(0.5))},
                               {"response_95_ms", response_json(run.response(0.95))},
                               {"response_99_ms", response_json(run.response(0.99))},
                               {"response_99_over_priority",
                                ratio_json(schedule::response_over(report, policy.policy, kBaseOfResponses, i))}});
  }
  return json;
}

}  // namespace

void declare_tenants(CLI::App& app, CorunTenants& tenants) {
  app.option_defaults()->group("Tenants");
  app.add_option(
         "--tenant", tenants.texts,
         "A client that shares the GPU, whose works run these kernels in turns. Keys: priority=N, 0 by default; "
         "every=TIME; poisson=TIME, for works at random, every TIME on average. Without a time its works are a "
         "backlog. Works of the highest priority are urgent: under paired they begin at once. May be repeated")
      ->type_name("NAME=KERNEL/...,KEY=VALUE,...")
      ->allow_extra_args(false);
  add_parsed(app, "--for", tenants.time, parse_positive_time, "TIME",
             "How long tenants submit works in each run, under each of --policies: priority, split and paired if there "
             "are none")
      ->default_str("1s");
}

Result<std::vector<NamedTenant>> parse_tenants(const std::vector<std::string>& texts) {
  std::vector<NamedTenant> tenants;
  for (const std::string& text : texts) {
    WATTUNE_ASSIGN(NamedTenant tenant, parse_tenant(text));
    const auto is_same = [&](const NamedTenant& other) { return other.tenant.name == tenant.tenant.name; };
    if (std::ranges::any_of(tenants, is_same)) return no_tenant("two tenants have this name", text);
    tenants.push_back(std::move(tenant));
  }
  return tenants;
}

Result<std::vector<schedule::Tenant>> tenants_of(const schedule::CorunSession& session,
                                                 std::vector<NamedTenant> tenants) {
  std::vector<std::string> known;
  for (const schedule::StageKernel& kernel : session.kernels()) known.push_back(kernel.traits.name);
  std::vector<schedule::Tenant> found;
  for (NamedTenant& each : tenants) {
    for (const std::string& name : each.kernels) {
      const auto kernel = std::ranges::find(known, name);
      if (kernel == known.end())
        return Error(ErrorCode::not_found, "--tenant: no kernel of this name runs here")
            .about(name)
            .hint(suggest(name, known));
      each.tenant.kernels.push_back(static_cast<schedule::KernelId>(kernel - known.begin()));
    }
    found.push_back(std::move(each.tenant));
  }
  return found;
}

std::string tenants_text(const schedule::CorunSession& session, const schedule::TenantReport& report) {
  std::string text =
      fmt::format("{} on {}{}, for {}{}\n\n{}\n{}{}", counted(report.tenants.size(), "tenant"),
                  session.is_simulated() ? "a simulated " : "", session.device(), format_time(report.time),
                  report.rounds > 1 ? fmt::format(", {} times", report.rounds) : "", tenant_lines(report),
                  runs_text(report), comparisons_text(report));
  if (!report.differences.empty())
    text += fmt::format("OUTPUTS DIFFER from those of runs alone:\n  {}\n", fmt::join(report.differences, "\n  "));
  return text;
}

Json tenants_json(const schedule::TenantReport& report) {
  Json json = {{"time_ms", to_ms(report.time)},
               {"rounds", report.rounds},
               {"tenants", Json::array()},
               {"policies", Json::array()},
               {"differences", report.differences}};
  for (const schedule::Tenant& tenant : report.tenants)
    json["tenants"].push_back({{"name", tenant.name},
                               {"kernels", kernel_names(report, tenant)},
                               {"priority", tenant.priority},
                               {"urgent", is_urgent(report, tenant)},
                               {"gap_ms", response_json(tenant.gap)},
                               {"at_random", tenant.at_random}});
  for (const schedule::TenantPolicy& policy : report.policies)
    json["policies"].push_back(tenant_policy_json(report, policy));
  return json;
}

}  // namespace wattune::cli
