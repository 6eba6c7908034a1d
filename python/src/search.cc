// Search: ask for a configuration, measure it yourself, tell the result.
#include "wattune/tune/search.h"

#include <chrono>
#include <cmath>
#include <map>

#include "results.h"
#include "space.h"
#include "wattune/core/version.h"
#include "wattune/measure/policy.h"
#include "wattune/search/strategy.h"
#include "wattune/store/journal.h"
#include "wattune/tune/session.h"

namespace wattune::python {

namespace {

Nanoseconds now() {
  return Nanoseconds(static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count()));
}

// The failure of a configuration, as the caller tells it.
struct Failed {
  std::string message;
};

Nanoseconds time_from(nb::handle value) {
  const double seconds = PyFloat_AsDouble(value.ptr());
  if (seconds == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise(wrong("the result of a configuration is its seconds, a list of them, or Failed", shown(value)));
  }
  const Nanoseconds time = nanoseconds_from_seconds(seconds);
  if (std::isfinite(seconds) && time > Nanoseconds() && is_measurable(time)) return time;
  raise(wrong("a time is a number of seconds above 0", shown(value)).hint("tell Failed(\"why\") for a failure"));
}

bool is_sequence(nb::handle value) { return PySequence_Check(value.ptr()) != 0 && nb::len(value) > 0; }

Observation observation_from(nb::handle told) {
  Observation observation;
  if (nb::isinstance<Failed>(told)) {
    observation.status = Status::runtime;
    observation.message = nb::cast<Failed&>(told).message;
    return observation;
  }
  if (PyFloat_Check(told.ptr()) == 0 && nb::hasattr(told, "__len__") && is_sequence(told)) {
    for (const nb::handle each : told) observation.samples.push_back({.time = time_from(each)});
  } else {
    observation.samples.push_back({.time = time_from(told)});
  }
  observation.statistics = measure::summarize(observation.samples);
  return observation;
}

class Search {
 public:
  Search(nb::object space, const std::string& strategy, std::uint64_t seed,
         const std::map<std::string, double>& parameters, const search::StopRule& stop, const std::string& name,
         const std::filesystem::path& journal)
      : space_object_(std::move(space)), space_(nb::cast<Space&>(space_object_)) {
    value_or_raise(stop.validate());
    const space::SearchSpace& searched = space_.space();
    const tune::Plan plan = tune::make_plan(KernelSpec(), searched, strategy, stop);
    strategy_ = value_or_raise(search::make_strategy(
        plan.strategy, searched, {.seed = seed, .start = searched.default_configuration(), .parameters = parameters}));
    info_ = described(name);
    if (!journal.empty()) open_journal(journal);
    // No turns are run, so there is no final.
    search_.emplace(searched, *strategy_, std::vector<std::string>{kDevice}, keeper_, nobody_,
                    tune::TuningOptions{.stop = stop, .shoot_out = {.finalists = 0}});
    search_->start(earlier(), now());
  }

  nb::object ask() {
    if (asked_.is_valid()) raise(wrong("ask() comes after tell()").hint("the last configuration was not told yet"));
    const std::optional<Configuration> next = search_->next(now());
    space_.check_functions();
    if (!next) {
      close_journal();
      return nb::none();
    }
    asked_ = space_.configuration(next->id());
    return asked_;
  }

  void tell(nb::handle configuration, nb::handle result) {
    if (!asked_.is_valid()) raise(wrong("tell() without ask()").hint("each configuration is told once"));
    if (!configuration.is(asked_) && !asked_.equal(configuration))
      raise(wrong("this is not the configuration that was asked for", shown(configuration)).hint(shown(asked_)));
    Observation observation = observation_from(result);
    asked_.reset();
    value_or_raise(search_->tell(std::move(observation), now()));
  }

  // Returns the configurations in flight and those that will probably follow, the next first.
  nb::list expected(std::size_t ahead) {
    search_->set_ahead(ahead);
    nb::list all;
    for (const Configuration& each : search_->expected()) all.append(space_.configuration(each.id()));
    return all;
  }

  std::size_t count() const { return earlier().size() + keeper_.trials().size(); }

  nb::object best() const {
    const std::optional<Trial>& best = search_->so_far().best;
    return best ? nb::object(record_of(*best)) : nb::object(nb::none());
  }

  Results results() const {
    Result<tune::TuningResult> result = search_->result(now());
    return {all_of(info_, earlier(), keeper_.trials()), value_or_raise(std::move(result))};
  }

  const nb::object& space() const { return space_object_; }

  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Search>(self)->space_object_.ptr());
    return 0;
  }

 private:
  static constexpr const char* kDevice = "caller";

  const std::vector<Trial>& earlier() const { return earlier_; }

  RunInfo described(const std::string& name) const {
    const space::SearchSpace& searched = space_.space();
    RunInfo info;
    info.kernel_name = name;
    info.space_hash = searched.content_hash();
    info.identity["measured by"] = "the caller of a search";
    info.device.selector = kDevice;
    info.device.backend = kDevice;
    info.device.name = "measured by the caller";
    info.parameters = searched.parameters();
    info.default_values = searched.configuration(searched.default_configuration()).values();
    info.wattune_version = kVersion;
    info.started_at = std::chrono::system_clock::now();
    return info;
  }

  void open_journal(const std::filesystem::path& file) {
    const auto place = [this](const Trial& trial, const RunInfo&) {
      return tune::place(space_.space(), trial.configuration);
    };
    journal_ = value_or_raise(store::Journal::open(file, info_, store::Resume::checked, place));
    earlier_ = journal_->recovered();
    keeper_.pass_on_to(journal_.get());
  }

  // Lets others write the journal once the search is over.
  void close_journal() {
    if (journal_ == nullptr || search_->waiting()) return;
    const Result<void> intact = journal_->check_intact();
    keeper_.pass_on_to(nullptr);
    journal_.reset();
    value_or_raise(intact);
  }

  nb::object space_object_;
  const Space& space_;
  std::unique_ptr<search::Strategy> strategy_;
  RunInfo info_;
  std::unique_ptr<store::Journal> journal_;
  std::vector<Trial> earlier_;  // from the journal, when it was opened
  Keeper keeper_;
  tune::TuningObserver nobody_;
  std::optional<tune::Search> search_;
  nb::object asked_;  // the configuration in flight
};

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(Search::traverse)}, {0, nullptr}};

nb::list strategies() {
  nb::list all;
  for (const search::StrategyInfo& info : search::strategies()) {
    nb::dict parameters;
    for (const search::StrategyParameter& parameter : info.parameters)
      parameters[parameter.name.c_str()] = parameter.default_value;
    nb::dict strategy;
    strategy["name"] = info.name;
    strategy["description"] = info.description;
    strategy["parameters"] = parameters;
    all.append(strategy);
  }
  return all;
}

}  // namespace

void bind_search(nb::module_& module) {
  nb::class_<Failed>(module, "Failed", "The result of a configuration that failed; `message` says why in one line.")
      .def(nb::init<std::string>(), nb::arg("message"))
      .def_ro("message", &Failed::message)
      .def("__repr__", [](const Failed& failed) { return "Failed(" + shown(nb::str(failed.message.c_str())) + ")"; });
  nb::class_<search::StopRule>(module, "StopRule")
      .def(
          "__init__",
          [](search::StopRule* made, std::optional<std::uint64_t> evaluations, std::optional<double> seconds,
             std::optional<double> target, std::optional<double> fraction,
             std::optional<std::uint64_t> no_improvement) {
            new (made) search::StopRule{.evaluations = evaluations,
                                        .time = {},
                                        .target = target,
                                        .fraction = fraction,
                                        .no_improvement = no_improvement};
            if (seconds) made->time = nanoseconds_from_seconds(*seconds);
          },
          nb::arg("evaluations").none(), nb::arg("seconds").none(), nb::arg("target").none(),
          nb::arg("fraction").none(), nb::arg("no_improvement").none());
  nb::class_<Search>(module, "Search", nb::type_slots(slots), nb::is_weak_referenceable())
      .def("ask", &Search::ask)
      .def("tell", &Search::tell, nb::arg("configuration"), nb::arg("result").none())
      .def("expected", &Search::expected, nb::arg("ahead"))
      .def("best", &Search::best)
      .def("count", &Search::count)
      .def("results", &Search::results)
      .def("space", &Search::space)
      .def(nb::init<nb::object, const std::string&, std::uint64_t, const std::map<std::string, double>&,
                    const search::StopRule&, const std::string&, const std::filesystem::path&>(),
           nb::arg("space"), nb::arg("strategy"), nb::arg("seed"), nb::arg("strategy_options"), nb::arg("stop"),
           nb::arg("name"), nb::arg("journal"));
  module.def("strategies", &strategies, "Returns name, description and parameters of every strategy.");
}

}  // namespace wattune::python
