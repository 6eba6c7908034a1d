// Results: read from files, shown as dicts and columns, and written.
#include <algorithm>
#include <limits>
#include <numeric>

#include "cli/pages/report_file.h"
#include "report/interface/page.h"
#include "report/interface/tuning_page.h"
#include "results.h"
#include "table.h"
#include "wattune/dynamic/wisdom.h"
#include "wattune/store/formats.h"

namespace wattune::python {

namespace {

nb::object seconds(const std::optional<Statistics>& statistics) {
  if (!statistics) return nb::none();
  return nb::float_(to_seconds(statistics->median));
}

nb::object text_or_none(const std::string& text) {
  if (text.empty()) return nb::none();
  return nb::str(text.c_str());
}

// Sets a figure of a record. If a parameter has its name, the figure's gets an underscore behind it.
void set_figure(nb::dict& record, const char* name, const nb::object& value) {
  const nb::str key(name);
  if (record.contains(key))
    record[nb::str((std::string(name) + "_").c_str())] = value;
  else
    record[key] = value;
}

const Trial* best_of(const Results& results) {
  if (!results.result) return results.set.best();
  const std::optional<Trial>& best = results.result->best;
  if (!best) return nullptr;
  const auto found = std::ranges::find_if(results.set.trials, [&](const Trial& trial) {
    return trial.configuration.values() == best->configuration.values();
  });
  return found != results.set.trials.end() ? &*found : nullptr;
}

nb::object best_index(const Results& results) {
  const Trial* const best = best_of(results);
  if (best == nullptr) return nb::none();
  return nb::int_(best - results.set.trials.data());
}

// Returns the positions of the best `most` Trials, the best first; those without an objective come last.
std::vector<std::size_t> best_indices(const Results& results, std::size_t most) {
  const auto rank = [&](std::size_t index) {
    const Observation& observation = results.set.trials[index].observation;
    return observation.has_objective() ? observation.objective() : std::numeric_limits<double>::infinity();
  };
  std::vector<std::size_t> order(results.set.trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, rank);
  order.resize(std::min(most, order.size()));
  return order;
}

std::vector<std::string> parameter_names(const Results& results) {
  std::vector<std::string> names;
  for (const Parameter& parameter : results.set.info.parameters) names.push_back(parameter.name);
  return names;
}

nb::dict record(const Results& results, std::size_t index) {
  if (index >= results.set.trials.size()) throw nb::index_error("no such Trial");
  return record_of(results.set.trials[index]);
}

nb::list records(const Results& results) {
  nb::list all;
  for (const Trial& trial : results.set.trials) all.append(record_of(trial));
  return all;
}

// Returns the names of all metrics, in the order in which they first occur.
std::vector<std::string> metric_names(const std::vector<Trial>& trials) {
  std::vector<std::string> names;
  for (const Trial& trial : trials)
    for (const Metric& metric : trial.observation.metrics)
      if (std::ranges::find(names, metric.name) == names.end()) names.push_back(metric.name);
  return names;
}

nb::object metric_of(const Observation& observation, const std::string& name) {
  const auto found = std::ranges::find(observation.metrics, name, &Metric::name);
  if (found == observation.metrics.end()) return nb::none();
  return nb::float_(found->value);
}

nb::dict columns(const Results& results) {
  nb::dict all;
  const std::vector<Trial>& trials = results.set.trials;
  const auto column = [&](const auto& of) {
    nb::list values;
    for (const Trial& trial : trials) values.append(of(trial));
    return values;
  };
  for (std::size_t i = 0; i < results.set.info.parameters.size(); ++i)
    all[results.set.info.parameters[i].name.c_str()] =
        column([&](const Trial& trial) { return to_python(trial.configuration.values()[i]); });
  set_figure(all, "time", column([](const Trial& trial) { return seconds(trial.observation.statistics); }));
  set_figure(all, "status", column([](const Trial& trial) {
               return nb::str(std::string(to_string(trial.observation.status)).c_str());
             }));
  set_figure(all, "message", column([](const Trial& trial) { return text_or_none(trial.observation.message); }));
  for (const std::string& name : metric_names(trials))
    set_figure(all, name.c_str(), column([&](const Trial& trial) { return metric_of(trial.observation, name); }));
  return all;
}

nb::dict info(const Results& results) {
  const RunInfo& run = results.set.info;
  nb::dict info;
  info["kernel"] = run.kernel_name;
  info["language"] = run.kernel_language;
  info["problem_size"] = run.problem_size;
  info["device"] = run.device.name;
  info["selector"] = run.device.selector;
  info["driver_version"] = run.device.driver_version;
  info["wattune_version"] = run.wattune_version;
  nb::list constraints;
  for (const std::string& each : run.constraints) constraints.append(each);
  info["constraints"] = constraints;
  nb::list objectives;
  for (const Objective& each : run.objectives)
    objectives.append(nb::make_tuple(each.maximize ? "maximize" : "minimize", each.metric));
  info["objectives"] = objectives;
  return info;
}

nb::dict summary(const Results& results) {
  nb::dict summary;
  if (!results.result) return summary;
  const tune::TuningResult& result = *results.result;
  summary["evaluated"] = result.evaluated;
  summary["resumed"] = result.resumed;
  summary["skipped"] = result.skipped;
  summary["seconds"] = to_seconds(result.elapsed);
  summary["stop_reason"] = text_or_none(result.stop_reason ? result.stop_reason->text : std::string());
  summary["cancelled"] = result.stop_reason && result.stop_reason->cause == search::StopCause::cancelled;
  nb::list ties;
  for (const Trial& trial : result.ties) ties.append(record_of(trial));
  summary["ties"] = ties;
  summary["baseline"] = result.baseline ? nb::object(record_of(*result.baseline)) : nb::object(nb::none());
  const auto gain = result.best && result.baseline && result.baseline->observation.ok()
                        ? gain_over_default(result.best->observation, result.baseline->observation)
                        : std::nullopt;
  summary["gain"] = gain ? nb::object(nb::float_(*gain)) : nb::object(nb::none());
  return summary;
}

// Reads results; a table from a file that has records of another kind.
nb::object read(const std::filesystem::path& file) {
  if (dynamic::is_wisdom_file(file)) return *read_table(file);
  Result<ResultSet> loaded = Error(ErrorCode::internal, "not read");
  {
    const nb::gil_scoped_release released;
    loaded = store::load_results(file);
  }
  if (!loaded && loaded.error().code() == ErrorCode::parse_error)
    if (auto table = read_table(file)) return *std::move(table);
  return nb::cast(Results{value_or_raise(std::move(loaded)), std::nullopt});
}

void report(const Results& results, const std::string& name, const std::filesystem::path& file, bool overwrite) {
  const std::string page = report::to_html(report::tuning_page({results.set}, {name}));
  value_or_raise(store::write_file(file, page, overwrite));
}

void write_report(const std::string& source, const std::string& file, bool overwrite) {
  value_or_raise(cli::write_report({source}, file, overwrite));
}

Result<std::string> text_of(const ResultSet& results, const std::string& format) {
  if (format == "json") return store::write_json(results);
  if (format == "t4") return store::write_t4(results);
  if (format == "csv") return store::write_csv(results);
  if (format == "kernel_tuner") return store::write_kernel_tuner_cache(results);
  return wrong("unknown format", format).hint("json, t4, csv or kernel_tuner");
}

void write(const Results& results, const std::filesystem::path& file, const std::string& format, bool overwrite) {
  const std::string text = value_or_raise(text_of(results.set, format));
  value_or_raise(store::write_file(file, text, overwrite));
}

}  // namespace

nb::dict record_of(const Trial& trial) {
  const Observation& observation = trial.observation;
  nb::dict record = to_python(trial.configuration);
  set_figure(record, "time", seconds(observation.statistics));
  set_figure(record, "status", nb::str(std::string(to_string(observation.status)).c_str()));
  set_figure(record, "message", text_or_none(observation.message));
  set_figure(record, "verified", nb::bool_(observation.verified));
  nb::list samples;
  for (const Sample& sample : observation.samples) samples.append(to_seconds(sample.time));
  set_figure(record, "samples", samples);
  nb::dict phases;
  phases["compile"] = to_seconds(observation.phases.compile);
  phases["check"] = to_seconds(observation.phases.check);
  phases["measure"] = to_seconds(observation.phases.measure);
  set_figure(record, "phases", phases);
  for (const Metric& metric : observation.metrics) set_figure(record, metric.name.c_str(), nb::float_(metric.value));
  return record;
}

ResultSet all_of(RunInfo info, const std::vector<Trial>& earlier, std::vector<Trial> trials) {
  ResultSet all{.info = std::move(info), .trials = std::move(trials)};
  all.trials.insert(all.trials.begin(), earlier.begin(), earlier.end());
  keep_counting(all.trials);
  return all;
}

void bind_store(nb::module_& module) {
  nb::class_<Results>(module, "Results")
      .def("__len__", [](const Results& results) { return results.set.trials.size(); })
      .def("record", &record, nb::arg("index"))
      .def("records", &records)
      .def("columns", &columns)
      .def("best_index", &best_index)
      .def("best_indices", &best_indices, nb::arg("most"))
      .def("parameter_names", &parameter_names)
      .def("info", &info)
      .def("summary", &summary)
      .def("write", &write, nb::arg("file"), nb::arg("format"), nb::arg("overwrite"))
      .def("report", &report, nb::arg("name"), nb::arg("file"), nb::arg("overwrite"));
  module.def("read", &read, nb::arg("file"));
  module.def("write_report", &write_report, nb::arg("source"), nb::arg("file"), nb::arg("overwrite"));
}

}  // namespace wattune::python
