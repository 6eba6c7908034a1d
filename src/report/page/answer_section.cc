#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/interface/energy.h"
#include "core/interface/printable.h"
#include "core/interface/wording.h"
#include "report/best_table.h"
#include "report/interface/analysis.h"
#include "report/interface/text.h"
#include "report/page/limit_card.h"
#include "report/page/tuning_sections.h"
#include "report/time_text.h"

namespace wattune::inline v0_1::report {

namespace {

bool is_default(const TuningRun& run) { return run.standard == &run.best(); }

// Returns the metric that was searched for; nullptr if it is the time, or an expression.
const Metric* sought_metric(const TuningRun& run, const Trial& trial) {
  if (!run.objective) return nullptr;
  const std::vector<Metric>& metrics = trial.observation.metrics;
  const auto found = std::ranges::find(metrics, run.objective->metric, &Metric::name);
  return found == metrics.end() ? nullptr : &*found;
}

// Returns the objective with its unit, or else with its name. Without an objective this is the time.
std::string result_text(const TuningRun& run, const Trial& trial) {
  if (!run.objective) return time_text(time_of(trial));
  const Metric* const metric = sought_metric(run, trial);
  const bool has_unit = metric != nullptr && !metric->unit.empty();
  return fmt::format("{} {}", objective_text(trial, *run.objective), has_unit ? metric->unit : run.objective->metric);
}

// Returns the values of the parameters that vary, with the default's where it has another.
std::vector<PageChip> chips_of(const TuningRun& run) {
  std::vector<PageChip> chips;
  const std::vector<Value>& values = run.best().configuration.values();
  const std::vector<Value>& standard = run.results.info.default_values;
  for (const std::size_t i : varied_parameters(run.results)) {
    PageChip& chip = chips.emplace_back(PageChip{run.results.info.parameters[i].name, values[i].to_string()});
    if (i < standard.size() && !(standard[i] == values[i])) chip.note = "default " + standard[i].to_string();
  }
  return chips;
}

PageCard winner_card(const TuningRun& run) {
  PageCard card{.question = "What won", .figure = result_text(run, run.best()), .words = {}, .chips = chips_of(run)};
  if (run.objective)
    card.words.push_back(fmt::format("The search was for the {} {}. One run takes {}.",
                                     run.objective->maximize ? "most" : "least", printable(run.objective->metric),
                                     time_text(time_of(run.best()))));
  if (is_default(run)) card.words.emplace_back("This is the default configuration.");
  if (card.chips.empty()) card.words.push_back(run.best().configuration.to_string());
  return card;
}

std::size_t count_finalists(const TuningRun& run) {
  return static_cast<std::size_t>(
      std::ranges::count_if(run.ranked, [&](const Trial* trial) { return ran_beside(*trial, run.best()); }));
}

// Returns how many others an objective with this uncertainty does not tell from the best.
std::size_t count_within_uncertainty(const TuningRun& run, const Metric& best) {
  const double sign = run.objective->maximize ? -1.0 : 1.0;
  const double reach = sign * best.value + best.uncertainty.value_or(0.0);
  return static_cast<std::size_t>(std::count_if(run.ranked.begin() + 1, run.ranked.end(), [&](const Trial* trial) {
    const Metric* const metric = sought_metric(run, *trial);
    return metric != nullptr && sign * metric->value - metric->uncertainty.value_or(0.0) <= reach;
  }));
}

// Returns the verdict on an objective that no final decided.
PageCard certainty_of_objective(const TuningRun& run) {
  PageCard card{.question = "How sure that is", .figure = "Not decided in a final", .words = {}};
  const Metric* const metric = sought_metric(run, run.best());
  if (metric == nullptr || !metric->uncertainty) {
    card.words.emplace_back("No final was held, and the objective has no interval.");
    return card;
  }
  const std::size_t level = count_within_uncertainty(run, *metric);
  card.figure = level == 0 ? "Likely" : fmt::format("Level with {} more", group_digits(level));
  card.words.push_back(fmt::format("Its {} is known to {:.1f} %, and no final was held.", printable(metric->name),
                                   100.0 * *metric->uncertainty / std::max(std::abs(metric->value), 1e-300)));
  card.words.push_back(level == 0 ? "No other configuration comes so near."
                                  : fmt::format("{} so near that it cannot be told from them.",
                                                level == 1 ? "One other comes" : group_digits(level) + " others come"));
  return card;
}

// Returns the verdict on the ranking in a few words, with the reasons below it.
PageCard certainty_of_rank(const TuningRun& run) {
  const std::size_t level = count_level(run.ranked);
  PageCard card{.question = "How sure that is", .figure = {}, .words = {}};
  if (is_winner(run.best())) {
    card.figure = level == 0 ? "Decided in a final" : fmt::format("Level with {} more", group_digits(level));
    card.words.push_back(
        fmt::format("It won the final, in which {} ran in turns.", counted(count_finalists(run), "configuration")));
    card.words.push_back(level == 0 ? "No other one of them came level with it."
                                    : fmt::format("{} of them cannot be told from it and {} as good a choice.",
                                                  group_digits(level), level == 1 ? "is" : "are"));
    return card;
  }
  if (run.objective) return certainty_of_objective(run);
  if (!statistics_of(run.best()).confidence) {
    card.figure = "Not known";
    card.words.emplace_back("Its samples are too few for an interval, and no final was held.");
  } else if (level > 0) {
    card.figure = fmt::format("Level with {} more", group_digits(level));
    card.words.push_back(fmt::format("The intervals of {} more meet its own, and no final decided between them.",
                                     counted(level, "configuration")));
  } else {
    card.figure = "Likely";
    card.words.emplace_back("No other interval meets its own.");
    card.words.emplace_back("No final was held, so the times are those of different moments.");
  }
  return card;
}

std::string interval_words(const Trial& best) {
  const Statistics& statistics = statistics_of(best);
  if (!statistics.confidence) return {};
  return fmt::format("Its median time of {} lies between {} and {} ({:.0f} %).", time_text(statistics.median),
                     time_text(statistics.interval_low), time_text(statistics.interval_high),
                     100.0 * *statistics.confidence);
}

std::string check_words(const TuningRun& run) {
  const Observation& best = run.best().observation;
  if (best.verified) return "Its output was compared and is right.";
  if (run.results.info.identity.empty()) return "The file does not say whether its output was compared.";
  return fmt::format("Its output was not compared: {}.",
                     best.message.empty() ? "there is no reference" : printable(best.message));
}

std::string search_words(const TuningRun& run) {
  const std::size_t all = run.results.trials.size();
  if (has_all_combinations(run))
    return fmt::format("All {} of the values were evaluated, so that no other is left to try.",
                       counted(counting(run.results.trials).size(), "combination"));
  const std::size_t last = last_improvement(run.results);
  if (all < 2 || last == 0) return {};
  if (last == all) return fmt::format("The search found it with the last of {} evaluations.", group_digits(all));
  return fmt::format("The search found nothing better after evaluation {} of {}.", group_digits(last),
                     group_digits(all));
}

std::string throttling_words(const TuningRun& run) {
  const std::vector<Sample>& samples = run.best().observation.samples;
  const auto held_back = std::ranges::count_if(samples, &Sample::throttled);
  if (held_back == 0) return {};
  return fmt::format("Power or heat held the clock down in {} of its {} samples.", held_back, samples.size());
}

PageCard certainty_card(const TuningRun& run) {
  PageCard card = certainty_of_rank(run);
  for (std::string words : {interval_words(run.best()), check_words(run), search_words(run), throttling_words(run)})
    if (!words.empty()) card.words.push_back(std::move(words));
  return card;
}

// Returns the number of launches that pay the search back; empty if the best saves no time.
std::string payback_words(const TuningRun& run) {
  const Nanoseconds saved = time_of(*run.standard) - time_of(run.best());
  const Nanoseconds cost = cost_of_all(run.results);
  if (run.objective || saved <= Nanoseconds() || cost <= Nanoseconds() || !(cost / saved < 1e15)) return {};
  return fmt::format("Each run saves {}. The evaluations took {}, which {} pay back.", time_text(saved),
                     duration_text(cost), counted(static_cast<std::uint64_t>(cost / saved) + 1, "run"));
}

// Compares the best with the median of all correct configurations, where nothing is known of the default.
std::string median_words(const TuningRun& run) {
  const Distribution spread = distribution_of(run.results);
  const bool maximize = run.objective && run.objective->maximize;
  const double factor = maximize ? spread.best / spread.median : spread.median / spread.best;
  if (spread.correct < 2 || !(factor >= 1.0 && factor < 1e9)) return {};
  return fmt::format("It is {} as {} as the median of the {}.", times_text(factor), run.objective ? "good" : "fast",
                     counted(spread.correct, "correct configuration"));
}

PageCard worth_card(const TuningRun& run) {
  PageCard card{.question = "What it is worth over the default", .figure = "Not known", .words = {}};
  const Trial* const standard = default_trial(run.results);
  if (standard == nullptr) {
    card.words = {"The default configuration was not recorded.", median_words(run)};
  } else if (run.standard == nullptr) {
    card.figure = "The default fails";
    card.words.push_back(
        fmt::format("The default configuration failed ({}).", to_string(standard->observation.status)));
    card.words.push_back(median_words(run));
  } else if (is_default(run)) {
    card.figure = "Nothing";
    card.words.emplace_back("No other configuration proved better than the default.");
  } else if (const auto gain = gain_over_default(run.best().observation, standard->observation)) {
    card.figure = times_text(*gain) + (run.objective ? " as good" : " as fast");
    card.words.push_back(
        fmt::format("The default {} {}.", run.objective ? "has" : "takes", result_text(run, *standard)));
    if (const auto& paired = run.best().observation.over_default)
      card.words.push_back(
          fmt::format("Both ran in turns: the gain lies between {:.2f} and {:.2f} (95 %).", paired->low, paired->high));
    else
      card.words.emplace_back(ran_beside(*standard, run.best())
                                  ? "This is the ratio of their medians in the final."
                                  : "This is the ratio of two medians that were not measured in turns.");
    if (std::string words = payback_words(run); !words.empty()) card.words.push_back(std::move(words));
  } else {
    card.words.emplace_back("The default configuration has no value that could be compared.");
  }
  return card;
}

void add_nothing_won(const TuningRun& run, PageSection& section) {
  const std::size_t all = run.results.trials.size();
  const bool any_correct = std::ranges::any_of(run.results.trials, [](const Trial& t) { return t.observation.ok(); });
  PageCard card{.question = "What won", .figure = "Nothing", .words = {}};
  if (all == 0)
    card.words.emplace_back("No configuration was evaluated.");
  else if (any_correct)
    card.words.emplace_back("No correct configuration has a value of the objective.");
  else
    card.words.push_back(fmt::format("None of {} gave a correct result.", counted(all, "evaluation")));
  section.add_cards({card});
}

}  // namespace

PageSection answer_section(const TuningRun& run) {
  PageSection section("answer", "The answer");
  if (!run.has_answer()) {
    add_nothing_won(run, section);
    return section;
  }
  section.add_cards({winner_card(run), certainty_card(run), worth_card(run), limit_card(run)});
  section.add_warning(warning_of(run.best().observation.metrics));
  if (run.results.info.device.kind == DeviceKind::simulated)
    section.add_warning("These results were replayed or simulated, not measured in this run.");
  return section;
}

}  // namespace wattune::report
