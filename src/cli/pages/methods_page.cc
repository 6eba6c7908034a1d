// The page of `wattune analyze --methods --json`: methods that tune code and clocks, replayed on recorded results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/document_text.h"
#include "cli/pages/documents.h"
#include "cli/program/text.h"
#include "report/interface/energy_plot.h"
#include "report/interface/interval_plot.h"
#include "store/interface/document.h"

namespace wattune::cli {

namespace {

using report::PageCard;
using report::PageSection;
using report::PageTable;

// The share beyond the least recorded energy up to which a method counts as having found it.
constexpr double kFoundLeast = 0.01;

std::string method_joules(const Json& method) {
  const auto energy = number_of(method, "energy_j");
  return energy ? fmt::format("{:.4g} J", *energy) : "";
}

// Returns the name of a method, with the clock from which it began if the document has one entry for each such clock.
std::string method_text(const Json& method) {
  const auto base = number_of(method, "base_clock_mhz");
  return base ? fmt::format("{}, {:g} MHz", text_of(method, "name"), *base) : text_of(method, "name");
}

const Json& method_named(const std::vector<Json>& methods, std::string_view name) {
  static const Json kNone;
  const auto found = std::ranges::find_if(methods, [&](const Json& each) {
    return text_of(each, "name") == name && number_of(each, "energy_ratio").has_value();
  });
  return found == methods.end() ? kNone : *found;
}

bool finds_least(const Json& method) {
  const auto ratio = number_of(method, "energy_ratio");
  return ratio && *ratio <= 1.0 + kFoundLeast;
}

// Returns the method with the fewest evaluations among those that come close to the least recorded energy, from
// whatever clock they begin; null if none does.
Json cheapest_method(const std::vector<Json>& methods) {
  Json cheapest;
  for (const Json& method : methods) {
    const auto evaluations = number_of(method, "evaluations");
    const bool always = std::ranges::all_of(methods, [&](const Json& other) {
      return text_of(other, "name") != text_of(method, "name") || finds_least(other);
    });
    if (!always || !evaluations) continue;
    if (cheapest.is_null() || *evaluations < *number_of(cheapest, "evaluations")) cheapest = method;
  }
  return cheapest;
}

PageCard method_card(const std::vector<Json>& methods) {
  PageCard card{.question = "Which method won", .figure = "None", .words = {}};
  const Json best = cheapest_method(methods);
  if (best.is_null()) {
    card.words.emplace_back("No method came within 1 % of the least recorded energy.");
    return card;
  }
  card.figure = text_of(best, "name");
  card.words = {fmt::format("It measures {} configurations, the fewest of all methods within 1 % of the least energy.",
                            number_text(best, "evaluations")),
                fmt::format("Its choice takes {} and {} a run.", method_joules(best), time_text(best, "time_ms")),
                assignments_of(member_or_null(best, "configuration"))};
  const Json& global = method_named(methods, "global");
  if (!global.is_null() && text_of(best, "name") != "global")
    card.words.push_back(
        fmt::format("Measuring everything (global) takes {} evaluations.", number_text(global, "evaluations")));
  return card;
}

// Returns the clocks at which the board was coolest and hottest, as a sentence, if they differ enough to matter.
std::string drift_words(const Json& result) {
  constexpr double kNotableDrift = 5.0;  // kelvin
  Json coolest, hottest;
  for (const Json& each : elements_of(result, "by_clock")) {
    const auto temperature = number_of(each, "temperature_c");
    if (!temperature) continue;
    if (coolest.is_null() || *temperature < *number_of(coolest, "temperature_c")) coolest = each;
    if (hottest.is_null() || *temperature > *number_of(hottest, "temperature_c")) hottest = each;
  }
  if (coolest.is_null()) return {};
  const double low = *number_of(coolest, "temperature_c");
  const double high = *number_of(hottest, "temperature_c");
  if (high - low < kNotableDrift) return {};
  return fmt::format(
      "The board had {:.0f} °C at {} MHz and {:.0f} °C at {} MHz, so part of what clocks seem to save may be owed to "
      "temperature.",
      low, number_text(coolest, "clock_mhz"), high, number_text(hottest, "clock_mhz"));
}

PageCard sureness_of_methods(const Json& result, const std::vector<Json>& methods) {
  PageCard card{.question = "How sure that is", .figure = "Replayed once", .words = {}};
  card.words = {"Each method chose among recorded figures, and nothing was measured again.",
                "So the order holds for this recording. It has no interval."};
  std::size_t bases = 0, near = 0;
  for (const Json& method : methods) {
    if (!number_of(method, "base_clock_mhz")) continue;
    ++bases;
    near += finds_least(method) ? 1 : 0;
  }
  if (bases > 1)
    card.words.push_back(fmt::format(
        "Of the {1} clocks from which energy-to-solution+clocks can begin, {0} lead to within 1 % of the least.", near,
        bases));
  card.words.push_back(drift_words(result));
  return card;
}

PageCard trade_of_methods(const std::vector<Json>& methods) {
  PageCard card{.question = "What it is worth over the least time", .figure = "Not known", .words = {}};
  const Json& fastest = method_named(methods, "race-to-idle");
  const Json& least = method_named(methods, "global");
  const auto energy = number_of(least, "energy_j");
  const auto energy_of_fastest = number_of(fastest, "energy_j");
  const auto time = number_of(least, "time_ms");
  const auto time_of_fastest = number_of(fastest, "time_ms");
  if (!energy || !energy_of_fastest || !time || !time_of_fastest) {
    card.words.emplace_back("The fastest or the least energy is not among the methods.");
    return card;
  }
  card.figure = fmt::format("{:.1f} % less energy", 100.0 * (1.0 - *energy / *energy_of_fastest));
  card.words = {fmt::format("It costs {:.1f} % more time.", 100.0 * (*time / *time_of_fastest - 1.0)),
                fmt::format("The fastest configuration (race-to-idle) takes {} and {} a run.", method_joules(fastest),
                            time_text(fastest, "time_ms")),
                fmt::format("No recorded configuration takes less than {}.", method_joules(least))};
  return card;
}

PageSection answer_of_methods(const Json& result, const std::vector<Json>& methods) {
  PageSection section("answer", "The answer");
  section.add_cards({method_card(methods), sureness_of_methods(result, methods), trade_of_methods(methods)});
  for (const Json& doubt : elements_of(result, "doubts"))
    if (doubt.is_string()) section.add_warning(doubt.get<std::string>());
  return section;
}

PageSection next_of_methods(const Json& result, const std::vector<Json>& methods) {
  PageSection section("next", "What to do next");
  const Json best = cheapest_method(methods);
  if (!best.is_null())
    section.add_command("This tunes a kernel on a device by this method (SPEC is the file of the kernel):",
                        fmt::format("wattune tune SPEC --method {}", quoted_for_shell(text_of(best, "name"))));
  if (const std::string file = text_of(result, "file"); !file.empty()) {
    section.add_command("The page of the recording itself, with every configuration:",
                        fmt::format("wattune report {} --output recording.html", quoted_for_shell(file)));
    section.add_command("The same comparison again:",
                        fmt::format("wattune analyze {} --methods --json", quoted_for_shell(file)));
  }
  return section;
}

PageSection methods_section(const Json& result, const std::vector<Json>& methods) {
  PageSection section("methods", "The methods");
  PageTable table =
      PageTable::of(1, {"method", "energy", "over the least", "time", "evaluations", "configuration", "remark"});
  table.columns[5].is_number = table.columns[6].is_number = false;
  std::vector<report::IntervalLine> lines;
  for (const Json& method : methods) {
    const auto ratio = number_of(method, "energy_ratio");
    table.rows.push_back({method_text(method), method_joules(method), ratio ? fmt::format("{:.3f}", *ratio) : "",
                          time_text(method, "time_ms"), number_text(method, "evaluations"),
                          assignments_of(member_or_null(method, "configuration")), text_of(method, "remark")});
    if (ratio) lines.push_back({method_text(method), *ratio, *ratio, *ratio});
  }
  if (lines.empty())
    section.add_table("All methods", table);
  else
    section.add_picture(report::draw_intervals(lines, "energy of the choice over the least recorded"),
                        "How much energy the choice of each method takes, over the least recorded", table);
  section.add_words(
      text_of(result, "clocks_missing").empty() ? "" : fmt::format("Note: {}.", text_of(result, "clocks_missing")));
  return section;
}

// Shows the least energy at each clock, with the model that was fitted to it.
std::optional<PageSection> clocks_section(const Json& result) {
  PageTable table = PageTable::of(0, {"clock (MHz)", "least energy", "temperature (°C)"});
  report::EnergyPlot plot{.title = "The least energy at each clock", .measured = {}};
  for (const Json& each : elements_of(result, "by_clock")) {
    const auto clock = number_of(each, "clock_mhz");
    const auto energy = number_of(each, "least_energy_j");
    if (!clock || !energy) continue;
    plot.measured.emplace_back(*clock, *energy);
    const auto temperature = number_of(each, "temperature_c");
    table.rows.push_back({fmt::format("{:g}", *clock), fmt::format("{:.4g} J", *energy),
                          temperature ? fmt::format("{:.1f}", *temperature) : ""});
  }
  if (table.rows.size() < 2) return std::nullopt;
  PageSection section("clocks", "Clocks and joules");
  const Json& fit = member_or_null(result, "fit");
  if (const auto ridge = number_of(fit, "ridge_mhz")) {
    plot.ridge = *ridge;
    section.add_words(
        fmt::format("A model fitted to {} clocks of one code has its ridge at {:.0f} MHz, and the least "
                    "energy at {} MHz. Methods that it steers look at clocks near these.",
                    number_text(fit, "clocks"), *ridge, number_text(fit, "least_mhz")));
  }
  if (const Json& steered = member_or_null(fit, "steered_mhz");
      steered.is_array() && steered.size() == 2 && steered[0].is_number() && steered[1].is_number())
    plot.bands.push_back({"steered range", steered[0].get<double>(), steered[1].get<double>()});
  section.add_picture(report::plot_energy_svg(plot), "The least energy at each graphics clock", table);
  return section;
}

PageSection origin_of_methods(const Json& result, const std::string& file) {
  PageSection section("origin", "Origin");
  section.add_facts({{"kernel", text_of(result, "kernel")},
                     {"device", text_of(member_or_null(result, "device"), "name")},
                     {"correct configurations", number_text(result, "correct")},
                     {"failed", number_text(result, "failed")},
                     {"recording", text_of(result, "file")},
                     {"file", file}});
  return section;
}

std::string title_of_methods(const Json& result) {
  const std::string device = text_of(member_or_null(result, "device"), "name");
  return fmt::format("Methods for {}{}", text_of(result, "kernel"), device.empty() ? "" : " on " + device);
}

}  // namespace

std::vector<report::PagePart> parts_of_methods(const Json& document, const std::string& file) {
  std::vector<report::PagePart> parts;
  for (const Json& result : elements_of(document, "results")) {
    const std::vector<Json> methods = elements_of(result, "methods");
    if (methods.empty()) continue;
    report::PagePart part{.title = title_of_methods(result),
                          .sections = {answer_of_methods(result, methods), next_of_methods(result, methods),
                                       methods_section(result, methods)}};
    if (auto clocks = clocks_section(result)) part.sections.push_back(*std::move(clocks));
    part.sections.push_back(origin_of_methods(result, file));
    parts.push_back(std::move(part));
  }
  if (parts.empty())
    throw store::Malformed(
        "it has no methods (`wattune analyze --methods --json` writes them; `wattune report` shows "
        "all else of the results themselves)");
  return parts;
}

}  // namespace wattune::cli
