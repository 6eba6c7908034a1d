// Evaluator: one device that evaluates what a driver elsewhere asks for. Requests and replies are bytes, so that any
// engine can carry them; wire.h describes them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "session.h"
#include "store/interface/trial_line.h"
#include "wattune/store/formats.h"
#include "wire.h"

namespace wattune::python {

namespace {

// Returns the facts by which one device differs from equal ones.
nb::dict facts_of(const DeviceInfo& info) {
  nb::dict device;
  device["selector"] = info.selector;
  device["name"] = info.name;
  device["backend"] = info.backend;
  device["kind"] = to_string(info.kind);
  device["pci_bus_id"] = info.pci_bus_id;
  return device;
}

class Evaluator {
 public:
  // Opens the device that the options name, and computes the reference. Raises as tune::open().
  Evaluator(const Spec& spec, const nb::dict& given) {
    const Options options(given);
    tune::SessionOptions session = session_from(options, ending_);
    session.evaluation.contents = spec.contents;
    const auto recording = options.find<std::filesystem::path>("recording");
    deadline_ = deadline_of(session);
    KernelSpec kernel = spec.spec;
    const nb::gil_scoped_release released;
    if (recording) take_recording(*recording, session);
    session_ = taken(tune::open(std::move(kernel), std::move(session), &ending_.cancel));
    if (session_->devices().size() > 1)
      throw Exception(Error(ErrorCode::invalid_argument, "an evaluator has one device").about(describe()));
    encoder_.emplace(session_->space().parameters());
  }

  // Does what a request says and returns the reply. Raises device_lost if the device is gone, and the other errors of
  // an evaluator, which no configuration causes.
  nb::bytes run(const nb::bytes& request) {
    const std::string text(request.c_str(), request.size());
    std::string reply;
    {
      const nb::gil_scoped_release released;
      reply = taken(answer(text));
    }
    return nb::bytes(reply.data(), reply.size());
  }

  // Returns the head of a journal with the Trials of this evaluator.
  std::string description() const { return store::journal_header(described()); }

  // Returns what must be equal for times to be comparable, as far as the session knows it.
  nb::dict identity() const {
    const RunInfo info = described();
    nb::dict identity;
    for (const auto& [name, value] : identity_of(info)) identity[name.c_str()] = value;
    identity["backend"] = info.device.backend;
    identity["architecture"] = info.device.architecture;
    identity["language version"] = info.device.language_version;
    identity["space"] = info.space_hash;
    identity["Wattune"] = info.wattune_version;
    return identity;
  }

  nb::dict device() const { return facts_of(session_->devices().front()); }

  bool holds_contests() const { return evaluator().holds_contests(); }

  double deadline() const { return to_seconds(deadline_); }

  void cancel() { ending_.cancel = true; }

 private:
  template <typename T>
  static T taken(Result<T> result) {
    if (!result) throw Exception(result.error());
    return *std::move(result);
  }

  // Lets recorded results answer in the place of a device.
  void take_recording(const std::filesystem::path& file, tune::SessionOptions& session) {
    ResultSet results = taken(store::load_results(file));
    recording_ = content_hash(store::write_json(results));
    session.device = "replay";
    session.replay = tune::Replay{std::move(results), {}};
  }

  RunInfo described() const {
    RunInfo info = session_->describe();
    if (!recording_.empty()) info.identity["recording"] = recording_;
    return info;
  }

  std::string describe() const { return tune::describe(session_->devices()); }

  // Adds up the limits of an evaluation: compiling, the checked run, and the runs that are timed. Only max_time and
  // min_samples bound the latter.
  static Nanoseconds deadline_of(const tune::SessionOptions& session) {
    const tune::Limits& limits = session.evaluation.limits;
    const auto runs = static_cast<double>(session.sampling.min_samples + 2);
    return limits.compile + runs * limits.run;
  }

  tune::Evaluator& evaluator() const { return *session_->evaluators().front(); }

  Result<std::string> answer(const std::string& text) {
    WATTUNE_ASSIGN(const Request request, parse_request(text, session_->space()));
    if (request.is_contest) return hold_contest(request.configurations);
    evaluator().expect(request.configurations);
    return evaluate(request.configurations.front());
  }

  Result<std::string> evaluate(const Configuration& configuration) {
    WATTUNE_ASSIGN(Observation observation, evaluator().evaluate(configuration));
    WATTUNE_ASSIGN(const std::string line, line_of(configuration, std::move(observation)));
    return write_evaluation(line, evaluator().turn_overhead());
  }

  Result<std::string> hold_contest(const std::vector<Configuration>& configurations) {
    const measure::ShootOutOptions options{.cancel = &ending_.cancel};
    WATTUNE_ASSIGN(tune::Contest contest, evaluator().hold_contest(configurations, options));
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < contest.observations.size(); ++i) {
      WATTUNE_ASSIGN(lines.emplace_back(), line_of(configurations[i], std::move(contest.observations[i])));
    }
    return write_contest(lines, contest.rounds);
  }

  Result<std::string> line_of(const Configuration& configuration, Observation observation) const {
    const Trial trial{.configuration = configuration,
                      .observation = std::move(observation),
                      .finished_at = std::chrono::system_clock::now()};
    std::string line;
    WATTUNE_TRY(encoder_->encode(trial, line));
    return line;
  }

  Ending ending_;
  Nanoseconds deadline_;
  std::string recording_;  // hash of the results that answer in the place of a device; empty if there is one
  std::unique_ptr<tune::TuningSession> session_;
  std::optional<store::TrialEncoder> encoder_;
};

// Returns the devices on which evaluators may work: those that `wanted` names or, with "auto", the best one and all
// others of its model.
nb::list devices_for(const Spec& spec, const std::string& wanted) {
  std::vector<DeviceInfo> devices;
  {
    const nb::gil_scoped_release released;
    auto chosen = tune::find_devices_for(spec.spec, wanted);
    if (!chosen) throw Exception(chosen.error());
    devices = *std::move(chosen);
    const auto found = wanted == "auto" ? tune::find_devices() : Error(ErrorCode::internal, "not asked");
    if (found)
      for (std::vector<DeviceInfo>& model : tune::by_model(found->devices))
        if (std::ranges::count(model, devices.front().selector, &DeviceInfo::selector) > 0) devices = std::move(model);
  }
  nb::list all;
  for (const DeviceInfo& each : devices) all.append(facts_of(each));
  return all;
}

}  // namespace

void bind_evaluator(nb::module_& module) {
  nb::class_<Evaluator>(module, "Evaluator")
      .def(nb::init<const Spec&, const nb::dict&>(), nb::arg("spec"), nb::arg("options"))
      .def("run", &Evaluator::run, nb::arg("request"))
      .def("description", &Evaluator::description)
      .def("identity", &Evaluator::identity)
      .def("device", &Evaluator::device)
      .def("holds_contests", &Evaluator::holds_contests)
      .def("deadline", &Evaluator::deadline)
      .def("cancel", &Evaluator::cancel);
  module.def("devices_for", &devices_for, nb::arg("spec"), nb::arg("wanted"));
}

}  // namespace wattune::python
