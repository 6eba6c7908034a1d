#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

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

// The two figures by which policies are compared. Each is known only if the document has it.
struct PolicyFigures {
  std::string name;
  std::optional<double> others;    // what tenants that are not urgent do, over the same under split
  std::optional<double> response;  // the largest ratio of an urgent tenant's 99 % response to that under priority
  std::string others_text;
  std::string response_text;
};

std::vector<PolicyFigures> figures_of(const Json& tenants, const std::vector<Json>& policies) {
  std::set<std::string> urgent;
  for (const Json& tenant : elements_of(tenants, "tenants"))
    if (member_or_null(tenant, "urgent") == Json(true)) urgent.insert(text_of(tenant, "name"));
  std::vector<PolicyFigures> all;
  for (const Json& policy : policies) {
    const Json& others = member_or_null(policy, "others_over_split");
    PolicyFigures& figures = all.emplace_back(PolicyFigures{.name = text_of(policy, "policy"),
                                                            .others = number_of(others, "ratio"),
                                                            .response = {},
                                                            .others_text = ratio_text(others),
                                                            .response_text = {}});
    for (const Json& tenant : elements_of(policy, "tenants")) {
      const Json& over = member_or_null(tenant, "response_99_over_priority");
      const auto ratio = number_of(over, "ratio");
      if (!ratio || !urgent.contains(text_of(tenant, "name")) || *ratio <= figures.response.value_or(0.0)) continue;
      figures.response = ratio;
      figures.response_text = ratio_text(over);
    }
  }
  return all;
}

const PolicyFigures* busiest_of(const std::vector<PolicyFigures>& all) {
  const PolicyFigures* best = nullptr;
  for (const PolicyFigures& each : all)
    if (each.others && (best == nullptr || *each.others > *best->others)) best = &each;
  return best;
}

const PolicyFigures* soonest_of(const std::vector<PolicyFigures>& all) {
  const PolicyFigures* best = nullptr;
  for (const PolicyFigures& each : all)
    if (each.response && (best == nullptr || *each.response < *best->response)) best = &each;
  return best;
}

// Tells which policy is the best in both figures, or which is the best in each.
PageCard serving_card(const PolicyFigures* busiest, const PolicyFigures* soonest) {
  PageCard card{.question = "Which policy won", .figure = "Not known", .words = {}};
  if (busiest == nullptr && soonest == nullptr) {
    card.words.emplace_back("No policy could be compared with split or priority.");
    return card;
  }
  const bool is_one = busiest == nullptr || soonest == nullptr || busiest == soonest;
  card.figure = is_one ? (busiest != nullptr ? busiest : soonest)->name : "It depends";
  if (busiest != nullptr)
    card.words.push_back(fmt::format("Under {} the tenants that are not urgent do the most.", busiest->name));
  if (soonest != nullptr)
    card.words.push_back(
        fmt::format("Under {} the urgent ones are answered soonest (99 % of their works).", soonest->name));
  return card;
}

// Tells how sure both figures are, by the intervals over the rounds.
PageCard sureness_of_tenants(const PolicyFigures* busiest, const PolicyFigures* soonest) {
  PageCard card{.question = "How sure that is", .figure = "Not known", .words = {}};
  if (busiest != nullptr) card.words.push_back(fmt::format("Work of the others over split: {}.", busiest->others_text));
  if (soonest != nullptr)
    card.words.push_back(fmt::format("99 % response of urgent ones over priority: {}.", soonest->response_text));
  const bool has_interval = (busiest != nullptr && busiest->others_text.find('(') != std::string::npos) ||
                            (soonest != nullptr && soonest->response_text.find('(') != std::string::npos);
  if (has_interval) card.figure = "By 95 % intervals";
  card.words.emplace_back(has_interval ? "The ends in brackets are those of 95 % intervals over the rounds."
                                       : "One round alone gives no interval.");
  return card;
}

PageCard worth_of_policy(const PolicyFigures* busiest, const PolicyFigures* soonest) {
  PageCard card{.question = "What it is worth", .figure = "Not known", .words = {}};
  if (busiest != nullptr && busiest->others) {
    card.figure = gain_text(*busiest->others - 1.0) + " work";
    card.words.push_back(
        fmt::format("This is the gain of {} over split, for tenants that are not urgent.", busiest->name));
  }
  if (soonest != nullptr && soonest->response)
    card.words.push_back(fmt::format("Urgent ones wait {:.2f} times as long under {} as under priority.",
                                     *soonest->response, soonest->name));
  return card;
}

// Returns the options that describe the tenants again.
std::string options_of_tenants(const Json& tenants) {
  std::string options;
  for (const Json& tenant : elements_of(tenants, "tenants")) {
    std::string kernels;
    for (const Json& kernel : elements_of(tenant, "kernels"))
      if (kernel.is_string()) kernels += (kernels.empty() ? "" : "/") + kernel.get<std::string>();
    std::string text = text_of(tenant, "name") + "=" + kernels;
    if (const auto priority = number_of(tenant, "priority"); priority && *priority != 0.0)
      text += fmt::format(",priority={:g}", *priority);
    if (const auto gap = number_of(tenant, "gap_ms"))
      text += fmt::format(",{}={:g}ms", member_or_null(tenant, "at_random") == Json(true) ? "poisson" : "every", *gap);
    options += " --tenant " + quoted_for_shell(text);
  }
  return options;
}

PageSection next_of_tenants(const Json& document) {
  const Json& tenants = member_or_null(document, "tenants");
  const auto rounds = number_of(document, "repeats");
  std::set<std::string> kernels;
  for (const Json& tenant : elements_of(tenants, "tenants"))
    for (const Json& kernel : elements_of(tenant, "kernels"))
      if (kernel.is_string()) kernels.insert(kernel.get<std::string>());
  std::string words;
  for (std::size_t i = 0; i < kernels.size(); ++i) words += " SPEC";
  if (member_or_null(document, "simulated") == Json(true))
    words = fmt::format(" --device {} --kernels {}", quoted_for_shell("simulated:" + text_of(document, "device")),
                        quoted_for_shell(fmt::format("{}", fmt::join(kernels, ","))));
  PageSection section("next", "What to do next");
  section.add_command("More rounds make the intervals narrower (SPEC are the files of the kernels):",
                      fmt::format("wattune corun{}{} --repeats {:g} --json", words, options_of_tenants(tenants),
                                  std::max(10.0, 3.0 * rounds.value_or(3.0))));
  section.add_words(
      "Applications share the GPU under a policy by schedule::open() of the library "
      "(wattune/schedule/session.h).");
  return section;
}

}  // namespace

std::vector<PageSection> sections_of_tenants(const Json& document) {
  const Json& tenants = member_or_null(document, "tenants");
  const std::vector<Json> policies = elements_of(tenants, "policies");
  const std::vector<PolicyFigures> figures = figures_of(tenants, policies);
  const PolicyFigures* const busiest = busiest_of(figures);
  const PolicyFigures* const soonest = soonest_of(figures);
  PageSection answer("answer", "The answer");
  answer.add_cards(
      {serving_card(busiest, soonest), sureness_of_tenants(busiest, soonest), worth_of_policy(busiest, soonest)});
  for (const Json& difference : elements_of(tenants, "differences"))
    if (difference.is_string()) answer.add_warning("Outputs differ: " + difference.get<std::string>());
  PageSection all("policies", "All tenants under all policies");
  std::vector<PageCard> cards;
  for (const Json& policy : policies) cards.push_back(policy_card(policy));
  all.add_cards(cards);
  all.add_table("Throughput and responses", table_of_tenants(policies));
  return {answer, next_of_tenants(document), all, clients_section(tenants)};
}

}  // namespace wattune::cli
