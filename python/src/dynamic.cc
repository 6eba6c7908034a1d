// Tuner: kernels of specs that tune themselves while Python calls them on memory of a CUDA device.
//
// The tuner's threads call no Python. Each function that may wait releases the interpreter lock.
#include "wattune/dynamic/tuner.h"

#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>
#include <utility>

#include "module.h"
#include "own_arguments.h"
#include "spec.h"
#include "wattune/backend/attach.h"

namespace wattune::python {

namespace {

template <typename T>
using Names = std::initializer_list<std::pair<std::string_view, T>>;

template <typename T>
T named(const std::string& given, std::string_view what, Names<T> names) {
  std::string known;
  for (const auto& [name, value] : names) {
    if (given == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  raise(wrong(std::string(what) + " is one of " + known, given));
}

dynamic::Mode mode_from(const std::string& name) {
  using dynamic::Mode;
  return named<Mode>(name, "a mode",
                     {{"automatic", Mode::automatic}, {"best", Mode::best}, {"explore", Mode::explore}});
}

dynamic::TuningPolicy policy_from(const Options& options) {
  using dynamic::Measuring;
  using dynamic::Safety;
  dynamic::TuningPolicy policy;
  policy.mode = mode_from(options.get<std::string>("mode"));
  policy.safety =
      named<Safety>(options.get<std::string>("safety"), "a level of safety",
                    {{"screened", Safety::screened}, {"shadowed", Safety::shadowed}, {"trusted", Safety::trusted}});
  policy.measuring = named<Measuring>(options.get<std::string>("measuring"), "measuring",
                                      {{"paired", Measuring::paired}, {"exclusive", Measuring::exclusive}});
  policy.strategy = options.get<std::string>("strategy");
  policy.stop.evaluations = options.find<std::uint64_t>("evaluations");
  if (const auto seconds = options.find<double>("seconds")) policy.stop.time = nanoseconds_from_seconds(*seconds);
  value_or_raise(policy.stop.validate());
  policy.calls_before_tuning = options.get<std::uint64_t>("calls_before_tuning");
  policy.tune_known = options.get<bool>("tune_known");
  policy.adopt_unverified = options.get<bool>("adopt_unverified");
  policy.seed = options.get<std::uint64_t>("seed", 1);
  return policy;
}

// A kernel of a tuner, which it keeps alive.
class TunedKernel {
 public:
  TunedKernel(std::shared_ptr<dynamic::Tuner> tuner, KernelSpec spec, const Options& options)
      : tuner_(std::move(tuner)), spec_(std::move(spec)) {
    const dynamic::KernelOptions made{.policy = policy_from(options)};
    const nb::gil_scoped_release released;
    auto kernel = tuner_->kernel(spec_, made);
    if (!kernel) throw Exception(kernel.error());
    kernel_ = *std::move(kernel);
  }

  void call(const nb::list& arguments, std::uint64_t stream, const nb::dict& sizes, std::optional<std::string> mode) {
    const std::vector<backend::OwnArgument> own = own_arguments(spec_, arguments);
    const std::vector<NamedSize> named_sizes = sizes_from(sizes);
    const dynamic::CallOptions options{.sizes = named_sizes,
                                       .mode = mode ? std::optional(mode_from(*mode)) : std::nullopt};
    waiting([&] { return kernel_->call(reinterpret_cast<CUstream_st*>(stream), own, options); });
  }

  void tune_now(const nb::list& arguments, std::uint64_t stream, const nb::dict& sizes) {
    const std::vector<backend::OwnArgument> own = own_arguments(spec_, arguments);
    const std::vector<NamedSize> named_sizes = sizes_from(sizes);
    waiting([&]() -> Result<void> {
      WATTUNE_TRY(kernel_->tune_now(reinterpret_cast<CUstream_st*>(stream), own, {.sizes = named_sizes}));
      return {};
    });
  }

  void preload(const nb::dict& sizes) {
    const std::vector<NamedSize> named_sizes = sizes_from(sizes);
    waiting([&] { return kernel_->preload(named_sizes); });
  }

  void expect(const nb::dict& sizes, std::optional<std::uint64_t> calls) {
    const std::vector<NamedSize> named_sizes = sizes_from(sizes);
    waiting([&] { return kernel_->expect(named_sizes, calls); });
  }

  std::size_t update_graph(std::uint64_t stream, std::uint64_t executable, std::uint64_t graph) {
    const nb::gil_scoped_release released;
    const Result<std::size_t> updated =
        kernel_->update_graph(reinterpret_cast<CUstream_st*>(stream), reinterpret_cast<CUgraphExec_st*>(executable),
                              reinterpret_cast<CUgraph_st*>(graph));
    if (!updated) throw Exception(updated.error());
    return *updated;
  }

  nb::object best(const nb::dict& sizes) const {
    const std::optional<Configuration> best = kernel_->best(dynamic::key_of(sizes_from(sizes)));
    return best ? nb::object(to_python(*best)) : nb::object(nb::none());
  }

  void set_mode(const std::string& mode) { kernel_->set_mode(mode_from(mode)); }
  void retune() { kernel_->retune(); }

 private:
  template <typename Function>
  static void waiting(Function&& function) {
    const nb::gil_scoped_release released;
    if (const Result<void> done = function(); !done) throw Exception(done.error());
  }

  const std::shared_ptr<dynamic::Tuner> tuner_;
  const KernelSpec spec_;
  std::unique_ptr<dynamic::TunableKernel> kernel_;
};

class Tuner {
 public:
  Tuner(int device, const nb::dict& given) {
    const Options options(given);
    dynamic::TunerOptions made;
    made.budget.share = options.get<double>("share", made.budget.share);
    made.budget.reinvested = options.get<double>("reinvested", made.budget.reinvested);
    if (const auto longest = options.find<double>("longest_stall"))
      made.budget.longest = nanoseconds_from_seconds(*longest);
    made.wisdom = options.get<std::string>("wisdom");
    for (const nb::handle each : options.list("known")) made.known.emplace_back(nb::cast<std::string>(each));
    made.compile_processes = options.get<std::size_t>("compile_processes", made.compile_processes);
    const nb::gil_scoped_release released;
    auto opened = backend::open_cuda_in_primary_context("cuda:" + std::to_string(device));
    if (!opened) throw Exception(opened.error());
    auto attached = dynamic::Tuner::attach(**opened, made);
    if (!attached) throw Exception(attached.error());
    parts_ = std::make_shared<Parts>(Parts{*std::move(opened), *std::move(attached)});
  }

  std::unique_ptr<TunedKernel> kernel(const Spec& spec, const nb::dict& options) {
    KernelSpec chosen = spec.spec;
    const std::shared_ptr<dynamic::Tuner> tuner = open();
    value_or_raise(use_language(chosen, parts_->device->info().languages));
    return std::make_unique<TunedKernel>(tuner, std::move(chosen), Options(options));
  }
  double gap(double seconds) {
    const std::shared_ptr<dynamic::Tuner> tuner = open();
    const nb::gil_scoped_release released;
    return to_seconds(tuner->gap(nanoseconds_from_seconds(seconds)));
  }
  void set_mode(const std::string& mode) { open()->set_mode(mode_from(mode)); }
  std::string report() const { return dynamic::report_json(open()->report()); }
  void save() {
    const std::shared_ptr<dynamic::Tuner> tuner = open();
    const nb::gil_scoped_release released;
    if (const Result<void> saved = tuner->save(); !saved) throw Exception(saved.error());
  }
  // Lets the tuner go. It ends once no kernel of it exists.
  void close() {
    const std::shared_ptr<Parts> parts = std::exchange(parts_, nullptr);
    const nb::gil_scoped_release released;
    if (parts == nullptr) return;
    if (const Result<void> saved = parts->tuner->save(); !saved) throw Exception(saved.error());
  }

 private:
  // The device outlives the tuner, and each kernel keeps both.
  struct Parts {
    std::unique_ptr<backend::Device> device;
    std::unique_ptr<dynamic::Tuner> tuner;
  };

  std::shared_ptr<dynamic::Tuner> open() const {
    if (parts_ == nullptr) raise(Error(ErrorCode::unavailable, "this tuner is closed"));
    return {parts_, parts_->tuner.get()};
  }

  std::shared_ptr<Parts> parts_;
};

}  // namespace

void bind_dynamic(nb::module_& module) {
  nb::class_<TunedKernel>(module, "TunedKernel")
      .def("call", &TunedKernel::call, nb::arg("arguments"), nb::arg("stream"), nb::arg("sizes"),
           nb::arg("mode").none())
      .def("tune_now", &TunedKernel::tune_now, nb::arg("arguments"), nb::arg("stream"), nb::arg("sizes"))
      .def("preload", &TunedKernel::preload, nb::arg("sizes"))
      .def("expect", &TunedKernel::expect, nb::arg("sizes"), nb::arg("calls").none())
      .def("update_graph", &TunedKernel::update_graph, nb::arg("stream"), nb::arg("executable"), nb::arg("graph"))
      .def("best", &TunedKernel::best, nb::arg("sizes"))
      .def("set_mode", &TunedKernel::set_mode, nb::arg("mode"))
      .def("retune", &TunedKernel::retune);
  nb::class_<Tuner>(module, "Tuner")
      .def(nb::init<int, const nb::dict&>(), nb::arg("device"), nb::arg("options"))
      .def("kernel", &Tuner::kernel, nb::arg("spec"), nb::arg("options"))
      .def("gap", &Tuner::gap, nb::arg("seconds"))
      .def("set_mode", &Tuner::set_mode, nb::arg("mode"))
      .def("report", &Tuner::report)
      .def("save", &Tuner::save)
      .def("close", &Tuner::close);
}

}  // namespace wattune::python
