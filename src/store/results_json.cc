#include <fmt/format.h>

#include "store/json_text.h"
#include "store/recorded.h"
#include "store/results_json.h"
#include "store/run_json.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {

namespace {

// The version of the format. Version 1 did not record the identity of its Trials.
constexpr std::uint64_t kResultsFormat = 2;

Trial trial_from_json(const Json& json, const Configuration::Names& names) {
  Configuration configuration(id_from_json(json), names, values_by_name(object_member(json, "configuration"), *names));
  Measured measured = measured_from_json(json);
  return {std::move(configuration), std::move(measured.observation), measured.finished_at, std::move(measured.device)};
}

ResultSet read_results(const Document& document) {
  if (const std::uint64_t version = count_member(document.head, "wattune_results"); version > kResultsFormat)
    throw Malformed(fmt::format("the results have format {}, this Wattune reads up to {}", version, kResultsFormat));
  ResultSet results;
  results.info = run_info_from_json(document.head);
  const Configuration::Names names = names_of(results.info.parameters);
  for (std::size_t i = 0; i < document.entries.size(); ++i) {
    try {
      results.trials.push_back(trial_from_json(document.entries[i], names));
    } catch (const Malformed& malformed) {
      throw Malformed(fmt::format("trial {}: {}", i + 1, malformed.what()));
    }
  }
  return results;
}

}  // namespace

std::string run_text(const RunInfo& info) {
  Json head;
  head["wattune_results"] = kResultsFormat;
  add_run_info(head, info);
  return dump(head);
}

std::string configuration_text(const Configuration& configuration) {
  return dump(configuration_to_json(configuration));
}

std::string trial_text(const Trial& trial) {
  std::string text = fmt::format("{{\"id\":\"{}\",\"configuration\":{},", to_string(trial.configuration.id()),
                                 configuration_text(trial.configuration));
  append_measured(text, trial);
  return text += '}';
}

Result<ResultSet> read_json(const Document& document, const std::filesystem::path& file) {
  return guard(position_in(file), [&] { return read_results(document); });
}

std::string write_json(const ResultSet& results) {
  std::string text = run_text(results.info);
  text.pop_back();
  text += ",\n\"trials\":[";
  const char* separator = "\n";
  for (const Trial& trial : results.trials) {
    text += separator + trial_text(trial);
    separator = ",\n";
  }
  return text += "\n]}\n";
}

}  // namespace wattune::store
