// Run: one tuning run, or the evaluation of one configuration, on the thread that calls execute().
#include <algorithm>
#include <mutex>
#include <stop_token>

#include "core/stopwatch.h"
#include "functions.h"
#include "results.h"
#include "session.h"
#include "space.h"
#include "spec.h"
#include "wattune/spec/spec.h"
#include "wattune/store/journal.h"
#include "wattune/tune/search.h"
#include "wattune/tune/session.h"

namespace wattune::python {

namespace {

// The state of a run, for whoever waits for it.
struct Snapshot {
  std::string phase = "building the space";
  std::uint64_t evaluations = 0;
  std::optional<std::uint64_t> most;  // evaluations
  std::optional<double> seconds;      // the limit of the search
  std::optional<double> best;         // time of the best, in seconds
};

// Takes the events of a run on its thread.
class Events : public tune::TuningObserver {
 public:
  Events(const nb::list& observers, const nb::object& stop, Ending& ending) : stop_(stop), ending_(ending) {
    for (const nb::handle each : observers) observers_.push_back(each);
    has_stop_ = !stop.is_none();
  }

  void enter(std::string phase) {
    const std::lock_guard lock(mutex_);
    now_.phase = std::move(phase);
  }
  void plan(const tune::Plan& plan, Uint128 count) {
    const std::lock_guard lock(mutex_);
    now_.most = plan.stop.evaluations;
    if (plan.stop.time) now_.seconds = to_seconds(*plan.stop.time);
    if (!now_.most && !now_.seconds) now_.most = static_cast<std::uint64_t>(count);
  }
  Snapshot snapshot() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  void on_trial(const tune::TuningEvent& event) override {
    {
      const std::lock_guard lock(mutex_);
      now_.evaluations = event.progress.evaluations;
      if (event.best != nullptr) now_.best = to_seconds(event.best->observation.statistics->median);
    }
    if (!observers_.empty() || has_stop_) tell_python(event);
  }
  void on_final(std::size_t contestants) override {
    enter("comparing the best " + std::to_string(contestants) + " in turns");
  }
  void on_device_lost(const std::string& device, const Error& error) override {
    const std::lock_guard lock(mutex_);
    lost_.push_back(device + " was lost: " + error.to_string());
  }
  std::vector<std::string> lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
  }

 private:
  void tell_python(const tune::TuningEvent& event) {
    const auto ends = guarded(*ending_.raised, [&] {
      const nb::dict record = record_of(event.trial);
      for (const nb::handle observer : observers_) observer(record);
      return has_stop_ && returned_truth(stop_(record), "the stop function");
    });
    if (!ends || *ends) ending_.cancel = true;
  }

  mutable std::mutex mutex_;
  Snapshot now_;
  std::vector<std::string> lost_;
  std::vector<nb::handle> observers_;
  nb::handle stop_;
  bool has_stop_ = false;
  Ending& ending_;
};

template <typename Enum>
Enum choice(const std::string& name, std::initializer_list<std::pair<const char*, Enum>> choices, const char* what) {
  std::string names;
  for (const auto& [each, value] : choices) {
    if (name == each) return value;
    names += std::string(names.empty() ? "" : ", ") + each;
  }
  raise(wrong("unknown choice of `" + std::string(what) + "`", name).hint(names));
}

tune::BoardMetric board_metric(const std::string& name) {
  std::string names;
  for (const tune::BoardMetric metric : tune::kAllBoardMetrics) {
    if (name == to_string(metric)) return metric;
    names += std::string(names.empty() ? "" : ", ") + to_string(metric);
  }
  raise(Error(ErrorCode::not_found, "no sensor gives this figure").about(name).hint(names));
}

tune::Limits limits_from(const Options& given) {
  tune::Limits limits;
  if (const auto seconds = given.find<double>("compile_seconds")) limits.compile = nanoseconds_from_seconds(*seconds);
  if (const auto seconds = given.find<double>("run_seconds")) limits.run = nanoseconds_from_seconds(*seconds);
  limits.compile_floor = std::min(limits.compile_floor, limits.compile);
  limits.run_floor = std::min(limits.run_floor, limits.run);
  value_or_raise(limits.validate());
  return limits;
}

tune::EvaluatorOptions evaluation_from(const Options& given, Ending& ending) {
  using enum tune::CheckOutput;
  tune::EvaluatorOptions evaluation;
  evaluation.limits = limits_from(given);
  evaluation.check = choice<tune::CheckOutput>(
      given.get<std::string>("check", "every"),
      {{"every", every}, {"contenders", contenders}, {"winners", winners}, {"never", never}}, "check");
  evaluation.cache = choice<tune::Cache>(given.get<std::string>("cache", "warm"),
                                         {{"warm", tune::Cache::warm}, {"cold", tune::Cache::cold}}, "cache");
  evaluation.launching =
      choice<tune::Launching>(given.get<std::string>("launch", "each"),
                              {{"each", tune::Launching::each}, {"graph", tune::Launching::graph}}, "launch");
  for (const std::string& name : given.get<std::vector<std::string>>("observe"))
    evaluation.observe.push_back(board_metric(name));
  evaluation.counters = given.get<std::vector<std::string>>("counters");
  evaluation.observers = meters_from(given.list("meters"), ending);
  evaluation.computed = computed_from(given.list("computed"), ending);
  evaluation.writer = writer_from(given.object("writer"), ending);
  evaluation.judge = judge_from(given.object("judge"), ending);
  evaluation.where.in_process = given.get<bool>("in_process");
  evaluation.where.worker.show_output = given.get<bool>("show_output");
  return evaluation;
}

measure::SamplingOptions sampling_from(const Options& given) {
  measure::SamplingOptions sampling;
  if (const auto least = given.find<std::size_t>("min_samples")) sampling.min_samples = *least;
  if (const auto most = given.find<std::size_t>("max_samples")) sampling.max_samples = *most;
  value_or_raise(sampling.validate());
  return sampling;
}

}  // namespace

tune::SessionOptions session_from(const Options& given, Ending& ending) {
  tune::SessionOptions session;
  session.device = given.get<std::string>("device", "auto");
  session.strategy = given.get<std::string>("strategy");
  session.strategy_parameters = given.get<std::map<std::string, double>>("strategy_options");
  session.method = given.get<std::string>("method");
  session.seed = given.get<std::uint64_t>("seed", 1);
  session.stop = given.get<search::StopRule>("stop");
  value_or_raise(session.stop.validate());
  session.sampling = sampling_from(given);
  session.evaluation = evaluation_from(given, ending);
  session.compile_processes = given.find<std::uint64_t>("compile_processes");
  for (const nb::handle earlier : given.list("earlier"))
    session.earlier.push_back({"earlier results", nb::cast<Results&>(earlier).set});
  return session;
}

namespace {

class Run {
 public:
  Run(nb::object spec, const nb::dict& options) : spec_object_(std::move(spec)), options_(options) {
    events_.emplace(options_.list("observers"), options_.object("stop_function"), ending_);
    figures_ = figures_from(options_.list("figures"));
  }

  // Runs. Raises what a Python function raised, or the error that ended the run; take_results() has what was measured.
  void execute() {
    tune::SessionOptions session = session_options();
    KernelSpec spec = spec_of(session);
    Result<void> done;
    {
      const nb::gil_scoped_release released;
      done = run(std::move(spec), std::move(session));
      session_.reset();
      close_journal();
    }
    ending_.raised->raise_again();
    value_or_raise(done);
  }

  // Ends the run after the evaluations in flight. While devices are opened, ends at once.
  void cancel() { ending_.cancel = true; }
  // Ends the run and its workers at once.
  void abort() {
    ending_.cancel = true;
    stop_.request_stop();
  }

  nb::dict progress() const {
    const Snapshot now = events_->snapshot();
    const auto or_none = [](const auto& value) { return value ? nb::cast(*value) : nb::object(nb::none()); };
    nb::dict progress;
    progress["phase"] = now.phase;
    progress["evaluations"] = now.evaluations;
    progress["most"] = or_none(now.most);
    progress["seconds"] = or_none(now.seconds);
    progress["best"] = or_none(now.best);
    progress["elapsed"] = to_seconds(since_start_.elapsed());
    return progress;
  }

  // Returns the results, of which this object keeps none.
  Results take_results() {
    keep_notes_of_events();
    return {all_of(std::move(info_), earlier_, keeper_.take()), std::move(result_)};
  }
  nb::list notes() {
    nb::list all;
    for (const auto& [level, text] : notes_) all.append(nb::make_tuple(level, text));
    notes_.clear();
    return all;
  }
  const std::string& journal() const { return journal_file_; }
  std::string device() const { return device_; }

  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    const Run* const run = nb::inst_ptr<Run>(self);
    Py_VISIT(run->spec_object_.ptr());
    Py_VISIT(run->options_.all().ptr());
    return 0;
  }

 private:
  static constexpr int kInfo = 20;  // levels of Python's logging
  static constexpr int kWarning = 30;

  tune::SessionOptions session_options() {
    tune::SessionOptions session = session_from(options_, ending_);
    session.predicates = predicates_from(options_.list("predicates"), ending_.raised);
    session.building.cancelled = [this] {
      return ending_.cancel || guarded(*ending_.raised, [this] { return ending_.raised->any(); }).value();
    };
    session.evaluation.where.worker.stop = stop_.get_token();
    // An equal least and greatest number of samples asks for so many of every configuration: none is raced.
    const bool exact = session.sampling.min_samples == session.sampling.max_samples;
    if (exact || !objective().empty()) session.policy = measure::make_repeated_runs;
    if (const nb::object replay = options_.object("replay"); !replay.is_none()) {
      session.device = "replay";
      session.replay = tune::Replay{nb::cast<Results&>(replay).set, {}};
    }
    return session;
  }

  // Returns the spec; that of a replay without one stands for the recorded configurations.
  KernelSpec spec_of(tune::SessionOptions& session) const {
    if (!spec_object_.is_none()) {
      const Spec& spec = nb::cast<Spec&>(spec_object_);
      session.evaluation.contents = spec.contents;
      return spec.spec;
    }
    KernelSpec spec;
    spec.name = session.replay->results.info.kernel_name;
    if (spec.name.empty()) spec.name = "recorded";
    spec.objectives = session.replay->results.info.objectives;
    return spec;
  }

  std::string objective() const { return options_.get<std::string>("objective"); }

  Result<void> run(KernelSpec spec, tune::SessionOptions session) {
    WATTUNE_ASSIGN(auto task, tune::plan_search(std::move(spec), std::move(session)));
    events_->enter("opening the device");
    events_->plan(task->plan, task->space.count());
    WATTUNE_ASSIGN(session_, tune::open(std::move(task), &ending_.cancel));
    device_ = session_->devices().front().selector;
    note_session();
    return has("configuration") ? evaluate_one() : search();
  }

  bool has(const char* option) const {
    const nb::gil_scoped_acquire acquired;
    return !options_.object(option).is_none();
  }

  static bool wants_comparison(const KernelSpec& spec) {
    return std::ranges::any_of(spec.arguments, [](const Argument& argument) {
      const auto* const vector = std::get_if<VectorArgument>(&argument.kind);
      return vector != nullptr && vector->comparison != OutputComparison::none;
    });
  }

  void note_session() {
    const tune::Plan& plan = session_->plan();
    notes_.emplace_back(
        kInfo, session_->spec().name + " on " + tune::describe(session_->devices()) + ", strategy " + plan.strategy);
    for (const std::string& doubt : spec::doubts(session_->spec())) notes_.emplace_back(kWarning, doubt);
    const tune::Verification verification = session_->evaluators().front()->verification();
    if (!verification.why_not.empty() && wants_comparison(session_->spec()))
      notes_.emplace_back(kWarning, "outputs are not compared: " + verification.why_not);
    for (const std::string& line : verification.left_out) notes_.emplace_back(kWarning, line);
  }

  void keep_notes_of_events() {
    for (const std::string& line : events_->lost()) notes_.emplace_back(kWarning, line);
  }

  // Adds what the functions of the run decide about its numbers.
  void describe_functions(RunInfo& info) const {
    const nb::gil_scoped_acquire acquired;
    for (const auto& [name, description] : options_.dict("descriptions"))
      info.identity[nb::cast<std::string>(name)] = nb::cast<std::string>(description);
    if (const std::string name = objective(); !name.empty())
      info.objectives = {{.metric = name, .maximize = options_.get<bool>("maximize")}};
  }

  Result<void> open_journal() {
    std::filesystem::path file;
    {
      const nb::gil_scoped_acquire acquired;
      file = options_.get<std::filesystem::path>("journal");
    }
    std::error_code ignored;
    const bool goes_on = !file.empty() && session_->recording() == nullptr && std::filesystem::exists(file, ignored);
    const auto earlier = goes_on ? store::read_journal(file) : Error(ErrorCode::not_found, "no journal");
    if (earlier) {
      WATTUNE_ASSIGN(info_, session_->describe(earlier->info));
    } else {
      info_ = session_->describe();
    }
    describe_functions(info_);
    if (file.empty()) return {};
    if (session_->recording() != nullptr) info_.identity["recording"] = hash_of_recording();
    WATTUNE_ASSIGN(const auto placement, session_->placement());
    WATTUNE_ASSIGN(journal_, store::Journal::open(file, info_, store::Resume::checked, placement));
    earlier_ = journal_->recovered();
    keeper_.pass_on_to(journal_.get());
    if (const std::string& doubt = journal_->lock_doubt(); !doubt.empty()) notes_.emplace_back(kWarning, doubt);
    return {};
  }

  void close_journal() {
    if (journal_ == nullptr) return;
    journal_file_ = journal_->file().string();
    keeper_.pass_on_to(nullptr);
    journal_.reset();
  }

  std::string hash_of_recording() const {
    std::string text;
    for (const Trial& trial : session_->recording()->trials()) {
      text += trial.configuration.to_string() + ": ";
      if (trial.observation.statistics) text += format_real(trial.observation.statistics->median.value());
      text += '\n';
    }
    return content_hash(text);
  }

  Result<void> search() {
    WATTUNE_TRY(open_journal());
    events_->enter("searching");
    auto result = figures_.empty() ? session_->run(keeper_, *events_, earlier_, &ending_.cancel, since_start_.elapsed())
                                   : run_with_figures();
    if (journal_) WATTUNE_TRY(journal_->check_intact());
    if (!result) return std::move(result).error();
    result_ = *std::move(result);
    if (ending_.cancel && result_->evaluated + result_->skipped + result_->resumed == 0)
      return Error(ErrorCode::cancelled, "cancelled before the first evaluation");
    return {};
  }

  Result<tune::TuningResult> run_with_figures() {
    std::string objective_name;
    bool maximize = false;
    {
      const nb::gil_scoped_acquire acquired;
      objective_name = objective();
      maximize = options_.get<bool>("maximize");
    }
    std::vector<std::unique_ptr<tune::Evaluator>> wrapped;
    std::vector<tune::Evaluator*> evaluators;
    for (tune::Evaluator* const each : session_->evaluators()) {
      wrapped.push_back(with_figures(*each, figures_, objective_name, maximize, ending_));
      evaluators.push_back(wrapped.back().get());
    }
    const tune::TuningOptions tuning{.stop = session_->plan().stop,
                                     .cancel = &ending_.cancel,
                                     .spent = session_->recording() == nullptr ? since_start_.elapsed() : Nanoseconds(),
                                     .slowdown = slowdown_of(session_->spec().objectives)};
    return tune::tune(session_->space(), session_->strategy(), evaluators, keeper_, *events_, earlier_, tuning);
  }

  // Evaluates the one configuration that the caller names; what it leaves out has its default.
  Result<void> evaluate_one() {
    events_->enter("running");
    const space::SearchSpace& searched = session_->space();
    std::vector<std::pair<std::string, Value>> values;
    const Configuration standard = searched.configuration(searched.default_configuration());
    const auto given = guarded(*ending_.raised, [&] {
      std::map<std::string, Value> named;
      for (const auto& [name, value] : options_.dict("configuration"))
        named[nb::cast<std::string>(name)] = value_from(value, shown(name));
      return named;
    });
    if (!given) return given.error();
    for (const auto& [name, value] : *given) values.emplace_back(name, value);
    for (std::size_t i = 0; i < standard.names().size(); ++i)
      if (!given->contains(standard.names()[i])) values.emplace_back(standard.names()[i], standard.values()[i]);
    WATTUNE_ASSIGN(const ConfigurationId id, searched.find(values));
    info_ = session_->describe();
    const Configuration configuration = searched.configuration(id);
    tune::Evaluator& evaluator = *session_->evaluators().front();
    const auto wrapped = with_figures(evaluator, figures_, {}, false, ending_);
    WATTUNE_ASSIGN(Observation observation, wrapped->evaluate(configuration));
    return keeper_.add({.configuration = configuration,
                        .observation = std::move(observation),
                        .finished_at = std::chrono::system_clock::now()});
  }

  nb::object spec_object_;
  const Options options_;
  Ending ending_;
  std::stop_source stop_;
  Stopwatch since_start_;
  std::optional<Events> events_;
  std::vector<ComputedFigure> figures_;
  std::vector<std::pair<int, std::string>> notes_;
  RunInfo info_;
  std::string device_;
  Keeper keeper_;
  std::unique_ptr<store::Journal> journal_;
  std::string journal_file_;    // once it is closed
  std::vector<Trial> earlier_;  // from the journal, when it was opened
  std::optional<tune::TuningResult> result_;
  std::unique_ptr<tune::TuningSession> session_;
};

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(Run::traverse)}, {0, nullptr}};

nb::list devices() {
  Result<backend::Discovery> found = Error(ErrorCode::internal, "not found");
  {
    const nb::gil_scoped_release released;
    found = tune::find_devices();
  }
  nb::list all;
  for (const DeviceInfo& device : value_or_raise(std::move(found)).devices) {
    nb::dict facts;
    facts["selector"] = device.selector;
    facts["name"] = device.name;
    facts["kind"] = to_string(device.kind);
    facts["backend"] = device.backend;
    facts["driver_version"] = device.driver_version;
    nb::list languages;
    for (const Language language : device.languages) languages.append(std::string(to_string(language)));
    facts["languages"] = languages;
    all.append(facts);
  }
  return all;
}

}  // namespace

void bind_tune(nb::module_& module) {
  nb::class_<Run>(module, "Run", nb::type_slots(slots), nb::is_weak_referenceable())
      .def(nb::init<nb::object, const nb::dict&>(), nb::arg("spec").none(), nb::arg("options"))
      .def("execute", &Run::execute)
      .def("cancel", &Run::cancel)
      .def("abort", &Run::abort)
      .def("progress", &Run::progress)
      .def("take_results", &Run::take_results)
      .def("notes", &Run::notes)
      .def("journal", &Run::journal)
      .def("device", &Run::device);
  module.def("devices", &devices, "Returns the facts of every device of this machine.");
}

}  // namespace wattune::python
