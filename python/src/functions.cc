// Python functions as the library's: whatever one raises is kept, and ends the run after its Trial.
#include "functions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "results.h"

namespace wattune::python {

namespace {

// Calls Python for a value; an exception also cancels the run.
template <typename Function>
auto called(Ending& ending, Function&& function) {
  auto result = guarded(*ending.raised, std::forward<Function>(function));
  if (!result) ending.cancel = true;
  return result;
}

class Meter : public tune::Observer {
 public:
  Meter(nb::handle object, std::vector<std::string> metrics, Ending& ending)
      : object_(object), metrics_(std::move(metrics)), ending_(ending) {}

  std::vector<std::string> metrics() const override { return metrics_; }

  // Keeps an exception until the measurement is over, so that its Trial is kept, too.
  Result<void> begin(const Configuration& configuration) override {
    [[maybe_unused]] const auto done = called(ending_, [&] {
      object_.attr("begin")(to_python(configuration));
      return true;
    });
    return {};
  }
  Result<std::vector<Metric>> end(std::span<const Sample> runs) override {
    auto figures = called(ending_, [&] {
      nb::list times;
      for (const Sample& run : runs) times.append(to_seconds(run.time));
      std::vector<Metric> metrics;
      using Figures = std::map<std::string, double>;
      const nb::object told = object_.attr("end")(times);
      for (const auto& [name, value] : returned<Figures>(told, "end() of an observer", "a dict of numbers"))
        metrics.push_back({.name = name, .value = value});
      return metrics;
    });
    return figures ? *std::move(figures) : std::vector<Metric>();
  }

 private:
  nb::handle object_;
  std::vector<std::string> metrics_;
  Ending& ending_;
};

class WithFigures : public tune::Evaluator {
 public:
  WithFigures(tune::Evaluator& inner, std::vector<ComputedFigure> figures, std::string objective, bool maximize,
              Ending& ending)
      : inner_(inner),
        figures_(std::move(figures)),
        objective_(std::move(objective)),
        maximize_(maximize),
        ending_(ending) {}

  Result<Observation> evaluate(const Configuration& configuration) override {
    auto observation = inner_.evaluate(configuration);
    if (observation && observation->ok()) add_figures(configuration, *observation);
    return observation;
  }
  Result<tune::Contest> hold_contest(const std::vector<Configuration>& configurations,
                                     const measure::ShootOutOptions& options) override {
    auto contest = inner_.hold_contest(configurations, options);
    if (!contest) return contest;
    for (std::size_t i = 0; i < contest->observations.size(); ++i)
      if (contest->observations[i].ok()) add_figures(configurations[i], contest->observations[i]);
    return contest;
  }
  // Turns are judged one by one, and no function is called for each.
  bool holds_contests() const override { return objective_.empty() && inner_.holds_contests(); }

  void expect(const std::vector<Configuration>& configurations) override { inner_.expect(configurations); }
  std::vector<std::optional<search::CompileFeatures>> foresee(const std::vector<Configuration>& configurations,
                                                              std::size_t least) override {
    return inner_.foresee(configurations, least);
  }
  void know_best(const Observation& best) override { inner_.know_best(best); }
  Nanoseconds now() const override { return inner_.now(); }
  std::optional<tune::Pipeline> pipeline() const override { return inner_.pipeline(); }
  tune::Verification verification() const override { return inner_.verification(); }
  std::size_t resets() const override { return inner_.resets(); }
  tune::DeviceUse device_use() const override { return inner_.device_use(); }
  std::string device() const override { return inner_.device(); }
  measure::ObjectiveInterval objective_interval(const Trial& trial) const override {
    return inner_.objective_interval(trial);
  }
  Nanoseconds turn_overhead() const override { return inner_.turn_overhead(); }

 private:
  void add_figures(const Configuration& configuration, Observation& observation) {
    if (!objective_.empty()) observation.objective_value = std::numeric_limits<double>::infinity();
    [[maybe_unused]] const auto done = called(ending_, [&] {
      for (const ComputedFigure& figure : figures_) {
        const nb::dict record = record_of({.configuration = configuration, .observation = observation});
        const auto value = returned<double>(figure.function(record), "the metric " + figure.name, "a number");
        observation.metrics.push_back({.name = figure.name, .value = value});
        if (figure.name == objective_) observation.objective_value = maximize_ ? -value : value;
      }
      return true;
    });
    if (observation.objective_value && std::isnan(*observation.objective_value))
      observation.objective_value = std::numeric_limits<double>::infinity();
  }

  tune::Evaluator& inner_;
  const std::vector<ComputedFigure> figures_;
  const std::string objective_;
  const bool maximize_;
  Ending& ending_;
};

}  // namespace

bool returned_truth(const nb::object& value, const std::string& function) {
  if (value.is_none()) raise(wrong(function + " returned None").hint("it returns True or False"));
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) nb::raise_python_error();
  return truth == 1;
}

std::vector<tune::ComputedValue> computed_from(const nb::list& functions, Ending& ending) {
  std::vector<tune::ComputedValue> computed;
  for (const nb::handle each : functions) {
    const auto [name, function, description, is_macro] =
        nb::cast<std::tuple<std::string, nb::object, std::string, bool>>(each);
    const auto compute = [callee = nb::handle(function), name, &ending](const Configuration& configuration) {
      return called(ending, [&] { return value_from(callee(to_python(configuration)), name); });
    };
    computed.push_back({.name = name, .description = description, .function = compute, .is_macro = is_macro});
  }
  return computed;
}

tune::SourceWriter writer_from(const nb::object& given, Ending& ending) {
  if (given.is_none()) return {};
  const auto [function, description] = nb::cast<std::pair<nb::object, std::string>>(given);
  const auto write = [callee = nb::handle(function), &ending](const Configuration& configuration) {
    return called(ending,
                  [&] { return returned<std::string>(callee(to_python(configuration)), "the source", "a text"); });
  };
  return {.description = description, .function = write};
}

tune::OutputJudge judge_from(const nb::object& given, Ending& ending) {
  if (given.is_none()) return {};
  const auto [function, description] = nb::cast<std::pair<nb::object, std::string>>(given);
  const auto judge = [callee = nb::handle(function), description, &ending](
                         const Configuration& configuration,
                         std::span<const std::vector<std::byte>> outputs) -> Result<void> {
    const Result<bool> right = called(ending, [&] {
      nb::list bytes;
      for (const std::vector<std::byte>& each : outputs) bytes.append(nb::bytes(each.data(), each.size()));
      return returned_truth(callee(bytes, to_python(configuration)), "the check");
    });
    if (!right) return right.error();
    if (*right) return {};
    return Error(ErrorCode::mismatch, "the check of the outputs returned False");
  };
  return {.description = description, .function = judge};
}

std::vector<std::shared_ptr<tune::Observer>> meters_from(const nb::list& objects, Ending& ending) {
  std::vector<std::shared_ptr<tune::Observer>> meters;
  for (const nb::handle object : objects)
    meters.push_back(std::make_shared<Meter>(
        object,
        returned<std::vector<std::string>>(object.attr("metrics")(), "metrics() of an observer", "a list of names"),
        ending));
  return meters;
}

std::vector<ComputedFigure> figures_from(const nb::list& functions) {
  std::vector<ComputedFigure> figures;
  for (const nb::handle each : functions) {
    const auto [name, function] = nb::cast<std::pair<std::string, nb::object>>(each);
    figures.push_back({name, function});
  }
  return figures;
}

std::unique_ptr<tune::Evaluator> with_figures(tune::Evaluator& evaluator, std::vector<ComputedFigure> figures,
                                              std::string objective, bool maximize, Ending& ending) {
  return std::make_unique<WithFigures>(evaluator, std::move(figures), std::move(objective), maximize, ending);
}

}  // namespace wattune::python
