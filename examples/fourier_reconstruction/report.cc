#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>

namespace fourier {
namespace {

using namespace wattune;
using nlohmann::json;

using Figure = std::function<double(const Pair&)>;

// Returns the mean of a figure over the pairs, and the standard deviation of a single pair.
json spread(const std::vector<Pair>& pairs, const Figure& figure) {
  const auto count = static_cast<double>(pairs.size());
  double mean = 0.0;
  for (const Pair& pair : pairs) mean += figure(pair) / count;
  double squares = 0.0;
  for (const Pair& pair : pairs) squares += std::pow(figure(pair) - mean, 2);
  return {{"mean", mean}, {"deviation", count > 1.0 ? std::sqrt(squares / (count - 1.0)) : 0.0}};
}

double highest(const std::vector<Pair>& pairs, const Figure& figure) {
  double result = 0.0;
  for (const Pair& pair : pairs) result = std::max(result, figure(pair));
  return result;
}

Nanoseconds sum_of(const std::vector<Nanoseconds>& times) {
  return std::accumulate(times.begin(), times.end(), Nanoseconds());
}

double mean_ms(const std::vector<Nanoseconds>& times) {
  return times.empty() ? 0.0 : to_ms(sum_of(times)) / static_cast<double>(times.size());
}

// Returns the mean share over all pairs, or null if a run made too few calls after the last one that explored.
json share_of_own_bound(const std::vector<Pair>& pairs) {
  if (!std::all_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.share_of_own_bound(); })) return {};
  return spread(pairs, [](const Pair& pair) { return *pair.share_of_own_bound(); });
}

// Returns the time of all calls by equation 3 of Petrovic et al. 2020. Each call that does not explore is taken to last
// `call`.
Nanoseconds time_of_bound(const Run& run, Nanoseconds call) {
  return sum_of(run.exploring) + call * static_cast<double>(run.calls - run.exploring.size());
}

json number_or_null(std::optional<double> number) { return number ? json(*number) : json(); }
json ms_or_null(const std::optional<Nanoseconds>& time) { return time ? json(to_ms(*time)) : json(); }

json to_json(const dynamic::TriedReport& tried) {
  return {{"configuration", tried.configuration.to_string()},
          {"expected_ms", ms_or_null(tried.expected)},
          {"ms", ms_or_null(tried.time)},
          {"best_ms", ms_or_null(tried.best)},
          {"offered_at", tried.offered_at},
          {"decided_at", tried.decided_at},
          {"outcome", tried.outcome == dynamic::TriedOutcome::failed ? tried.why_failed : to_string(tried.outcome)}};
}

// Returns a key's report as JSON, with the facts that explain why its best configuration was chosen.
json to_json(const dynamic::KeyReport& key) {
  json tried = json::array();
  for (const dynamic::TriedReport& each : key.tried) tried.push_back(to_json(each));
  return {{"explored", key.explored}, {"failed", key.failed}, {"state", key.state}, {"tried", tried}};
}

json to_json(const dynamic::Stalls& stalls) {
  return {{"loading_ms", to_ms(stalls.loading)},
          {"exploring_ms", to_ms(stalls.exploring)},
          {"comparing_ms", to_ms(stalls.comparing)},
          {"screening_ms", to_ms(stalls.screening)},
          {"waiting_ms", to_ms(stalls.waiting)}};
}

json to_json(const std::vector<dynamic::KeyReport>& keys) {
  json all = json::array();
  for (const dynamic::KeyReport& key : keys) all.push_back(to_json(key));
  return all;
}

json to_json(const std::vector<Stretch>& stretches) {
  json sending = json::array();
  json waiting = json::array();
  for (const Stretch& each : stretches) {
    sending.push_back(to_ms(each.sending) / static_cast<double>(each.calls));
    waiting.push_back(to_ms(each.waiting) / static_cast<double>(each.calls));
  }
  return {{"calls", kStretch}, {"sending_ms", sending}, {"waiting_ms", waiting}};
}

json to_json(const Run& run) {
  return {{"calls", run.calls},
          {"call_ms", to_ms(run.call())},
          {"longest_call_ms", to_ms(run.longest_call)},
          {"stretches", to_json(run.stretches)},
          {"explored", run.explored},
          {"exploring_calls", run.exploring.size()},
          {"exploring_call_ms", mean_ms(run.exploring)},
          {"overhead_share", run.overhead_share},
          {"longest_stall_ms", to_ms(run.longest_stall)},
          {"blocked_ms", to_ms(run.blocked)},
          {"correlation", run.likeness.correlation},
          {"density_error", run.likeness.density_error},
          {"refused_results", run.refused},
          {"is_wrong", run.is_wrong},
          {"keys", to_json(run.keys)},
          {"stalls", to_json(run.stalls)},
          {"best", run.best ? run.best->to_string() : ""}};
}

json to_json(const Optimum& optimum) {
  return {{"configuration", optimum.configuration.to_string()},
          {"kernel_ms", to_ms(optimum.time)},
          {"average_kernel_ms", to_ms(optimum.average)},
          {"measured", optimum.measured}};
}

json to_json(const std::vector<Pair>& pairs) {
  json runs = json::array();
  for (const Pair& pair : pairs)
    runs.push_back({{"oracle", to_json(pair.oracle)},
                    {"tuned", to_json(pair.tuned)},
                    {"share_of_optimum", pair.share()},
                    {"bound", pair.bound()},
                    {"share_of_own_bound", number_or_null(pair.share_of_own_bound())}});
  return runs;
}

}  // namespace

double Pair::bound() const {
  return oracle.call() * static_cast<double>(tuned.calls) / time_of_bound(tuned, oracle.call());
}

std::optional<double> Pair::share_of_own_bound() const {
  if (tuned.settled.calls < kStretch) return {};
  return time_of_bound(tuned, tuned.settled.elapsed / static_cast<double>(tuned.settled.calls)) / tuned.elapsed;
}

json to_json(const std::string& device, const Options& options, const Optimum& optimum,
             const std::vector<Pair>& pairs) {
  const json share = spread(pairs, [](const Pair& pair) { return pair.share(); });
  const auto is_wrong = [](const Pair& pair) { return pair.oracle.is_wrong || pair.tuned.is_wrong; };
  return {{"device", device},
          {"size", options.size},
          {"samples", options.samples},
          {"share_of_optimum", share["mean"]},
          {"share_deviation", share["deviation"]},
          {"bound", spread(pairs, [](const Pair& pair) { return pair.bound(); })},
          {"share_of_bound", spread(pairs, [](const Pair& pair) { return pair.share() / pair.bound(); })},
          {"share_of_own_bound", share_of_own_bound(pairs)},
          {"overhead_share", spread(pairs, [](const Pair& pair) { return pair.tuned.overhead_share; })["mean"]},
          {"longest_stall_ms", highest(pairs, [](const Pair& pair) { return to_ms(pair.tuned.longest_stall); })},
          {"explored",
           std::llround(highest(pairs, [](const Pair& pair) { return static_cast<double>(pair.tuned.explored); }))},
          {"wrong_results", std::count_if(pairs.begin(), pairs.end(), is_wrong)},
          {"optimum", to_json(optimum)},
          {"runs", to_json(pairs)}};
}

void print(const json& result) {
  const auto number = [](const json& value) { return value.get<double>(); };
  const json& optimum = result["optimum"];
  std::printf("%s, samples of %d x %d, %d in a call\n", result["device"].get<std::string>().c_str(),
              result["size"].get<int>(), result["size"].get<int>(), result["samples"].get<int>());
  std::printf("optimum     %s: %.3f ms; the average of %d is %.3f ms\n",
              optimum["configuration"].get<std::string>().c_str(), number(optimum["kernel_ms"]),
              optimum["measured"].get<int>(), number(optimum["average_kernel_ms"]));
  for (const json& run : result["runs"])
    std::printf("run         %.3f ms a call, %.3f ms with the optimum known, %d explored, correlation %.4f%s\n",
                number(run["tuned"]["call_ms"]), number(run["oracle"]["call_ms"]), run["tuned"]["explored"].get<int>(),
                number(run["tuned"]["correlation"]),
                run["tuned"]["is_wrong"].get<bool>() || run["oracle"]["is_wrong"].get<bool>() ? ", WRONG" : "");
  std::printf("share       %.2f %% of the optimum's speed, deviation %.2f %%; %.2f %% of what equation 3 allows\n",
              100.0 * number(result["share_of_optimum"]), 100.0 * number(result["share_deviation"]),
              100.0 * number(result["share_of_bound"]["mean"]));
  if (const json& own = result["share_of_own_bound"]; !own.is_null())
    std::printf("own bound   %.2f %% of what it allows with the kernel found, deviation %.2f %%\n",
                100.0 * number(own["mean"]), 100.0 * number(own["deviation"]));
  std::printf("stalls      %.2f %% of the time, %.3f ms at most\n", 100.0 * number(result["overhead_share"]),
              number(result["longest_stall_ms"]));
}

}  // namespace fourier
