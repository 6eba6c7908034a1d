#include "optimum.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "forecast.h"
#include "wattune/backend/compile_pool.h"
#include "wattune/core/identity.h"
#include "wattune/core/random.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace batched_gemm {

namespace {

using wattune::Configuration;
using wattune::Error;
using wattune::ErrorCode;
using wattune::Nanoseconds;
using wattune::Result;
namespace backend = wattune::backend;

constexpr double kClose = 1.03;    // times the best: limit for a precise measurement
constexpr double kHopeless = 1.5;  // times the best: limit for further samples
constexpr int kScreeningSamples = 3;
constexpr int kTurns = 9;
constexpr int kLaunchesOfTurn = 4;

// A configuration that compiled.
struct Contestant {
  Configuration configuration;
  std::unique_ptr<backend::Kernel> kernel;
  backend::Geometry3 geometry;
  std::vector<Nanoseconds> samples;

  Nanoseconds time() const {
    std::vector<Nanoseconds> sorted = samples;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    return sorted[sorted.size() / 2];
  }
};

// Returns the configurations to measure: those that the forecast ranks first, those that the options name, and a random
// sample.
std::vector<Configuration> chosen_configurations(const wattune::space::SearchSpace& space, const Sizes& sizes,
                                                 const ScreeningOptions& options) {
  wattune::Random random(options.seed);
  const auto count = static_cast<std::size_t>(space.count());
  std::vector<Configuration> chosen;
  const auto choose = [&](const Configuration& each) {
    if (std::ranges::find(chosen, each) == chosen.end()) chosen.push_back(each);
  };
  for (Values likely : likely_values(sizes, kGuesses)) {
    likely.insert(likely.end(), {{"SIZE_A", sizes.a}, {"SIZE_B", sizes.b}, {"SIZE_C", sizes.c}});
    if (const auto id = space.find(likely)) choose(space.configuration(*id));
  }
  std::ranges::for_each(options.also, choose);
  for (const auto id : space.sample_stratified(options.configurations == 0 ? count : options.configurations, random))
    choose(space.configuration(id));
  return chosen;
}

// Compiles the next configurations in other processes, if the device's compiler can run there.
class Builder {
 public:
  Builder(backend::Device& device, const wattune::KernelSpec& spec, std::span<const Configuration> configurations,
          std::size_t processes)
      : device_(device), spec_(spec), pool_({.processes = processes}), ahead_(2 * processes) {
    for (const Configuration& each : configurations) macros_.push_back(wattune::tune::macros_of(spec.parameters, each));
    if (auto target = device.compile_target(spec.source)) pooled_.emplace(pool_.add(*std::move(target), spec.source));
  }

  Result<std::unique_ptr<backend::Kernel>> build(std::size_t i) {
    WATTUNE_ASSIGN(const auto program, load(i));
    return program->kernel(spec_.source.function);
  }

 private:
  Result<std::unique_ptr<backend::Program>> load(std::size_t i) {
    if (!pooled_) return device_.build(spec_.source, macros_[i], kLimit);
    const std::size_t end = std::min(macros_.size(), i + ahead_);
    pooled_->expect(
        {macros_.begin() + static_cast<std::ptrdiff_t>(i), macros_.begin() + static_cast<std::ptrdiff_t>(end)}, kLimit);
    WATTUNE_ASSIGN(const backend::Image image, pooled_->take(macros_[i], kLimit).image);
    return device_.load(image, macros_[i], kLimit);
  }

  backend::Device& device_;
  const wattune::KernelSpec& spec_;
  backend::CompilePool pool_;
  std::optional<backend::PooledSource> pooled_;
  std::vector<std::vector<backend::Macro>> macros_;
  std::size_t ahead_;
};

// Returns the geometry that the spec's [launch] describes.
backend::Geometry3 geometry_of(const Configuration& configuration, const Sizes& sizes, std::int64_t batch) {
  const auto value = [&](const char* name) { return static_cast<std::size_t>(configuration.find(name)->as_integer()); };
  const std::size_t products = value("GROUP_SIZE_Z");
  return {.groups = {(static_cast<std::size_t>(batch) + products - 1) / products, 1, 1},
          .group_size = {static_cast<std::size_t>(sizes.c) + value("PADD_C"), value("GROUP_SIZE_Y"), products}};
}

class Contest {
 public:
  Contest(Machine& machine, const Sizes& sizes) : machine_(machine), sizes_(sizes) {
    const auto number = static_cast<std::int32_t>(batch());
    const auto bytes = std::as_bytes(std::span(&number, 1));
    arguments_ = {&machine.a(0), &machine.b(), &machine.c(), backend::ScalarBytes{{bytes.begin(), bytes.end()}}};
  }

  // Measures a configuration quickly. A configuration that fails is left out.
  void screen(const Configuration& configuration, Result<std::unique_ptr<backend::Kernel>> kernel) {
    if (!kernel) return;
    Contestant next{configuration, *std::move(kernel), geometry_of(configuration, sizes_, batch()), {}};
    if (!sample(next, 1)) return;
    next.samples.clear();  // the first launch also loads code, which the driver had deferred
    for (int i = 0; i < kScreeningSamples; ++i) {
      if (!sample(next, 1)) return;
      if (next.time() > best_ * kHopeless) break;
    }
    best_ = std::min(best_, next.time());
    contestants_.push_back(std::move(next));
  }

  // Measures the best configurations in turns, so that disturbances of the device affect all alike.
  Result<void> refine() {
    std::vector<Contestant*> close;
    for (Contestant& each : contestants_)
      if (each.time() <= best_ * kClose) close.push_back(&each);
    for (Contestant* const each : close) each->samples.clear();
    for (int turn = 0; turn < kTurns; ++turn)
      for (Contestant* const each : close) WATTUNE_TRY(sample(*each, kLaunchesOfTurn));
    return {};
  }

  Result<Optimum> result() const {
    if (contestants_.empty()) return Error(ErrorCode::launch_failed, "no configuration works").about(to_string(sizes_));
    const auto best = std::ranges::min_element(contestants_, {}, &Contestant::time);
    Optimum optimum{best->configuration.to_string(), best->time(), {}};
    for (const Contestant& each : contestants_) optimum.times.emplace(each.configuration.to_string(), each.time());
    return optimum;
  }

 private:
  std::int64_t batch() const { return batch_of(sizes_, machine_.bytes()); }

  Result<void> sample(Contestant& contestant, int launches) {
    std::vector<std::unique_ptr<backend::Event>> events;
    for (int i = 0; i < launches; ++i) {
      WATTUNE_ASSIGN(events.emplace_back(),
                     machine_.stream().launch(*contestant.kernel, contestant.geometry, arguments_));
    }
    WATTUNE_TRY(machine_.finish());
    for (const auto& event : events) {
      WATTUNE_ASSIGN(contestant.samples.emplace_back(), event->duration());
    }
    return {};
  }

  Machine& machine_;
  const Sizes sizes_;
  std::vector<backend::LaunchArgument> arguments_;
  std::vector<Contestant> contestants_;
  Nanoseconds best_{1e18};
};

}  // namespace

// Parses the text "NAME=VALUE, NAME=VALUE" of a configuration. All values are whole numbers.
wattune::dynamic::NamedValues Optimum::values() const {
  wattune::dynamic::NamedValues values;
  std::istringstream parts(configuration);
  for (std::string part; std::getline(parts >> std::ws, part, ',');) {
    const std::size_t equals = part.find('=');
    values.emplace_back(part.substr(0, equals), wattune::Value(std::int64_t{std::stoll(part.substr(equals + 1))}));
  }
  return values;
}

Result<Optimum> find_optimum(Machine& machine, const Sizes& sizes, const wattune::KernelSpec& spec,
                             const ScreeningOptions& options) {
  WATTUNE_ASSIGN(const auto space, wattune::space::SearchSpace::build(spec.parameters, spec.constraints));
  const std::vector<Configuration> configurations = chosen_configurations(space, sizes, options);
  Builder builder(machine.device(), spec, configurations, options.compile_processes);
  Contest contest(machine, sizes);
  for (std::size_t i = 0; i < configurations.size(); ++i) contest.screen(configurations[i], builder.build(i));
  WATTUNE_TRY(contest.refine());
  return contest.result();
}

Result<OptimumFile> OptimumFile::open(const std::filesystem::path& path, const Machine& machine,
                                      const std::string& source) {
  OptimumFile file;
  file.path_ = path;
  const auto text = machine.info().name + std::to_string(machine.bytes()) + source;
  file.identity_ = wattune::content_hash(text);
  std::ifstream in(path);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (file.read_line(line)) continue;
    return Error(ErrorCode::parse_error, "a line that is no optimum").at({path.string(), number, 1});
  }
  return file;
}

bool OptimumFile::read_line(const std::string& line) {
  try {
    const nlohmann::json json = nlohmann::json::parse(line);
    if (json.at("identity") != identity_) return true;
    Optimum optimum{json.at("configuration"), Nanoseconds(json.at("time_ns").get<double>()), {}};
    for (const auto& [configuration, time] : json.at("times").items())
      optimum.times.emplace(configuration, Nanoseconds(time.get<double>()));
    known_.insert_or_assign(json.at("sizes").get<std::string>(), std::move(optimum));
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

const Optimum* OptimumFile::find(const Sizes& sizes) const {
  const auto found = known_.find(to_string(sizes));
  return found == known_.end() ? nullptr : &found->second;
}

Result<void> OptimumFile::add(const Sizes& sizes, Optimum optimum) {
  if (!path_.empty()) {
    nlohmann::ordered_json json{{"identity", identity_},
                                {"sizes", to_string(sizes)},
                                {"configuration", optimum.configuration},
                                {"time_ns", optimum.time.value()}};
    for (const auto& [configuration, time] : optimum.times) json["times"][configuration] = time.value();
    std::ofstream out(path_, std::ios::app);
    if (!(out << json.dump() << '\n' << std::flush))
      return Error(ErrorCode::io_error, "cannot be written").about(path_.string());
  }
  known_.insert_or_assign(to_string(sizes), std::move(optimum));
  return {};
}

}  // namespace batched_gemm
