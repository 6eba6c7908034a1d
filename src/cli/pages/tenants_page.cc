#include <fmt/format.h>

#include "cli/pages/corun_sections.h"
#include "cli/pages/document_text.h"
#include "cli/program/text.h"
#include "report/interface/interval_plot.h"

namespace wattune::cli {

namespace {

using report::PageCard;
using report::PageSection;
using report::PageTable;

// Returns "1.05 (0.98 to 1.12)" of an object with a ratio and an interval; empty if it is null.
std::string ratio_text(const Json& ratio) {
  const auto value = number_of(ratio, "ratio");
  if (!value) return {};
  const Json& ends = member_or_null(ratio, "interval");
  if (!ends.is_array() || ends.size() != 2 || !ends[0].is_number() || !ends[1].is_number())
    return fmt::format("{:.2f}", *value);
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", *value, ends[0].get<double>(), ends[1].get<double>());
}

// Tells what a policy gives to the urgent tenants and to all others.
PageCard policy_card(const Json& policy) {
  PageCard card{.question = text_of(policy, "policy"), .figure = {}, .words = {}};
  const std::string others = ratio_text(member_or_null(policy, "others_over_split"));
  card.figure = others.empty() ? "Not compared" : others.substr(0, others.find(' ')) + " of split";
  if (!others.empty())
    card.words.push_back(fmt::format("Tenants that are not urgent do {} times as much as under split (95 %).", others));
  for (const Json& tenant : elements_of(policy, "tenants"))
    card.words.push_back(fmt::format("{}: {} works per second, and half of them respond within {}.",
                                     text_of(tenant, "name"), number_text(tenant, "works_per_second"),
                                     time_text(tenant, "median_response_ms")));
  return card;
}

PageTable table_of_tenants(const std::vector<Json>& policies) {
  PageTable table =
      PageTable::of(2, {"policy", "tenant", "works", "works per second", "share of the time alone", "median response",
                        "95 % respond within", "99 % respond within", "99 % over priority"});
  for (const Json& policy : policies)
    for (const Json& tenant : elements_of(policy, "tenants"))
      table.rows.push_back({text_of(policy, "policy"), text_of(tenant, "name"), number_text(tenant, "works"),
                            number_text(tenant, "works_per_second"), number_text(tenant, "of_alone"),
                            time_text(tenant, "median_response_ms"), time_text(tenant, "response_95_ms"),
                            time_text(tenant, "response_99_ms"),
                            ratio_text(member_or_null(tenant, "response_99_over_priority"))});
  return table;
}

PageSection clients_section(const Json& tenants) {
  PageSection section("tenants", "The tenants");
  PageTable table = PageTable::of(2, {"tenant", "kernels", "priority", "urgent", "gap between works (ms)"});
  for (const Json& tenant : elements_of(tenants, "tenants")) {
    std::string kernels;
    for (const Json& kernel : elements_of(tenant, "kernels"))
      if (kernel.is_string()) kernels += (kernels.empty() ? "" : ", ") + kernel.get<std::string>();
    table.rows.push_back({text_of(tenant, "name"), kernels, number_text(tenant, "priority"),
                          member_or_null(tenant, "urgent") == Json(true) ? "yes" : "no",
                          number_of(tenant, "gap_ms") ? number_text(tenant, "gap_ms") : "a backlog"});
  }
  section.add_table("Who runs what", table);
  return section;
}

}  // namespace

std::vector<PageSection> sections_of_tenants(const Json& tenants) {
  const std::vector<Json> policies = elements_of(tenants, "policies");
  PageSection answer("answer", "The answer");
  std::vector<PageCard> cards;
  for (const Json& policy : policies) cards.push_back(policy_card(policy));
  if (cards.empty())
    cards.push_back({.question = "Which policy serves best", .figure = "Nothing", .words = {"No policy ran."}});
  answer.add_cards(cards);
  for (const Json& difference : elements_of(tenants, "differences"))
    if (difference.is_string()) answer.add_warning("Outputs differ: " + difference.get<std::string>());
  PageSection next("next", "What to do next");
  next.add_command("More rounds make the intervals narrower (SPEC are the files of the kernels):",
                   "wattune corun SPEC SPEC --tenant NAME=KERNEL,... --tenant NAME=KERNEL,... --repeats 10 --json");
  PageSection all("policies", "All tenants under all policies");
  all.add_table("Throughput and responses", table_of_tenants(policies));
  return {answer, next, all, clients_section(tenants)};
}

}  // namespace wattune::cli
