// Measures SearchSpace on every T1 file of a folder: the time to build a space, its size, and the time per operation.
//
//   space_benchmark FOLDER [REPETITIONS]
//
// Times are CPU times of this thread, on which other work on the machine has less effect. The peak is how much the
// resident memory grows during the build, by Linux's numbers.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "space/interface/expression.h"
#include "wattune/space/search_space.h"

namespace {

using wattune::ConfigurationId;
using wattune::Constraint;
using wattune::Parameter;
using wattune::space::Neighbourhood;
using wattune::space::SearchSpace;
using wattune::space::ValueIndices;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Returns the value of a line of /proc/self/status such as "VmRSS: 1234 kB", in MB; 0 if there is no such line.
double status_mb(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::stod(line.substr(key.size())) / 1024;
  }
  return 0;
}

// Resets the peak of the resident memory. Freed memory goes back to the system first, so that its reuse counts as
// growth.
void reset_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Declaration {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
};

Declaration read(const std::filesystem::path& path) {
  std::ifstream file(path);
  const auto space = nlohmann::json::parse(file).at("ConfigurationSpace");
  Declaration declaration;
  for (const auto& parameter : space.at("TuningParameters")) {
    declaration.parameters.push_back(
        {parameter.at("Name"),
         wattune::space::Expression::parse_list(parameter.at("Values").get<std::string>()).value(),
         std::nullopt,
         {}});
  }
  for (const auto& condition : space.at("Conditions"))
    declaration.constraints.push_back({condition.at("Expression"), {}});
  return declaration;
}

double build_time(const Declaration& declaration, int repetitions) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    Declaration copy = declaration;
    const double start = cpu_seconds();
    const auto space = SearchSpace::build(std::move(copy.parameters), std::move(copy.constraints));
    times.push_back(cpu_seconds() - start);
    if (!space || (i > 0 && times.front() > 2.0)) break;
  }
  return median(times);
}

// Returns the mean time of a call f(id), over ids that are drawn before the clock starts.
template <typename F>
double time_per_id(const SearchSpace& space, std::size_t n, F f) {
  wattune::Random random(1);
  std::vector<ConfigurationId> ids;
  for (std::size_t i = 0; i < n; ++i) ids.push_back(space.sample(random));
  const double start = cpu_seconds();
  for (ConfigurationId id : ids) f(id);
  return (cpu_seconds() - start) / static_cast<double>(n);
}

void report(const std::filesystem::path& path, int repetitions) {
  const Declaration declaration = read(path);
  reset_peak();
  const double before = status_mb("VmRSS:");
  const auto built = SearchSpace::build(declaration.parameters, declaration.constraints);
  if (!built) {
    fmt::print("{:<20} {}\n", path.stem().string(), built.error().to_string());
    return;
  }
  const SearchSpace& space = *built;
  const double peak = status_mb("VmHWM:") - before;
  const double build = build_time(declaration, repetitions);

  ValueIndices indices;
  std::size_t guard = 0;  // keeps the loops from being optimised away
  const double unrank = time_per_id(space, 200'000, [&](ConfigurationId id) {
    space.unrank(id, indices);
    guard += indices.back();
  });
  const double round_trip = time_per_id(space, 200'000, [&](ConfigurationId id) {
    space.unrank(id, indices);
    guard += space.rank(indices) == id ? 1 : 0;
  });
  wattune::Random random(2);
  const double sample = time_per_id(space, 200'000, [&](ConfigurationId) {
    space.unrank(space.sample(random), indices);
    guard += indices.back();
  });
  const double neighbours = time_per_id(
      space, 5'000, [&](ConfigurationId id) { guard += space.neighbours(id, Neighbourhood::hamming).size(); });

  fmt::print("{:<18} {:>11} {:>9.2f} {:>8} {:>8.1f} {:>6} {:>7} {:>7.0f} {:>6.0f} {:>7.0f} {:>8.2f}{}\n",
             path.stem().string(), wattune::to_string(space.count()), build * 1e3, space.report().bytes, peak,
             space.report().nodes, space.report().states, unrank * 1e9, (round_trip - unrank) * 1e9, sample * 1e9,
             neighbours * 1e6, guard == 0 ? " " : "");
  if (!space.report().fallback.empty()) fmt::print("    {}\n", space.report().fallback);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: space_benchmark FOLDER [REPETITIONS]\n");
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  fmt::print("{:<18} {:>11} {:>9} {:>8} {:>8} {:>6} {:>7} {:>7} {:>6} {:>7} {:>8}\n", "space", "valid", "build ms",
             "bytes", "peak MB", "nodes", "states", "unrank", "rank", "sample", "Hamming");
  fmt::print("{:<18} {:>11} {:>9} {:>8} {:>8} {:>6} {:>7} {:>7} {:>6} {:>7} {:>8}\n", "", "", "(median)", "", "", "",
             "", "ns", "ns", "ns", "us");
  for (const std::filesystem::path& file : files) report(file, argc > 2 ? std::atoi(argv[2]) : 21);
  return 0;
}
