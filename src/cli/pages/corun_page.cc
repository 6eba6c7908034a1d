// The page of `wattune corun --json`: swept pairs, a queue, or tenants.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/pages/corun_sections.h"
#include "cli/pages/document_text.h"
#include "cli/pages/documents.h"
#include "cli/program/text.h"
#include "report/interface/gain_plot.h"
#include "report/interface/interval_plot.h"

namespace wattune::cli {

namespace {

using report::PageCard;
using report::PageSection;
using report::PageTable;

// Returns the row at the place that a member names; null if there is none.
const Json& row_at(const Json& pair, const Json& place) {
  const Json& rows = member_or_null(pair, "rows");
  static const Json kNone;
  return place.is_number_unsigned() && rows.is_array() && place.get<std::size_t>() < rows.size()
             ? rows[place.get<std::size_t>()]
             : kNone;
}

// The best way of a pair together, its gain and what is known of that.
struct PairVerdict {
  std::string way;
  std::optional<double> gain;
  std::string interval;
  std::string sureness;  // how sure the gain is, in a few words
  std::string why;       // and as a sentence
};

// Returns the best of the rows, for documents of versions without a verdict.
PairVerdict best_of_rows(const Json& pair) {
  const Json* best = nullptr;
  const std::vector<Json> rows = elements_of(pair, "rows");
  for (const Json& row : rows)
    if (const auto gain = number_of(row, "gain");
        gain && (best == nullptr || *gain > number_of(*best, "gain").value_or(0.0)))
      best = &row;
  if (best == nullptr) return {.sureness = "Not known", .why = "No way of running them gave figures."};
  return {.way = way_text(*best, member_or_null(pair, "kernels")),
          .gain = number_of(*best, "gain"),
          .interval = gain_interval_text(member_or_null(*best, "interval")),
          .sureness = "Not decided",
          .why = "The best of several ways is partly luck: this document has no rerun that decides."};
}

PairVerdict verdict_of(const Json& pair) {
  const Json& verdict = member_or_null(pair, "verdict");
  if (!verdict.is_object()) return best_of_rows(pair);
  if (const std::string withheld = text_of(verdict, "withheld"); !withheld.empty())
    return {.sureness = "Not known", .why = fmt::format("No gain is told: {}.", withheld)};
  const Json& row = row_at(pair, member_or_null(verdict, "best"));
  const bool gains = member_or_null(verdict, "gains") == Json(true);
  return {.way = row.is_null() ? "" : way_text(row, member_or_null(pair, "kernels")),
          .gain = number_of(verdict, "gain"),
          .interval = gain_interval_text(member_or_null(verdict, "interval")),
          .sureness = gains ? "Decided by a rerun" : "No gain shown",
          .why = gains ? "They gain: the interval of the rerun lies above 0."
                       : "The rerun does not show that they gain by running together."};
}

// Returns the card of a policy's plan for the pair, if the document has one.
std::optional<PageCard> planned_card(const Json& pair) {
  const Json& planned = member_or_null(pair, "planned");
  const auto gain = number_of(planned, "gain");
  if (!gain) return std::nullopt;
  PageCard card{.question = "What the policy paired reaches", .figure = gain_text(gain), .words = {}};
  card.words.push_back(fmt::format("It plans: {}.", way_text(planned, member_or_null(pair, "kernels"))));
  if (const std::string ends = gain_interval_text(member_or_null(planned, "interval")); !ends.empty())
    card.words.push_back(fmt::format("Its 95 % interval is {}.", ends));
  return card;
}

// Tells the best way, how sure it is, and what it is worth.
std::vector<PageCard> cards_of_pair(const Json& pair, const std::string& question) {
  const PairVerdict verdict = verdict_of(pair);
  std::vector<PageCard> cards = {
      {.question = question, .figure = pair_text(pair), .words = {}},
      {.question = "How sure that is", .figure = verdict.sureness, .words = {verdict.why}},
      {.question = "What it is worth over one after the other",
       .figure = verdict.gain ? gain_text(verdict.gain) : "No gain told",
       .words = {verdict.interval.empty() ? "No interval is known."
                                          : fmt::format("Its 95 % interval is {}.", verdict.interval)}}};
  cards.front().words.push_back(verdict.way.empty() ? "No way together is known to be the best."
                                                    : fmt::format("The best way together is: {}.", verdict.way));
  if (auto card = planned_card(pair)) cards.push_back(*std::move(card));
  return cards;
}

// Returns the pair that gains most; the first if no gain is known. Precondition: there is one.
const Json& most_gaining(const std::vector<Json>& pairs) {
  return *std::ranges::max_element(pairs, {}, [](const Json& pair) { return verdict_of(pair).gain.value_or(-1e300); });
}

PageSection answer_of_pairs(const std::vector<Json>& pairs) {
  PageSection section("answer", "The answer");
  if (pairs.empty()) {
    section.add_cards({{.question = "Which pair gains", .figure = "Nothing", .words = {"No pair was swept."}}});
    return section;
  }
  section.add_cards(
      cards_of_pair(most_gaining(pairs), pairs.size() > 1 ? "Which pair gains most" : "What ran together"));
  if (pairs.size() > 1) {
    PageTable table = PageTable::of(2, {"pair", "best way together", "gain", "95 %", "how sure", "paired reaches"});
    table.columns[4].is_number = false;
    for (const Json& pair : pairs) {
      const PairVerdict verdict = verdict_of(pair);
      table.rows.push_back({pair_text(pair), verdict.way, gain_text(verdict.gain), verdict.interval, verdict.sureness,
                            gain_text(number_of(member_or_null(pair, "planned"), "gain"))});
    }
    section.add_table("All pairs", table);
  }
  return section;
}

PageTable table_of_ways(const Json& pair) {
  PageTable table = PageTable::of(1, {"way", "time of both", "gain", "95 %", "joules", "work per joule"});
  for (const Json& row : elements_of(pair, "rows")) {
    const std::string error = text_of(row, "error");
    table.rows.push_back({way_text(row, member_or_null(pair, "kernels")) + (error.empty() ? "" : ": " + error),
                          time_text(row, "makespan_ms"), gain_text(number_of(row, "gain")),
                          gain_interval_text(member_or_null(row, "interval")), number_text(row, "joules"),
                          gain_text(number_of(row, "energy_gain"))});
  }
  return table;
}

// Returns the sum of the fewest and the most SMs of the first kernel, which is the number of SMs that are split.
double split_sms(const std::vector<Json>& rows) {
  double fewest = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (const Json& row : rows)
    if (const auto sms = number_of(row, "sms_of_first")) {
      fewest = std::min(fewest, *sms);
      most = std::max(most, *sms);
    }
  return fewest + most;
}

// Returns the gain of each way against the first kernel's share of the blocks or SMs.
report::GainPlot gains_of(const Json& pair) {
  const std::vector<Json> rows = elements_of(pair, "rows");
  const std::string names = pair_text(pair);
  report::GainPlot plot{.title = names,
                        .first = names.substr(0, names.find(" with ")),
                        .sharing = {{"every SM shared", {}}, {"SMs of their own", {}}},
                        .baselines = {}};
  for (const Json& row : rows) {
    const auto gain = number_of(row, "gain");
    if (!gain) continue;
    const Json& ratio = member_or_null(row, "ratio");
    if (ratio.is_array() && ratio.size() == 2 && ratio[0].is_number() && ratio[1].is_number()) {
      const double first = ratio[0].get<double>();
      plot.sharing[0].points.emplace_back(first / (first + ratio[1].get<double>()), *gain);
    } else if (const auto sms = number_of(row, "sms_of_first")) {
      plot.sharing[1].points.emplace_back(*sms / split_sms(rows), *gain);
    } else {
      plot.baselines.push_back({way_text(row, member_or_null(pair, "kernels")), *gain});
    }
  }
  for (report::GainPlot::Curve& curve : plot.sharing) std::ranges::sort(curve.points);
  return plot;
}

PageSection pair_section(const Json& pair, std::size_t number) {
  PageSection section(fmt::format("pair-{}", number + 1), pair_text(pair));
  const PairVerdict verdict = verdict_of(pair);
  if (!verdict.way.empty())
    section.add_words(fmt::format("The best way together is: {}. It gains {} over one after the other. {}", verdict.way,
                                  gain_text(verdict.gain), verdict.why));
  section.add_picture(report::plot_gain_svg(gains_of(pair)), "The gain of each way to run the pair, against the share",
                      table_of_ways(pair));
  const Json& alone = member_or_null(pair, "alone_ms");
  const Json& repetitions = member_or_null(pair, "repetitions");
  PageTable table = PageTable::of(1, {"kernel", "launches", "time alone"});
  const Json& kernels = member_or_null(pair, "kernels");
  for (std::size_t i = 0; i < std::min({kernels.size(), alone.size(), repetitions.size()}); ++i)
    table.rows.push_back({kernels[i].is_string() ? kernels[i].get<std::string>() : "", repetitions[i].dump(),
                          alone[i].is_number() ? format_time(nanoseconds_from_ms(alone[i].get<double>())) : ""});
  section.add_table("Each kernel alone", table);
  for (const Json& difference : elements_of(member_or_null(pair, "outputs"), "differences"))
    section.add_warning("Outputs differ: " +
                        (difference.is_string() ? difference.get<std::string>() : difference.dump()));
  return section;
}

// Lists how `paired` plans each pair.
std::optional<PageSection> plan_of_pairs(const std::vector<Json>& pairs) {
  PageTable table = PageTable::of(2, {"pair", "plan", "speed of the first", "speed of the second", "time", "gain"});
  for (const Json& pair : pairs) {
    const Json& planned = member_or_null(pair, "planned");
    if (!planned.is_object()) continue;
    const Json& rates = member_or_null(planned, "forecast_rates");
    const auto rate = [&](std::size_t i) {
      return rates.is_array() && i < rates.size() && rates[i].is_number()
                 ? fmt::format("{:.2f}", rates[i].get<double>())
                 : std::string();
    };
    table.rows.push_back({pair_text(pair), way_text(planned, member_or_null(pair, "kernels")), rate(0), rate(1),
                          time_text(planned, "makespan_ms"), gain_text(number_of(planned, "gain"))});
  }
  if (table.rows.empty()) return std::nullopt;
  PageSection section("plan", "The plan of pairs");
  section.add_words("The policy paired plans by pilots. Speeds are forecasts, over the speed alone.");
  section.add_table("How paired runs each pair", table);
  return section;
}

std::string title_of(const Json& document) {
  const std::string device = text_of(document, "device");
  return device.empty() ? "Kernels together" : "Kernels together on " + device;
}

// Returns the words that name the kernels of a pair: their files, or those of a simulated GPU.
std::string kernels_for_command(const Json& document, const Json& pair) {
  if (member_or_null(document, "simulated") != Json(true)) return "SPEC SPEC";
  std::string names;
  for (const Json& kernel : elements_of(pair, "kernels"))
    if (kernel.is_string()) names += (names.empty() ? "" : ",") + kernel.get<std::string>();
  return fmt::format("--device {} --kernels {}", quoted_for_shell("simulated:" + text_of(document, "device")),
                     quoted_for_shell(names));
}

PageSection next_of_pairs(const Json& document, const std::vector<Json>& pairs) {
  PageSection section("next", "What to do next");
  if (pairs.empty()) {
    section.add_command("This sweeps a pair (SPEC are the files of the kernels):", "wattune corun SPEC SPEC --json");
    return section;
  }
  const Json& best = most_gaining(pairs);
  const PairVerdict verdict = verdict_of(best);
  const std::string kernels = kernels_for_command(document, best);
  const bool is_simulated = member_or_null(document, "simulated") == Json(true);
  const std::string files = is_simulated ? "" : " (SPEC are the files of the kernels)";
  if (verdict.sureness != "Decided by a rerun")
    section.add_command(
        fmt::format("This sweeps {} again, and its best ways run once more, which decides{}:", pair_text(best), files),
        fmt::format("wattune corun {} --repeats 9 --json", kernels));
  section.add_command(
      fmt::format("This runs a queue of these kernels under the scheduler's policies, beside the usual ways{}:", files),
      fmt::format("wattune corun {} --policies paired,split,streams,fifo --works 100", kernels));
  if (!is_simulated)
    section.add_command("This tunes both as one, for running together:", "wattune tune --together SPEC SPEC");
  return section;
}

}  // namespace

report::PageSection origin_of_corun(const Json& document, const std::string& file) {
  PageSection section("origin", "Device and conditions");
  const Json& simulated = member_or_null(document, "simulated");
  section.add_facts({{"device", text_of(document, "device")},
                     {"times", simulated.is_null()       ? ""
                               : simulated == Json(true) ? "simulated, nothing was measured"
                                                         : "measured"},
                     {"rounds", number_text(document, "repeats")},
                     {"seed", number_text(document, "seed")},
                     {"file", file}});
  std::vector<std::string> notes;
  for (const Json& note : elements_of(document, "notes"))
    if (note.is_string()) notes.push_back(note.get<std::string>());
  section.add_list(notes);
  return section;
}

std::vector<report::PagePart> parts_of_corun(const Json& document, const std::string& file) {
  report::PagePart part{.title = title_of(document), .sections = {}};
  if (member_or_null(document, "queue").is_object()) part.sections = sections_of_queue(document);
  if (member_or_null(document, "tenants").is_object()) part.sections = sections_of_tenants(document);
  if (part.sections.empty()) {
    const std::vector<Json> pairs = elements_of(document, "pairs");
    part.sections = {answer_of_pairs(pairs), next_of_pairs(document, pairs)};
    if (auto plan = plan_of_pairs(pairs)) part.sections.push_back(*std::move(plan));
    for (std::size_t i = 0; i < pairs.size(); ++i) part.sections.push_back(pair_section(pairs[i], i));
  }
  part.sections.push_back(origin_of_corun(document, file));
  return {part};
}

}  // namespace wattune::cli
