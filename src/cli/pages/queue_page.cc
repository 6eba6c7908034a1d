#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/pages/corun_sections.h"
#include "cli/pages/document_text.h"
#include "cli/program/text.h"
#include "report/interface/interval_plot.h"
#include "report/interface/policy_plot.h"

namespace wattune::cli {

namespace {

using report::PageCard;
using report::PageSection;
using report::PageTable;

std::vector<std::string> texts_in(const Json& object, const char* name) {
  std::vector<std::string> texts;
  for (const Json& each : elements_of(object, name))
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

// Returns the policy with the shortest time; null if none has one.
Json shortest_of(const std::vector<Json>& policies) {
  Json shortest;
  for (const Json& policy : policies)
    if (const auto time = number_of(policy, "makespan_ms");
        time && (shortest.is_null() || *time < *number_of(shortest, "makespan_ms")))
      shortest = policy;
  return shortest;
}

// Returns the card of a queue whose document has no verdict, or one that tells no gain.
PageCard card_without_verdict(const std::vector<Json>& policies, const std::string& withheld) {
  const Json shortest = shortest_of(policies);
  PageCard card{.question = "Which policy is the fastest", .figure = "Not known", .words = {}};
  if (!withheld.empty()) {
    card.words.push_back(fmt::format("No gain is told: {}.", withheld));
  } else if (!shortest.is_null()) {
    card.figure = text_of(shortest, "policy");
    card.words.push_back(fmt::format("It has the shortest time, {}.", time_text(shortest, "makespan_ms")));
    card.words.emplace_back("The document has no verdict on how sure that is.");
  }
  return card;
}

PageCard verdict_card(const Json& queue, const std::vector<Json>& policies) {
  const Json& verdict = member_or_null(queue, "verdict");
  if (!verdict.is_object() || !text_of(verdict, "withheld").empty())
    return card_without_verdict(policies, text_of(verdict, "withheld"));
  const std::vector<std::string> ties = texts_in(verdict, "ties");
  PageCard card{.question = "Which policy is the fastest", .figure = text_of(verdict, "fastest"), .words = {}};
  if (!card.figure.empty()) {
    card.words.push_back(
        fmt::format("It gains {} over {}.", gain_text(number_of(verdict, "gain")), text_of(verdict, "over")));
    if (const std::string ends = gain_interval_text(member_or_null(verdict, "interval")); !ends.empty())
      card.words.push_back(fmt::format("Its 95 % interval is {}.", ends));
  } else if (!ties.empty()) {
    card.figure = fmt::format("{} are level", fmt::join(ties, ", "));
    card.words.emplace_back("The rounds do not tell these policies apart.");
  } else {
    card.figure = "Not decided";
    card.words.emplace_back("The rounds do not tell the policies apart.");
  }
  if (const auto off = number_of(member_or_null(verdict, "control"), "off"))
    card.words.push_back(fmt::format("A known time was missed by {:.1f} %, of {:.1f} % that are allowed.", 100.0 * *off,
                                     100.0 * number_of(verdict["control"], "limit").value_or(0.0)));
  return card;
}

// Returns what the fastest policy, or the first of those that are level, is worth over streams.
std::optional<PageCard> worth_card(const Json& queue, const std::vector<Json>& policies) {
  const Json& verdict = member_or_null(queue, "verdict");
  const std::vector<std::string> ties = texts_in(verdict, "ties");
  const std::string named = text_of(verdict, "fastest");
  const Json shortest = shortest_of(policies);
  for (const Json& policy : policies) {
    const std::string name = text_of(policy, "policy");
    const bool is_it = !named.empty() ? name == named : !ties.empty() ? name == ties.front() : policy == shortest;
    const auto gain = number_of(policy, "gain_over_streams");
    if (!is_it || !gain || name == "streams") continue;
    PageCard card{
        .question = fmt::format("What {} is worth over streams", name), .figure = gain_text(gain), .words = {}};
    if (const std::string ends = gain_interval_text(member_or_null(policy, "gain_interval")); !ends.empty())
      card.words.push_back(fmt::format("Its 95 % interval is {}.", ends));
    card.words.push_back(fmt::format("The queue takes {}.", time_text(policy, "makespan_ms")));
    if (const std::string joules = number_text(policy, "joules"); !joules.empty())
      card.words.push_back(fmt::format("The board takes {} J.", joules));
    return card;
  }
  return std::nullopt;
}

PageSection queue_answer(const Json& queue, const std::vector<Json>& policies) {
  PageSection section("answer", "The answer");
  std::vector<PageCard> cards = {verdict_card(queue, policies)};
  if (auto card = worth_card(queue, policies)) cards.push_back(*std::move(card));
  section.add_cards(cards);
  const Json& refused = member_or_null(queue, "refused");
  if (refused.is_object()) section.add_warning("Clocks were refused half-way: " + text_of(refused, "error"));
  for (const std::string& difference : texts_in(member_or_null(queue, "outputs"), "differences"))
    section.add_warning("Outputs differ: " + difference);
  return section;
}

PageSection queue_next(const Json& queue, const std::vector<Json>& policies) {
  std::string best = text_of(member_or_null(queue, "verdict"), "fastest");
  if (best.empty()) best = text_of(shortest_of(policies), "policy");
  PageSection section("next", "What to do next");
  section.add_command("This explains the choices of the policies (SPEC are the files of the kernels):",
                      fmt::format("wattune corun SPEC SPEC --policies {} --works {} --explain",
                                  quoted_for_shell(best.empty() ? "paired" : best),
                                  number_of(queue, "works") ? number_text(queue, "works") : "100"));
  section.add_command("More rounds make the intervals narrower:",
                      "wattune corun SPEC SPEC --policies paired,streams --repeats 10 --json");
  return section;
}

PageTable table_of_policies(const std::vector<Json>& policies) {
  PageTable table =
      PageTable::of(1, {"policy", "time", "gain over streams", "95 %", "mean response", "99 % respond within",
                        "slowdown", "joules", "work per joule over fifo", "launches"});
  for (const Json& policy : policies)
    table.rows.push_back(
        {text_of(policy, "policy"), time_text(policy, "makespan_ms"), gain_text(number_of(policy, "gain_over_streams")),
         gain_interval_text(member_or_null(policy, "gain_interval")), time_text(policy, "mean_response_ms"),
         time_text(policy, "response_99_ms"), number_text(policy, "slowdown"), number_text(policy, "joules"),
         gain_text(number_of(policy, "energy_gain_over_fifo")), number_text(policy, "launches")});
  return table;
}

// Returns the gains over streams in percent, with their intervals, or without a width where there are none.
std::vector<report::IntervalLine> gains_over_streams(const std::vector<Json>& policies) {
  std::vector<report::IntervalLine> lines;
  for (const Json& policy : policies) {
    const auto gain = number_of(policy, "gain_over_streams");
    if (!gain) continue;
    const Json& ends = member_or_null(policy, "gain_interval");
    const bool has_ends = ends.is_array() && ends.size() == 2 && ends[0].is_number() && ends[1].is_number();
    lines.push_back({text_of(policy, "policy"), 100.0 * *gain, 100.0 * (has_ends ? ends[0].get<double>() : *gain),
                     100.0 * (has_ends ? ends[1].get<double>() : *gain)});
  }
  return lines;
}

report::PolicyPlot speed_against_joules(const Json& queue, const std::vector<Json>& policies) {
  report::PolicyPlot plot{.title = "Speed against joules", .policies = {}};
  for (const Json& policy : policies) {
    const auto time = number_of(policy, "makespan_ms");
    const auto joules = number_of(policy, "joules");
    if (time && joules && *time > 0.0)
      plot.policies.push_back(
          {text_of(policy, "policy"), 1e3 * number_of(queue, "works").value_or(0.0) / *time, *joules});
  }
  return plot;
}

PageSection policies_section(const Json& queue, const std::vector<Json>& policies) {
  PageSection section("policies", "The policies");
  section.add_words(fmt::format("The queue has {} works. Their arrivals: {}.", number_text(queue, "works"),
                                text_of(queue, "arrivals")));
  const std::vector<report::IntervalLine> lines = gains_over_streams(policies);
  const PageTable table = table_of_policies(policies);
  if (lines.empty())
    section.add_table("All policies", table);
  else
    section.add_picture(report::draw_intervals(lines, "gain over streams (%)"),
                        "The gain of each policy over streams, with its interval", table);
  const report::PolicyPlot plot = speed_against_joules(queue, policies);
  if (!plot.policies.empty())
    section.add_picture(report::plot_policies_svg(plot), "The speed of each policy against its joules", table);
  return section;
}

std::optional<PageSection> pairs_section(const std::vector<Json>& policies) {
  PageTable table = PageTable::of(3, {"policy", "pair", "way", "speed of the first", "speed of the second",
                                      "clock (MHz)", "watts", "work per joule"});
  for (const Json& policy : policies)
    for (const Json& pair : elements_of(policy, "pairs")) {
      const Json& rates = member_or_null(pair, "forecast_rates");
      const auto rate = [&](std::size_t i) {
        return rates.is_array() && i < rates.size() && rates[i].is_number()
                   ? fmt::format("{:.2f}", rates[i].get<double>())
                   : std::string();
      };
      table.rows.push_back({text_of(policy, "policy"), pair_text(pair), way_text(pair, member_or_null(pair, "kernels")),
                            rate(0), rate(1), number_text(pair, "clock_mhz"), number_text(pair, "watts"),
                            gain_text(number_of(pair, "energy_gain"))});
    }
  if (table.rows.empty()) return std::nullopt;
  PageSection section("plan", "The plan of pairs");
  section.add_words("The policies that pair kernels plan by these forecasts. Speeds are over those alone.");
  section.add_table("Pairs by policy", table);
  return section;
}

PageSection kernels_section(const Json& queue) {
  PageSection section("kernels", "The kernels");
  PageTable table = PageTable::of(1, {"kernel", "blocks", "time alone", "class", "watts alone", "best clock (MHz)"});
  table.columns[3].is_number = false;
  for (const Json& kernel : elements_of(queue, "kernels"))
    table.rows.push_back({text_of(kernel, "name"), number_text(kernel, "blocks"), time_text(kernel, "alone_ms"),
                          text_of(kernel, "class"), number_text(kernel, "watts_alone"),
                          number_text(kernel, "best_clock_mhz")});
  section.add_table("Each kernel alone", table);
  return section;
}

}  // namespace

std::vector<PageSection> sections_of_queue(const Json& queue) {
  const std::vector<Json> policies = elements_of(queue, "policies");
  std::vector<PageSection> sections = {queue_answer(queue, policies), queue_next(queue, policies),
                                       policies_section(queue, policies)};
  if (auto plan = pairs_section(policies)) sections.push_back(*std::move(plan));
  sections.push_back(kernels_section(queue));
  return sections;
}

}  // namespace wattune::cli
