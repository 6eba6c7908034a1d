#include "optimum.h"

#include "wattune/store/journal.h"
#include "wattune/tune/session.h"

namespace fourier {
namespace {

using namespace wattune;

// A sink that keeps all Trials and passes them on to another sink.
class Collector : public TrialSink {
 public:
  Collector(std::vector<Trial> known, TrialSink* next) : trials_(std::move(known)), next_(next) {}
  Result<void> add(const Trial& trial) override {
    trials_.push_back(trial);
    return next_ == nullptr ? Result<void>() : next_->add(trial);
  }
  const std::vector<Trial>& trials() const { return trials_; }

 private:
  std::vector<Trial> trials_;
  TrialSink* next_;
};

Result<Optimum> best_of(const std::vector<Trial>& trials) {
  Optimum optimum;
  for (const Trial& trial : trials) {
    if (trial.observation.status != Status::correct) continue;
    const Nanoseconds time(trial.observation.objective());
    if (optimum.measured++ == 0 || time < optimum.time) {
      optimum.time = time;
      optimum.configuration = trial.configuration;
    }
    optimum.average += time;
  }
  if (optimum.measured == 0) return Error(ErrorCode::not_found, "no configuration of the offline pass was correct");
  optimum.average = optimum.average / static_cast<double>(optimum.measured);
  return optimum;
}

}  // namespace

Result<Optimum> find_optimum(const KernelSpec& spec, const Options& options) {
  tune::SessionOptions session_options{
      .device = options.device, .strategy = options.offline ? "random" : "exhaustive", .seed = options.seed};
  session_options.stop.evaluations = options.offline;
  session_options.shoot_out.finalists = 0;
  WATTUNE_ASSIGN(const auto session, tune::open(spec, session_options));
  std::unique_ptr<store::Journal> journal;
  if (!options.optimum.empty()) {
    WATTUNE_ASSIGN(const auto placement, session->placement());
    WATTUNE_ASSIGN(journal,
                   store::Journal::open(options.optimum, session->describe(), store::Resume::checked, placement));
  }
  const std::vector<Trial> known = journal ? journal->recovered() : std::vector<Trial>();
  Collector collector(known, journal.get());
  tune::TuningObserver observer;
  if (!options.only_known) WATTUNE_TRY(session->run(collector, observer, known));
  return best_of(collector.trials());
}

}  // namespace fourier
