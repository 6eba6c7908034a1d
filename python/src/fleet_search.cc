// FleetSearch: a search whose configurations are evaluated elsewhere. It needs no device. Each configuration that it
// hands out has a ticket, with which its result comes back; docs/cluster.md describes the driver around it.
#include <chrono>
#include <map>

#include "core/stopwatch.h"
#include "results.h"
#include "session.h"
#include "wattune/store/journal.h"
#include "wattune/tune/search.h"
#include "wire.h"

namespace wattune::python {

namespace {

// A sink that names the evaluator behind each Trial, before it passes the Trial on.
class NamingSink : public TrialSink {
 public:
  explicit NamingSink(TrialSink& next) : next_(next) {}
  void name(std::string evaluator) { evaluator_ = std::move(evaluator); }
  Result<void> add(const Trial& trial) override {
    Trial named = trial;
    named.device = evaluator_;
    return next_.add(named);
  }

 private:
  TrialSink& next_;
  std::string evaluator_;
};

class FleetSearch {
 public:
  // Plans a search for evaluators with this description (Evaluator::description()), and opens the journal unless its
  // name is empty. At most `width` configurations are out at a time. Raises mismatch if the evaluators have another
  // spec, and as tune::plan_search() and store::Journal::open().
  FleetSearch(const Spec& spec, const nb::dict& given, const std::string& description, std::size_t width,
              const std::filesystem::path& journal)
      : busy_(width, false) {
    const Options options(given);
    tune::SessionOptions session = session_from(options, ending_);
    KernelSpec kernel = spec.spec;
    const nb::gil_scoped_release released;
    info_ = taken(store::parse_journal(description)).info;
    info_.started_at = std::chrono::system_clock::now();
    task_ = taken(tune::plan_search(std::move(kernel), std::move(session)));
    if (task_->space.content_hash() != info_.space_hash)
      throw Exception(Error(ErrorCode::mismatch, "the evaluators have another spec than the driver"));
    if (!task_->strategy) throw Exception(task_->strategy.error());
    decoder_.emplace(info_.parameters);
    if (!journal.empty()) open_journal(journal);
    make_search(width);
  }

  // Returns a ticket and its request; None if no configuration can be handed out now.
  nb::object next() {
    std::optional<std::pair<std::uint64_t, std::string>> handed;
    {
      const nb::gil_scoped_release released;
      handed = hand_out();
    }
    if (!handed) return nb::none();
    return nb::make_tuple(handed->first, nb::bytes(handed->second.data(), handed->second.size()));
  }

  // Takes the reply to a ticket, from the evaluator of this name. The Trial is in the journal when it returns. Raises
  // parse_error for a reply that cannot be true, which changes nothing; io_error if the journal cannot be written.
  void tell(std::uint64_t ticket, const nb::bytes& reply, const std::string& evaluator) {
    const std::string_view text(reply.c_str(), reply.size());
    const nb::gil_scoped_release released;
    const Out& out = found(ticket);
    Evaluation evaluation = taken(parse_evaluation(text, out.configuration, *decoder_));
    turn_overhead_ = std::max(turn_overhead_, evaluation.turn_overhead);
    take_back(ticket, std::move(evaluation.observation), evaluator);
  }

  // Records that evaluating the ticket's configuration cost evaluators, as a failure of the configuration.
  void give_up(std::uint64_t ticket, const std::string& message, const std::string& evaluator) {
    const nb::gil_scoped_release released;
    Observation observation;
    observation.status = Status::runtime;
    observation.message = message;
    take_back(ticket, std::move(observation), evaluator);
  }

  // Returns the request for the final; None if the result needs none, or no more. Call it when nothing is out.
  nb::object next_contest() {
    const nb::gil_scoped_release released;
    contestants_ = search_->next_contest(tune::objective_interval, turn_overhead_);
    const std::string request = write_request(true, contestants_);
    const nb::gil_scoped_acquire acquired;
    if (contestants_.empty()) return nb::none();
    return nb::bytes(request.data(), request.size());
  }
  // Takes the reply to the final, with the errors of tell(). An empty reply means that there was none.
  void tell_contest(const nb::bytes& reply, const std::string& evaluator) {
    const std::string_view text(reply.c_str(), reply.size());
    const nb::gil_scoped_release released;
    tune::Contest contest = taken(parse_contest(text, contestants_, *decoder_));
    sink_.name(evaluator);
    taken(search_->tell(std::move(contest)));
  }

  // Returns the request for the probe: the default configuration.
  nb::bytes probe() const {
    const Configuration standard = task_->space.configuration(task_->space.default_configuration());
    const std::string request = write_request(false, {&standard, 1});
    return nb::bytes(request.data(), request.size());
  }
  // Returns the median time in seconds that the reply to a probe tells; None if the configuration failed.
  std::optional<double> probed(const nb::bytes& reply) const {
    const Configuration standard = task_->space.configuration(task_->space.default_configuration());
    const Evaluation evaluation = taken(parse_evaluation({reply.c_str(), reply.size()}, standard, *decoder_));
    if (!evaluation.observation.ok()) return std::nullopt;
    return to_seconds(evaluation.observation.statistics->median);
  }

  // Ends the search once the replies to all tickets were told.
  void cancel() { ending_.cancel = true; }

  nb::dict progress() const {
    const search::StopRule& stop = task_->plan.stop;
    const auto or_none = [](const auto& value) { return value ? nb::cast(*value) : nb::object(nb::none()); };
    const tune::TuningResult& result = search_->so_far();
    std::optional<std::uint64_t> most = stop.evaluations;
    if (!most && !stop.time) most = static_cast<std::uint64_t>(task_->space.count());
    nb::dict progress;
    progress["evaluations"] = search_->progress().evaluations;
    progress["most"] = or_none(most);
    progress["seconds"] = stop.time ? nb::cast(to_seconds(*stop.time)) : nb::object(nb::none());
    progress["best"] =
        result.best ? nb::cast(to_seconds(result.best->observation.statistics->median)) : nb::object(nb::none());
    progress["elapsed"] = to_seconds(since_start_.elapsed());
    progress["resumed"] = result.resumed;
    progress["strategy"] = task_->plan.strategy;
    return progress;
  }

  // Returns the results so far.
  Results results() const {
    Result<tune::TuningResult> result = search_->result(since_start_.elapsed());
    return {all_of(info_, earlier_, keeper_.trials()), result ? std::optional(*std::move(result)) : std::nullopt};
  }

  // Closes the journal and returns its file's name, which differs from the given one if the file was lost meanwhile.
  std::string close() {
    if (journal_ == nullptr) return journal_file_;
    const nb::gil_scoped_release released;
    const Result<void> intact = journal_->check_intact();
    journal_file_ = journal_->file().string();
    keeper_.pass_on_to(nullptr);
    journal_.reset();
    taken(intact);
    return journal_file_;
  }

 private:
  struct Out {
    std::size_t place = 0;
    Configuration configuration;
  };

  template <typename T>
  static T taken(Result<T> result) {
    if (!result) throw Exception(result.error());
    if constexpr (!std::is_void_v<T>) return *std::move(result);
  }

  void open_journal(const std::filesystem::path& file) {
    const auto placement = taken(tune::placement(task_->spec, task_->space));
    journal_ = taken(store::Journal::open(file, info_, store::Resume::checked, placement));
    earlier_ = journal_->recovered();
    keeper_.pass_on_to(journal_.get());
  }

  void make_search(std::size_t width) {
    const tune::TuningOptions tuning{.stop = task_->plan.stop,
                                     .cancel = &ending_.cancel,
                                     .shoot_out = {.warm_up = task_->options.sampling.warm_up},
                                     .slowdown = slowdown_of(task_->spec.objectives)};
    // The places of configurations that are out stand for devices. Which evaluator has which is the driver's business.
    const std::vector<std::string> places(std::max<std::size_t>(width, 2));
    search_.emplace(task_->space, **task_->strategy, places, sink_, nobody_, tuning);
    search_->start(earlier_, since_start_.elapsed());
  }

  std::optional<std::pair<std::uint64_t, std::string>> hand_out() {
    const auto place = std::ranges::find(busy_, false);
    if (place == busy_.end()) return std::nullopt;
    const auto number = static_cast<std::size_t>(place - busy_.begin());
    std::optional<Configuration> next = search_->next(since_start_.elapsed(), number);
    if (!next) return std::nullopt;
    *place = true;
    std::string request = write_request(false, {&*next, 1});
    out_.emplace(++last_ticket_, Out{number, *std::move(next)});
    return std::pair(last_ticket_, std::move(request));
  }

  const Out& found(std::uint64_t ticket) const {
    const auto out = out_.find(ticket);
    if (out == out_.end()) throw Exception(wrong("no such ticket is out", std::to_string(ticket)));
    return out->second;
  }

  void take_back(std::uint64_t ticket, Observation observation, const std::string& evaluator) {
    const std::size_t place = found(ticket).place;
    out_.erase(ticket);
    busy_[place] = false;
    sink_.name(evaluator);
    taken(search_->tell(std::move(observation), since_start_.elapsed(), place));
  }

  Ending ending_;
  Stopwatch since_start_;
  RunInfo info_;
  std::unique_ptr<tune::TuningTask> task_;
  std::optional<store::TrialDecoder> decoder_;
  Keeper keeper_;
  NamingSink sink_{keeper_};
  std::unique_ptr<store::Journal> journal_;
  std::string journal_file_;    // once it is closed
  std::vector<Trial> earlier_;  // from the journal, when it was opened
  tune::TuningObserver nobody_;
  std::optional<tune::Search> search_;
  std::vector<bool> busy_;
  std::map<std::uint64_t, Out> out_;  // by ticket
  std::uint64_t last_ticket_ = 0;
  std::vector<Configuration> contestants_;
  Nanoseconds turn_overhead_;
};

}  // namespace

void bind_fleet_search(nb::module_& module) {
  nb::class_<FleetSearch>(module, "FleetSearch")
      .def(nb::init<const Spec&, const nb::dict&, const std::string&, std::size_t, const std::filesystem::path&>(),
           nb::arg("spec"), nb::arg("options"), nb::arg("description"), nb::arg("width"), nb::arg("journal"))
      .def("next", &FleetSearch::next)
      .def("tell", &FleetSearch::tell, nb::arg("ticket"), nb::arg("reply"), nb::arg("evaluator"))
      .def("give_up", &FleetSearch::give_up, nb::arg("ticket"), nb::arg("message"), nb::arg("evaluator"))
      .def("next_contest", &FleetSearch::next_contest)
      .def("tell_contest", &FleetSearch::tell_contest, nb::arg("reply"), nb::arg("evaluator"))
      .def("probe", &FleetSearch::probe)
      .def("probed", &FleetSearch::probed, nb::arg("reply"))
      .def("cancel", &FleetSearch::cancel)
      .def("progress", &FleetSearch::progress)
      .def("results", &FleetSearch::results)
      .def("close", &FleetSearch::close);
}

}  // namespace wattune::python
