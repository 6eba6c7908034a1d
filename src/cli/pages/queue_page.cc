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

bool has_verdict(const Json& queue) {
  const Json& verdict = member_or_null(queue, "verdict");
  return verdict.is_object() && text_of(verdict, "withheld").empty();
}

PageCard fastest_card(const Json& queue, const std::vector<Json>& policies) {
  PageCard card{.question = "Which policy won", .figure = "Not known", .words = {}};
  const Json& verdict = member_or_null(queue, "verdict");
  const Json shortest = shortest_of(policies);
  const std::vector<std::string> ties = texts_in(verdict, "ties");
  if (has_verdict(queue)) card.figure = text_of(verdict, "fastest");
  if (has_verdict(queue) && card.figure.empty())
    card.figure = ties.empty() ? "Not decided" : fmt::format("{} are level", fmt::join(ties, ", "));
  if (verdict.is_null() && !shortest.is_null()) card.figure = text_of(shortest, "policy");
  if (!shortest.is_null())
    card.words.push_back(fmt::format("The shortest time is that of {}: {} for {} works.", text_of(shortest, "policy"),
                                     time_text(shortest, "makespan_ms"), number_text(queue, "works")));
  if (!ties.empty())
    card.words.emplace_back("Policies that are level may be chosen by other reasons: joules, responses, simplicity.");
  return card;
}

PageCard sureness_of_queue(const Json& queue) {
  PageCard card{.question = "How sure that is", .figure = "Not known", .words = {}};
  const Json& verdict = member_or_null(queue, "verdict");
  if (const std::string withheld = text_of(verdict, "withheld"); !withheld.empty()) {
    card.words.push_back(fmt::format("No gain is told: {}.", withheld));
  } else if (!has_verdict(queue)) {
    card.words.emplace_back("The document has no verdict on how sure the order is.");
  } else if (!text_of(verdict, "fastest").empty()) {
    card.figure = "Decided";
    card.words.push_back(
        fmt::format("It gains {} over {}.", gain_text(number_of(verdict, "gain")), text_of(verdict, "over")));
    if (const std::string ends = gain_interval_text(member_or_null(verdict, "interval")); !ends.empty())
      card.words.push_back(fmt::format("The 95 % interval of that is {}.", ends));
  } else {
    card.figure = texts_in(verdict, "ties").empty() ? "Not decided" : "Level";
    card.words.emplace_back("The rounds do not tell these policies apart.");
  }
  if (const auto off = number_of(member_or_null(verdict, "control"), "off"))
    card.words.push_back(fmt::format("A known time was missed by {:.1f} %, of {:.1f} % that are allowed.", 100.0 * *off,
                                     100.0 * number_of(verdict["control"], "limit").value_or(0.0)));
  return card;
}

// Returns the name of the policy that is the fastest, or the first of those that are level.
std::string name_of_fastest(const Json& queue, const std::vector<Json>& policies) {
  const Json& verdict = member_or_null(queue, "verdict");
  const std::vector<std::string> ties = texts_in(verdict, "ties");
  if (const std::string named = text_of(verdict, "fastest"); !named.empty()) return named;
  return ties.empty() ? text_of(shortest_of(policies), "policy") : ties.front();
}

// Returns what the fastest policy is worth over streams, the usual way of CUDA programs.
PageCard worth_of_queue(const Json& queue, const std::vector<Json>& policies) {
  const std::string fastest = name_of_fastest(queue, policies);
  PageCard card{.question = "What it is worth over streams", .figure = "Not known", .words = {}};
  for (const Json& policy : policies) {
    if (text_of(policy, "policy") != fastest) continue;
    const auto gain = number_of(policy, "gain_over_streams");
    if (fastest == "streams") {
      card.figure = "Nothing";
      card.words.emplace_back("It is streams: no policy is shown to be faster.");
    } else if (gain) {
      card.figure = gain_text(gain);
      card.words.push_back(fmt::format("This is the gain of {}.", fastest));
    }
    if (const std::string ends = gain_interval_text(member_or_null(policy, "gain_interval"));
        !ends.empty() && fastest != "streams")
      card.words.push_back(fmt::format("Its 95 % interval is {}.", ends));
    if (const std::string joules = number_text(policy, "joules"); !joules.empty())
      card.words.push_back(fmt::format("The board takes {} J.", joules));
  }
  if (card.words.empty()) card.words.emplace_back("The document has no gain over streams.");
  return card;
}

// Returns the policy that takes the least joules, if they are known and were worth looking at.
std::optional<PageCard> joules_card(const std::vector<Json>& policies) {
  const Json* least = nullptr;
  for (const Json& policy : policies)
    if (const auto joules = number_of(policy, "joules");
        joules && (least == nullptr || *joules < *number_of(*least, "joules")))
      least = &policy;
  if (least == nullptr) return std::nullopt;
  PageCard card{.question = "Which policy takes the least energy", .figure = text_of(*least, "policy"), .words = {}};
  card.words.push_back(fmt::format("The board takes {} J for the whole queue.", number_text(*least, "joules")));
  if (const auto gain = number_of(*least, "energy_gain_over_fifo"))
    card.words.push_back(fmt::format("Its work per joule is {} over that under fifo.", gain_text(gain)));
  return card;
}

PageSection queue_answer(const Json& queue, const std::vector<Json>& policies) {
  PageSection section("answer", "The answer");
  std::vector<PageCard> cards = {fastest_card(queue, policies), sureness_of_queue(queue),
                                 worth_of_queue(queue, policies)};
  if (auto card = joules_card(policies)) cards.push_back(*std::move(card));
  section.add_cards(cards);
  const Json& refused = member_or_null(queue, "refused");
  if (refused.is_object()) section.add_warning("Clocks were refused half-way: " + text_of(refused, "error"));
  for (const std::string& difference : texts_in(member_or_null(queue, "outputs"), "differences"))
    section.add_warning("Outputs differ: " + difference);
  return section;
}

// Returns the words that name the kernels of the queue: their files, or those of a simulated GPU.
std::string kernels_of_queue(const Json& document) {
  const std::vector<Json> kernels = elements_of(member_or_null(document, "queue"), "kernels");
  const bool is_simulated = member_or_null(document, "simulated") == Json(true);
  std::string words;
  for (const Json& kernel : kernels)
    words += (words.empty() ? "" : is_simulated ? "," : " ") + (is_simulated ? text_of(kernel, "name") : "SPEC");
  if (!is_simulated) return words.empty() ? "SPEC SPEC" : words;
  return fmt::format("--device {} --kernels {}", quoted_for_shell("simulated:" + text_of(document, "device")),
                     quoted_for_shell(words));
}

PageSection queue_next(const Json& document, const std::vector<Json>& policies) {
  const Json& queue = member_or_null(document, "queue");
  const std::string best = name_of_fastest(queue, policies);
  const std::string kernels = kernels_of_queue(document);
  const std::string works = number_of(queue, "works") ? number_text(queue, "works") : "100";
  const bool is_decided = has_verdict(queue) && !text_of(member_or_null(queue, "verdict"), "fastest").empty();
  PageSection section("next", "What to do next");
  if (!is_decided)
    section.add_command("More rounds make the intervals narrower, and may decide (SPEC are the files of the kernels):",
                        fmt::format("wattune corun {} --policies paired,split,streams,fifo --works {} --repeats 15 "
                                    "--json",
                                    kernels, works));
  section.add_command("This explains the choices of the policy (SPEC are the files of the kernels):",
                      fmt::format("wattune corun {} --policies {} --works {} --explain", kernels,
                                  quoted_for_shell(best.empty() ? "paired" : best.substr(0, best.find(','))), works));
  section.add_words(
      "An application runs its own kernels under a policy by schedule::open() of the library "
      "(wattune/schedule/session.h).");
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
  const bool has_interval = std::ranges::any_of(lines, [](const auto& line) { return line.low < line.high; });
  if (lines.empty())
    section.add_table("All policies", table);
  else
    section.add_picture(report::draw_intervals(lines, "gain over streams (%)"),
                        has_interval ? "The gain of each policy over streams, with its 95 % interval"
                                     : "The gain of each policy over streams; this document has no intervals",
                        table);
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

std::vector<PageSection> sections_of_queue(const Json& document) {
  const Json& queue = member_or_null(document, "queue");
  const std::vector<Json> policies = elements_of(queue, "policies");
  std::vector<PageSection> sections = {queue_answer(queue, policies), queue_next(document, policies),
                                       policies_section(queue, policies)};
  if (auto plan = pairs_section(policies)) sections.push_back(*std::move(plan));
  sections.push_back(kernels_section(queue));
  return sections;
}

}  // namespace wattune::cli
