// `wattune corun --forecast networks`: on a simulated GT 640, with networks that learned from few recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/run_program.h"
#include "schedule/interface/board_networks.h"
#include "simulate/interface/gt640_kernels.h"
#include "simulate/interface/steady_flow.h"
#include "wattune/model/occupancy.h"
#include "wattune/schedule/profile_record.h"
#include "wattune/store/formats.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

constexpr double kRunMs = 10.0;

// Writes what users have of kernels like Jiao's: a recording of each at all clocks, and a file of their profiles.
class RecordedKernels {
 public:
  RecordedKernels(const TempFolder& folder, std::size_t count) {
    std::vector<schedule::ProfileRecord> profiles;
    for (const simulate::SimulatedKernel& kernel : simulate::gt640_varied_kernels(count, 1)) {
      const simulate::Residents all{&kernel, model::occupancy(simulate::gt640().capability, kernel.block)->blocks};
      profiles.push_back(profile_of(kernel, all));
      folder.write(kernel.name + ".json", store::write_json(recording_of(kernel, all)));
      files_ += (files_.empty() ? "" : ",") + kernel.name + ".json";
    }
    folder.write("profiles.jsonl", schedule::write_profiles(profiles));
  }
  const std::string& files() const { return files_; }

 private:
  static schedule::ProfileRecord profile_of(const simulate::SimulatedKernel& kernel, const simulate::Residents& all) {
    schedule::ProfileRecord record{.identity = {{"device", "simulated GT640"}}, .traits = {}};
    record.traits.name = kernel.name;
    record.traits.block = kernel.block;
    record.traits.alone = nanoseconds_from_ms(kRunMs);
    record.features = simulate::steady_flow(simulate::gt640(), {&all, 1}).features;
    return record;
  }
  static ResultSet recording_of(const simulate::SimulatedKernel& kernel, const simulate::Residents& all) {
    const auto names =
        std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"nvml_gr_clock", "nvml_mem_clock"});
    ResultSet results;
    results.info.kernel_name = kernel.name;
    results.info.parameters = {{.name = "nvml_gr_clock", .role = ParameterRole::graphics_clock},
                               {.name = "nvml_mem_clock", .role = ParameterRole::memory_clock}};
    const double operations =
        1e6 * kRunMs * simulate::steady_flow(simulate::gt640(), {&all, 1}).operations;  // of a run
    for (const simulate::ClockPair& clocks : simulate::clock_pairs(simulate::gt640())) {
      for (Parameter& parameter : results.info.parameters) {
        const Megahertz clock = parameter.role == ParameterRole::graphics_clock ? clocks.core : clocks.memory;
        if (std::ranges::find(parameter.values, Value(clock.value())) == parameter.values.end())
          parameter.values.emplace_back(clock.value());
      }
      const double joules =
          operations / simulate::efficiency_at(simulate::gt640(), clocks, {&all, 1}).operations_per_joule();
      Trial trial{.configuration = Configuration(0, names, {clocks.core.value(), clocks.memory.value()}),
                  .observation = {},
                  .finished_at = {}};
      const Nanoseconds time = nanoseconds_from_ms(kRunMs);
      trial.observation.statistics =
          Statistics{.median = time, .interval_low = time, .interval_high = time, .mean = time, .minimum = time};
      trial.observation.metrics = {{.name = "energy", .value = joules, .unit = "J"}};
      results.trials.push_back(trial);
    }
    return results;
  }

  std::string files_;
};

// Returns kernels that differ from each other, of which networks learn nothing that is true.
std::vector<schedule::RecordedKernel> any_recordings() {
  std::vector<schedule::RecordedKernel> kernels(16);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double number = 1.0 + static_cast<double>(i);
    kernels[i].features.values.fill(number);
    kernels[i].operations = 1e9;
    kernels[i].points = {{{.graphics = Megahertz(1000)}, Joules(number)},
                         {{.graphics = Megahertz(2000)}, Joules(number + 1.0)}};
  }
  return kernels;
}

class CorunNetworks : public testing::Test {
 protected:
  Finished corun(std::vector<std::string> arguments, const std::string& device = "simulated:GT640") {
    arguments.insert(arguments.begin(), {"corun", "--device", device, "--kernels", "Srad,Hotspot,Bt", "--works", "20"});
    return run_wattune(folder_, arguments);
  }
  Finished by_networks(std::vector<std::string> arguments, const std::string& device = "simulated:GT640") {
    arguments.insert(arguments.begin(), {"--forecast", "networks", "--objective", "energy", "--policies", "greedy"});
    return corun(arguments, device);
  }
  // Returns the single line with which a command ended.
  static std::string line_of(const Finished& finished, int status = 2) {
    EXPECT_EQ(finished.status, status);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err;
  }

  TempFolder folder_;
};

TEST_F(CorunNetworks, LearnFromRecordingsAndChooseAmongAllPairsOfClocks) {
  const RecordedKernels kernels(folder_, 22);
  std::vector<std::string> arguments = {"--profiles", "profiles.jsonl", "--networks", "gt640.jsonl",
                                        "--clocks",   "auto",           "--json"};
  std::vector<std::string> training = arguments;
  training.insert(training.end(), {"--recordings", kernels.files()});
  const Finished first = by_networks(training);
  ASSERT_EQ(first.status, 0) << first.err;
  const nlohmann::json queue = first.json()["queue"];
  EXPECT_EQ(queue["clocks_mhz"].size(), 36U);
  const nlohmann::json& last = queue["policies"].back();
  EXPECT_EQ(last["policy"], "greedy, energy by networks");
  for (const nlohmann::json& kernel : queue["kernels"]) {
    EXPECT_EQ(kernel["at_clocks"].size(), 0U);  // nothing was profiled at clocks
    EXPECT_NE(kernel["best_memory_clock_mhz"], nullptr);
  }
  for (const nlohmann::json& pair : last["pairs"]) {
    EXPECT_NE(pair["memory_clock_mhz"], nullptr);
    EXPECT_EQ(pair["correction"], nlohmann::json({1.0, 1.0}));
  }
  EXPECT_GT(last["joules"], 0.0);
  // The file has the networks now, which give the same answer.
  EXPECT_EQ(by_networks(arguments).out, first.out);
  EXPECT_THAT(line_of(by_networks(training)), HasSubstr("gt640.jsonl: the file has networks already"));
  EXPECT_THAT(line_of(by_networks({"--networks", "gt640.jsonl"}, "simulated:K20c")),
              HasSubstr("these networks were trained for simulated GT640, not for simulated K20c"));
  arguments.back() = "--explain";
  EXPECT_THAT(by_networks(arguments).out, testing::ContainsRegex("Hotspot +[0-9]+/[0-9]+ MHz"));
}

// Without --clocks the networks choose pairs, and the board keeps its clocks.
TEST_F(CorunNetworks, ChoosePairsAtTheBoardsOwnClocks) {
  const RecordedKernels kernels(folder_, 16);
  const Finished finished = by_networks({"--profiles", "profiles.jsonl", "--recordings", kernels.files(), "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  EXPECT_EQ(queue["clocks_mhz"], nullptr);
  EXPECT_EQ(queue["policies"].back()["policy"], "greedy, energy by networks");
  for (const nlohmann::json& pair : queue["policies"].back()["pairs"]) EXPECT_EQ(pair["clock_mhz"], nullptr);
}

TEST_F(CorunNetworks, SayInOneLineWhatCannotBe) {
  EXPECT_THAT(line_of(corun({"--forecast", "networks", "--policies", "greedy"})),
              HasSubstr("networks predict operations per joule only, and neither times nor watts: `work per time`"));
  EXPECT_THAT(line_of(by_networks({"--slowdown", "10%"})), HasSubstr("without --slowdown and --power-cap"));
  EXPECT_THAT(line_of(corun({"--forecast", "networks", "--objective", "energy", "--policies", "paired"})),
              HasSubstr("networks decide only for the policy `greedy`: `paired` (--policies greedy)"));
  EXPECT_THAT(line_of(corun({"--networks", "gt640.jsonl"})),
              HasSubstr("--networks and --recordings need networks that decide: `gt640.jsonl`"));
  EXPECT_THAT(line_of(by_networks({}, "simulated:C2050"), 3), HasSubstr("the power of this GPU is not simulated"));
  const RecordedKernels kernels(folder_, 15);
  EXPECT_THAT(line_of(by_networks({"--profiles", "profiles.jsonl", "--recordings", kernels.files()})),
              HasSubstr("networks with 15 features need at least 16 recorded kernels to learn from: `15`"));
  EXPECT_THAT(line_of(by_networks({"--recordings", kernels.files()})),
              HasSubstr("no profile tells the features of this recorded kernel"));
}

// An OpenCL device without counts of instructions has no features, and networks of another board do not help.
TEST_F(CorunNetworks, WithoutFeaturesNothingRuns) {
  if (!has_opencl(folder_)) GTEST_SKIP() << "no OpenCL device on this machine";
  folder_.write("scale.cl", "__kernel void scale(__global float* x) { x[get_global_id(0)] *= 1.5f; }\n");
  folder_.write("scale.toml",
                "[kernel]\nfile = \"scale.cl\"\nfunction = \"scale\"\narguments = [\n"
                "  { name = \"x\", type = \"float*\", length = \"n\", access = \"readwrite\", fill = \"iota\" },\n]\n"
                "[problem]\nn = 8192\n[launch]\nglobal = [\"n\"]\nlocal = [\"64\"]\n[parameters]\nk = [1]\n");
  const std::vector<std::string> arguments = {"corun",      "scale.toml", "scale.toml",  "--device",   "opencl:0:0",
                                              "--forecast", "networks",   "--objective", "energy",     "--policies",
                                              "greedy",     "--works",    "4",           "--networks", "n.jsonl"};
  EXPECT_THAT(line_of(run_wattune(folder_, arguments), 3), HasSubstr("there are no networks for this board"));
  schedule::BoardNetworks networks = schedule::train_networks("any", any_recordings(), 1).value();
  const nlohmann::json devices = run_wattune(folder_, {"devices", "--json"}).json();
  for (const nlohmann::json& device : devices["devices"])
    if (device["selector"] == "opencl:0:0") networks.board = device["name"];
  folder_.write("n.jsonl", schedule::write_networks(networks));
  const Finished finished = run_wattune(folder_, arguments);
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.err, HasSubstr("networks need the features of each kernel, and those of this one are unknown"));
}

}  // namespace
}  // namespace wattune::cli_test
