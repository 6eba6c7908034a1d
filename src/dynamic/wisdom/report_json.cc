#include "store/interface/document.h"
#include "wattune/dynamic/statistics.h"

namespace wattune::inline v0_1::dynamic {

namespace {

using store::Json;

constexpr int kReportFormat = 1;  // version of the document

Json ms_or_null(const std::optional<Nanoseconds>& time) { return time ? Json(to_ms(*time)) : Json(nullptr); }

Json values_of(const Key& key) {
  Json json = Json::object();
  for (const KeyPart& part : key) json[part.name] = store::value_to_json(part.value);
  return json;
}

Json values_of(const Configuration& configuration) {
  Json json = Json::object();
  for (std::size_t i = 0; i < configuration.names().size(); ++i)
    json[configuration.names()[i]] = store::value_to_json(configuration.values()[i]);
  return json;
}

Json tried_json(const TriedReport& tried) {
  return {{"configuration", values_of(tried.configuration)},
          {"expected_ms", ms_or_null(tried.expected)},
          {"time_ms", ms_or_null(tried.time)},
          {"best_ms", ms_or_null(tried.best)},
          {"offered_at", tried.offered_at},
          {"decided_at", tried.decided_at},
          {"outcome", to_string(tried.outcome)},
          {"why_failed", tried.why_failed}};
}

Json failed_json(const FailedReport& failed) {
  return {{"configuration", values_of(failed.configuration)},
          {"status", to_string(failed.status)},
          {"message", failed.message}};
}

Json key_json(const KeyReport& key) {
  Json json = {{"key", values_of(key.key)},
               {"best", key.best ? values_of(*key.best) : Json(nullptr)},
               {"time_ms", ms_or_null(key.time)},
               {"calls", key.calls},
               {"explored", key.explored},
               {"failed", key.failed},
               {"state", key.state},
               {"tried", Json::array()},
               {"failures", Json::array()}};
  for (const TriedReport& tried : key.tried) json["tried"].push_back(tried_json(tried));
  for (const FailedReport& failed : key.failures) json["failures"].push_back(failed_json(failed));
  return json;
}

Json kernel_json(const KernelReport& kernel) {
  Json json = {{"kernel", kernel.kernel},
               {"calls", kernel.calls},
               {"explored", kernel.explored},
               {"fallbacks", kernel.fallbacks},
               {"blocked_ms", to_ms(kernel.blocked)},
               {"wrong_results", kernel.wrong_results},
               {"keys", Json::array()}};
  for (const KeyReport& key : kernel.keys) json["keys"].push_back(key_json(key));
  return json;
}

Json stalls_json(const Stalls& stalls) {
  return {{"loading", to_ms(stalls.loading)},
          {"exploring", to_ms(stalls.exploring)},
          {"comparing", to_ms(stalls.comparing)},
          {"screening", to_ms(stalls.screening)},
          {"waiting", to_ms(stalls.waiting)}};
}

}  // namespace

std::string report_json(const Report& report) {
  Json json = {{"wattune_tuner", kReportFormat},
               {"running_ms", to_ms(report.running)},
               {"saved_ms", to_ms(report.saved)},
               {"longest_stall_ms", to_ms(report.longest_stall)},
               {"stalls_ms", stalls_json(report.stalls)},
               {"histogram", report.histogram.counts},
               {"loads", report.loads},
               {"loads_in_gaps", report.loads_in_gaps},
               {"notes", report.notes},
               {"kernels", Json::array()}};
  for (const KernelReport& kernel : report.kernels) json["kernels"].push_back(kernel_json(kernel));
  return store::dump(json) + "\n";
}

}  // namespace wattune::dynamic
