// Measures what a kernel's twin costs when it runs the whole grid alone. The program prints the time of each twin over
// the time of the kernel, measured in turns by the device's clock. Needs an NVIDIA GPU.
//
//   twin_cost [--json] benchmarks/gemm/gemm.toml@m=4096,n=4096,k=4096 benchmarks/copy/copy.toml
//
// The default configuration of each spec runs, at the sizes after the @, or else at those of the spec.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/median.h"
#include "lab/perf/rows.h"
#include "schedule/interface/device_machine.h"
#include "schedule/machine/device_parts.h"
#include "wattune/backend/attach.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"

namespace {

using namespace wattune;
using schedule::Form;

constexpr int kRounds = 15;

class Kernel {
 public:
  Kernel(backend::Device& device, schedule::DeviceMachine& machine,
         std::shared_ptr<const schedule::LoadedKernel> loaded)
      : device_(device), machine_(machine), loaded_(std::move(loaded)) {}

  Result<perf::Row> measure() {
    WATTUNE_ASSIGN(traits_, machine_.traits_of(*loaded_));
    WATTUNE_ASSIGN(stream_, device_.create_stream());
    WATTUNE_ASSIGN(traits_.alone, time_of(whole()));
    WATTUNE_ASSIGN(id_, machine_.add(loaded_, traits_));
    std::map<std::string, std::vector<double>> ratios;
    std::vector<double> alone;
    for (int round = 0; round < kRounds; ++round) {
      WATTUNE_ASSIGN(const Nanoseconds time, time_of(whole()));
      alone.push_back(to_ms(time));
      WATTUNE_TRY(add_ratios(time, ratios));
    }
    perf::Row row{.part = "twins", .what = loaded_->name, .kernel_ms = median_of(alone)};
    row.add("blocks", static_cast<double>(traits_.blocks));
    row.add("resident", traits_.profile.blocks_alone);
    for (auto& [form, of] : ratios) row.add(form, 100.0 * (median_of(of) - 1.0));
    return row;
  }

 private:
  schedule::DevicePart whole() const { return {loaded_->code->whole.get(), loaded_->geometry, loaded_->arguments}; }

  Result<Nanoseconds> time_of(const schedule::DevicePart& part) {
    WATTUNE_ASSIGN(const auto event, stream_->launch(*part.kernel, part.geometry, part.arguments));
    WATTUNE_TRY(stream_->finish(nanoseconds_from_seconds(10)));
    return event->duration();
  }

  Result<void> add_ratios(Nanoseconds time, std::map<std::string, std::vector<double>>& ratios) {
    WATTUNE_ASSIGN(const Nanoseconds again, time_of(whole()));
    ratios["again"].push_back(again / time);
    for (const slice::TwinForm form : {slice::TwinForm::add, slice::TwinForm::linear}) {
      const auto part = sliced(form);
      if (!part) continue;
      WATTUNE_ASSIGN(const Nanoseconds twin, time_of(*part));
      ratios[std::string(slice::to_string(form))].push_back(twin / time);
    }
    if (!traits_.persistent) return {};
    WATTUNE_ASSIGN(const Nanoseconds twin, time_of_persistent());
    ratios["persistent"].push_back(twin / time);
    return {};
  }

  // Returns the launch of the twin `form` that runs the whole grid as one slice; nullopt if the kernel has no such
  // twin.
  std::optional<schedule::DevicePart> sliced(slice::TwinForm form) const {
    if (loaded_->code->twin(form) == nullptr) return std::nullopt;
    const slice::Grid grid = schedule::grid_of(loaded_->geometry);
    if (form == slice::TwinForm::add)
      return schedule::twin_part(*loaded_, form, grid, slice::add_words(grid, {.size = grid}));
    const auto words = slice::linear_words(grid, 0);
    if (!words) return std::nullopt;
    return schedule::twin_part(*loaded_, form, {static_cast<std::uint32_t>(traits_.blocks), 1, 1}, *words);
  }

  Result<Nanoseconds> time_of_persistent() {
    WATTUNE_TRY(machine_.launch(
        {.kernel = id_, .form = Form::persistent, .blocks = traits_.blocks, .per_sm = traits_.profile.blocks_alone}));
    for (;;)
      for (const schedule::Ended& ended : machine_.wait(machine_.now() + nanoseconds_from_seconds(10))) {
        if (ended.error) return *ended.error;
        return ended.end - ended.begin;
      }
  }

  backend::Device& device_;
  schedule::DeviceMachine& machine_;
  std::shared_ptr<const schedule::LoadedKernel> loaded_;
  schedule::KernelTraits traits_;
  schedule::KernelId id_ = 0;
  std::unique_ptr<backend::Stream> stream_;
};

// Parses sizes of a problem such as "n=4,m=8".
std::vector<NamedSize> sizes_of(std::string_view text) {
  std::vector<NamedSize> sizes;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    const std::size_t equals = one.find('=');
    sizes.push_back({std::string(one.substr(0, equals)), std::stoll(std::string(one.substr(equals + 1)))});
    text.remove_prefix(std::min(text.size(), one.size() + 1));
  }
  return sizes;
}

Result<perf::Row> measure(backend::Device& device, schedule::DeviceMachine& machine, const std::string& what) {
  const std::size_t at = what.find('@');
  const std::vector<NamedSize> sizes = sizes_of(at == std::string::npos ? std::string() : what.substr(at + 1));
  WATTUNE_ASSIGN(const KernelSpec spec, spec::load(what.substr(0, at), spec::SourcePolicy::required, sizes));
  WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
  WATTUNE_ASSIGN(auto copies, schedule::load_kernel(device, spec, space.configuration(space.default_configuration())));
  return Kernel(device, machine, copies.front()).measure();
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::string(argv[1]) == "--json";
  auto device = backend::open_cuda_in_primary_context("cuda:0");
  if (!device) {
    fmt::print(stderr, "twin_cost: {}\n", device.error().to_string());
    return 1;
  }
  perf::Report report(json);
  int failed = 0;
  for (int i = json ? 2 : 1; i < argc; ++i) {
    auto machine = schedule::DeviceMachine::make(**device);
    const auto row = machine ? measure(**device, **machine, argv[i]) : Result<perf::Row>(machine.error());
    if (row) report.add(*row);
    if (!row) fmt::print(stderr, "twin_cost: {}: {}\n", argv[i], row.error().to_string());
    failed += row ? 0 : 1;
  }
  report.end();
  return failed == 0 ? 0 : 1;
}
