#include "wire.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "store/interface/sealed_line.h"

namespace wattune::python {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of a reply
constexpr std::string_view kEvaluate = "evaluate";
constexpr std::string_view kContest = "contest";

Error malformed(std::string message) { return {ErrorCode::parse_error, std::move(message)}; }

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Decodes the line of a Trial of this configuration.
Result<Observation> observation_of(std::string_view line, const Configuration& asked,
                                   const store::TrialDecoder& decoder) {
  WATTUNE_ASSIGN(Trial trial, decoder.decode(line));
  if (trial.configuration.id() != asked.id() || trial.configuration.values() != asked.values())
    return malformed("the reply is about another configuration than the one that was asked for");
  return std::move(trial.observation);
}

store::Json json_of(const measure::Turn& turn) {
  store::Json json = store::Json::array(
      {turn.sample.time.value(), nullptr, turn.sample.throttled, turn.objective, turn.spent.value()});
  if (turn.sample.clock) json[1] = turn.sample.clock->value();
  return json;
}

double number(const store::Json& json) {
  if (json.is_null()) return std::numeric_limits<double>::infinity();
  if (!json.is_number()) throw store::Malformed("a turn has no number where it needs one");
  return json.get<double>();
}

measure::Turn turn_from(const store::Json& json) {
  constexpr std::size_t kMembers = 5;
  if (!json.is_array() || json.size() != kMembers || !json[2].is_boolean())
    throw store::Malformed("a turn of the contest is not as it should be");
  measure::Turn turn{.sample = {.time = Nanoseconds(number(json[0])), .clock = {}, .throttled = json[2].get<bool>()},
                     .objective = number(json[3]),
                     .spent = Nanoseconds(number(json[4]))};
  if (!json[1].is_null()) turn.sample.clock = Megahertz(number(json[1]));
  if (!is_measurable(turn.sample.time)) throw store::Malformed("a turn of the contest has a time that cannot be true");
  return turn;
}

measure::Rounds rounds_from(std::string_view line, std::size_t contestants) {
  store::JsonLimits limits;
  const store::Json json = store::parse_line(line, limits);
  if (!json.is_array() || json.size() != contestants)
    throw store::Malformed("the contest has other contestants than were asked for");
  measure::Rounds rounds;
  for (const store::Json& each : json) {
    if (!each.is_array()) throw store::Malformed("the turns of a contestant are no list");
    std::vector<measure::Turn>& turns = rounds.emplace_back();
    for (const store::Json& turn : each) turns.push_back(turn_from(turn));
  }
  return rounds;
}

Result<std::vector<std::string_view>> lines_of(std::string_view reply) {
  if (reply.size() > kMostBytes) return malformed("the reply is longer than 1 MiB");
  return split(reply, '\n');
}

}  // namespace

std::string write_request(bool is_contest, std::span<const Configuration> configurations) {
  std::string text(is_contest ? kContest : kEvaluate);
  for (const Configuration& each : configurations) text += " " + to_string(each.id());
  return text;
}

Result<Request> parse_request(std::string_view text, const space::SearchSpace& space) {
  const std::vector<std::string_view> words = split(text, ' ');
  if (words.size() < 2 || (words[0] != kContest && words[0] != kEvaluate))
    return malformed("the request is neither to evaluate a configuration nor to hold a contest");
  Request request{.is_contest = words[0] == kContest, .configurations = {}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::optional<Uint128> id = parse_uint128(words[i]);
    if (!id || *id >= space.count())
      return Error(ErrorCode::out_of_range, "the space has no configuration of this id").about(std::string(words[i]));
    request.configurations.push_back(space.configuration(*id));
  }
  return request;
}

std::string write_evaluation(const std::string& line, Nanoseconds turn_overhead) {
  return line + fmt::format("{}\n", turn_overhead.value());
}

std::string write_contest(const std::vector<std::string>& lines, const measure::Rounds& rounds) {
  std::string text;
  for (const std::string& line : lines) text += line;
  store::Json json = store::Json::array();
  for (const std::vector<measure::Turn>& turns : rounds) {
    store::Json all = store::Json::array();
    for (const measure::Turn& turn : turns) all.push_back(json_of(turn));
    json.push_back(std::move(all));
  }
  if (!lines.empty()) text += store::dump(json) + "\n";
  return text;
}

Result<Evaluation> parse_evaluation(std::string_view reply, const Configuration& asked,
                                    const store::TrialDecoder& decoder) {
  WATTUNE_ASSIGN(const auto lines, lines_of(reply));
  if (lines.size() != 2) return malformed("the reply to an evaluation does not have two lines");
  WATTUNE_ASSIGN(Observation observation, observation_of(lines[0], asked, decoder));
  double overhead = 0.0;
  const char* const end = lines[1].data() + lines[1].size();
  const auto [read, error] = std::from_chars(lines[1].data(), end, overhead);
  if (error != std::errc() || read != end || !(overhead >= 0.0) || !std::isfinite(overhead))
    return malformed("the second line of the reply is no time");
  return Evaluation{std::move(observation), Nanoseconds(overhead)};
}

Result<tune::Contest> parse_contest(std::string_view reply, std::span<const Configuration> asked,
                                    const store::TrialDecoder& decoder) {
  WATTUNE_ASSIGN(const auto lines, lines_of(reply));
  tune::Contest contest;
  if (lines.empty()) return contest;
  if (lines.size() != asked.size() + 1) return malformed("the contest has other contestants than were asked for");
  for (std::size_t i = 0; i < asked.size(); ++i) {
    WATTUNE_ASSIGN(contest.observations.emplace_back(), observation_of(lines[i], asked[i], decoder));
  }
  WATTUNE_ASSIGN(contest.rounds, store::guard({}, [&] { return rounds_from(lines.back(), asked.size()); }));
  return contest;
}

}  // namespace wattune::python
