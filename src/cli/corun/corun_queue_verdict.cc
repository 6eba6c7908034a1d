// Describes the verdict on a queue: its fastest policy, and whether the rounds permit to name it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/corun/corun_queue.h"
#include "cli/program/text.h"

namespace wattune::cli {

namespace {

// Formats a list: "paired and split".
std::string names_of(const schedule::QueueReport& report, std::span<const std::size_t> places) {
  std::vector<std::string> names;
  for (const std::size_t place : places) names.push_back(report.policies[place].policy);
  if (names.size() == 1) return names.front();
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

// Returns why no policy is named; empty if the fastest policy may be named.
std::string withheld_text(const schedule::QueueReport& report) {
  const schedule::QueueVerdict& verdict = report.verdict;
  if (!verdict.standing) return "one round tells nothing of noise (--repeats 5)";
  if (!verdict.is_withheld()) return "";
  return fmt::format(
      "fifo should take what its works take alone, {}; {}. Something else runs here, or the host takes long for such "
      "works",
      format_time(report.in_turn), off_text(*verdict.control, *verdict.claimed));
}

// Returns the fastest policy and those that may be as fast.
std::vector<std::size_t> leaders_of(const schedule::Standing& standing) {
  std::vector<std::size_t> leaders = standing.ties;
  leaders.insert(leaders.begin(), standing.fastest);
  return leaders;
}

Json names_json(const schedule::QueueReport& report, const std::vector<std::size_t>& places) {
  Json json = Json::array();
  for (const std::size_t place : places) json.push_back(report.policies[place].policy);
  return json;
}

}  // namespace

std::string verdict_text(const schedule::QueueReport& report) {
  const schedule::QueueVerdict& verdict = report.verdict;
  if (report.policies.size() < 2) return "";
  if (const std::string why = withheld_text(report); !why.empty()) return fmt::format("No verdict: {}.\n", why);
  const std::vector<std::size_t> leaders = leaders_of(*verdict.standing);
  if (leaders.size() == 1)
    return fmt::format("Fastest: {}, {} over {}.\n", names_of(report, leaders), gain_text(*verdict.claimed),
                       report.policies[verdict.base].policy);
  return fmt::format("No difference beyond noise between {}{}.\n", names_of(report, leaders),
                     leaders.size() == report.policies.size() ? "" : ", which are the fastest");
}

Json orders_json(const schedule::QueueReport& report) {
  Json json = Json::array();
  for (const std::vector<std::size_t>& order : report.rounds.orders) json.push_back(names_json(report, order));
  return json;
}

Json verdict_json(const schedule::QueueReport& report) {
  const schedule::QueueVerdict& verdict = report.verdict;
  Json json = {{"fastest", nullptr}, {"ties", nullptr},     {"over", nullptr},
               {"gain", nullptr},    {"interval", nullptr}, {"control", control_json(verdict.control)},
               {"withheld", nullptr}};
  if (report.policies.size() < 2) return json;
  if (std::string why = withheld_text(report); !why.empty()) return json["withheld"] = std::move(why), json;
  json["ties"] = verdict.standing->ties.empty() ? Json::array() : names_json(report, leaders_of(*verdict.standing));
  if (!verdict.standing->ties.empty()) return json;
  json["fastest"] = report.policies[verdict.standing->fastest].policy;
  json["over"] = report.policies[verdict.base].policy;
  json["gain"] = verdict.claimed->gain;
  json["interval"] = interval_json(verdict.claimed);
  return json;
}

}  // namespace wattune::cli
