#include "schedule/interface/board_networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/interface/fused_features.h"
#include "schedule/interface/simulated_machine.h"
#include "simulate/interface/gt640_kernels.h"
#include "simulate/interface/steady_flow.h"
#include "store/interface/sealed_line.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBoard = "simulated GT640";

simulate::Residents all_blocks(const simulate::SimulatedKernel& kernel) {
  return {&kernel, model::occupancy(simulate::gt640().capability, kernel.block)->blocks};
}

// Returns a kernel as if a GT 640 had been recorded at all its clocks: the energy of 1e9 operations.
RecordedKernel recorded(const simulate::SimulatedKernel& kernel) {
  const simulate::Residents all = all_blocks(kernel);
  RecordedKernel recorded{
      .features = simulate::steady_flow(simulate::gt640(), {&all, 1}).features, .operations = 1e9, .points = {}};
  for (const simulate::ClockPair& clocks : simulate::clock_pairs(simulate::gt640())) {
    const simulate::Efficiency there = simulate::efficiency_at(simulate::gt640(), clocks, {&all, 1});
    recorded.points.push_back({{.graphics = clocks.core, .memory = clocks.memory},
                               Joules(recorded.operations / there.operations_per_joule())});
  }
  return recorded;
}

std::vector<RecordedKernel> recordings(std::size_t count) {
  std::vector<RecordedKernel> kernels;
  for (const simulate::SimulatedKernel& kernel : simulate::gt640_varied_kernels(count, 1))
    kernels.push_back(recorded(kernel));
  return kernels;
}

// Networks of two members, which learned from 33 recordings.
const BoardNetworks& networks() {
  static const BoardNetworks trained = train_networks(kBoard, recordings(33), 2).value();
  return trained;
}

KernelTraits traits_of(const char* name) {
  const simulate::Gt640Kernel& row = *simulate::find_gt640_kernel(name);
  KernelTraits traits = schedule::traits_of(row.kernel, simulate::gt640()).value();
  const simulate::Residents all = all_blocks(row.kernel);
  traits.features = simulate::steady_flow(simulate::gt640(), {&all, 1}).features;
  return traits;
}

TEST(BoardNetworks, LearnFromRecordings) {
  EXPECT_EQ(networks().clocks.size(), 36U);
  EXPECT_EQ(networks().members.size(), 2U);
  double error = 0.0;
  const auto& unknown = simulate::gt640_kernels();
  for (const simulate::Gt640Kernel& row : unknown) {
    const RecordedKernel kernel = recorded(row.kernel);
    const double best =
        kernel.operations / std::ranges::min_element(kernel.points, {}, &RecordedKernel::Point::energy)->energy.value();
    error += std::abs(networks().at(kernel.features).efficiency / best - 1.0) / static_cast<double>(unknown.size());
  }
  EXPECT_LT(error, 0.10);
}

TEST(BoardNetworks, TheirAnswerIsTheMeanOfTheirMembers) {
  const model::KernelFeatures features = *traits_of("Hotspot").features;
  const model::BestClocks one = networks().members[0].at(features), other = networks().members[1].at(features);
  EXPECT_NE(one.efficiency, other.efficiency);
  EXPECT_NEAR(networks().at(features).efficiency, (one.efficiency + other.efficiency) / 2.0, 1e-6 * one.efficiency);
  EXPECT_NEAR(networks().at(features).memory.value(), (one.memory + other.memory).value() / 2.0, 1e-6);
}

TEST(BoardNetworks, LearnNothingFromTooFewRecordings) {
  EXPECT_EQ(train_networks(kBoard, recordings(15)).error().to_string(),
            "networks with 15 features need at least 16 recorded kernels to learn from: `15`");
  auto without_traffic = recordings(16);
  for (RecordedKernel& each : without_traffic) each.features[model::Feature::dram_throughput] = 0.0;
  EXPECT_THAT(train_networks(kBoard, without_traffic).error().to_string(), HasSubstr("reads or writes DRAM"));
}

TEST(BoardNetworks, LearnFromKnownMemoryClocksOnly) {
  auto kernels = recordings(16);
  for (RecordedKernel::Point& point : kernels.back().points) point.clocks.memory.reset();
  EXPECT_THAT(train_networks(kBoard, kernels).error().to_string(),
              HasSubstr("some recordings tell the memory's clock and others do not"));
}

TEST(BoardNetworks, NeedABoardThatDrawsPower) {
  EXPECT_EQ(train_networks(*simulate::find_gpu_model("C2050"), 1).error().to_string(),
            "the power of this GPU is not simulated, so that networks cannot learn from it: `C2050`");
}

TEST(BoardNetworks, ComeBackFromTheirFile) {
  const std::string text = write_networks(networks());
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  const auto again = read_networks(text, "gt640.jsonl", kBoard);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(write_networks(*again), text);
  EXPECT_EQ(again->clocks, networks().clocks);
}

// Returns why such a text holds no networks of the GT 640.
std::string refused(const std::string& text) { return read_networks(text, "gt640.jsonl", kBoard).error().to_string(); }

// Replaces a part of the first line and seals the line anew.
std::string resealed(std::string_view part, std::string_view other) {
  const std::string text = write_networks(networks());
  std::string line = text.substr(0, text.find(",\"xxh3\""));
  line.replace(line.find(part), part.size(), other);
  store::seal(line);
  return line;
}

TEST(BoardNetworks, OfAnotherBoardOrShapeAreRefusedInOneLine) {
  EXPECT_EQ(read_networks(write_networks(networks()), "gt640.jsonl", "NVIDIA H200").error().to_string(),
            "gt640.jsonl: these networks were trained for simulated GT640, not for NVIDIA H200 (each board needs "
            "networks of its "
            "own, in another file)");
  EXPECT_EQ(refused(resealed("15-21-1", "15-20-1")),
            "gt640.jsonl: network: a network of the shape 15-21-1 is needed: `15-20-1` (remove the file, or name "
            "another, to train them anew)");
  EXPECT_THAT(refused(resealed("\"clocks\":[[562", "\"clocks\":[[563") + write_networks(networks())),
              HasSubstr("it is of another board than the first line"));
}

TEST(BoardNetworks, DamagedOnesAreRefusedInOneLine) {
  std::string damaged = write_networks(networks());
  damaged[damaged.find("GT640")] = 'K';
  EXPECT_THAT(refused(damaged), HasSubstr("its checksum is wrong"));
  EXPECT_THAT(refused(""), HasSubstr("there are no networks in this file"));
  EXPECT_THAT(refused("{}\n"), HasSubstr("this is no file of networks of Wattune"));
  EXPECT_THAT(refused(resealed("\"clocks\":[[562.0,324.0],", "\"clocks\":[[562.0],")),
              HasSubstr("`clocks` must hold pairs"));
}

TEST(NetworkForecaster, GainsAreThePapers) {
  const KernelTraits first = traits_of("Hotspot"), second = traits_of("Mergehist");
  const Forecaster forecaster = network_forecaster(networks(), limits_of(simulate::gt640()), networks().clocks);
  const PairForecast best = forecaster(first, second).value();
  EXPECT_EQ(best.others.size(), 6U);  // 1:7 to 7:1
  std::vector<PairForecast> ways = best.others;
  ways.push_back(best);
  for (const PairForecast& way : ways) {
    const model::FusableKernel one{*first.features, 8}, other{*second.features, 8};
    const auto pair = model::fuse(one, other, way.ratio, {.memory_bandwidth = networks().memory_bandwidth}).value();
    const std::array<double, 2> alone = {networks().at(*first.features).efficiency,
                                         networks().at(*second.features).efficiency};
    const model::BestClocks predicted = networks().at(pair.features);
    EXPECT_NEAR(way.energy_gain(),
                predicted.efficiency / model::sequential_efficiency(one, other, way.ratio, alone).value(), 1e-9);
    EXPECT_EQ(way.clocks, nearest_setting(predicted, networks().clocks));
    EXPECT_LE(way.energy_gain(), best.energy_gain());
  }
}

// A memory that the second kernel fills with five of its eight blocks is not faster with more.
TEST(NetworkForecaster, BlocksThatTheMemoryCannotServeAddNothing) {
  const KernelTraits first = traits_of("Hotspot");
  KernelTraits second = traits_of("Samplerank");
  second.utilisation = model::Utilisation{0.2, 1.0};
  second.rate_at_residency = {0.2, 0.4, 0.6, 0.8, 1.0, 1.0, 1.0, 1.0};
  const PairForecast best = network_forecaster(networks(), limits_of(simulate::gt640()), {})(first, second).value();
  EXPECT_EQ(best.clocks, std::nullopt);
  std::vector<PairForecast> ways = best.others;
  ways.push_back(best);
  for (const PairForecast& way : ways) EXPECT_LE(way.rates[1], 1.0) << way.ratio.second;
}

TEST(NearestSetting, IsFirstNearInTheCoresClock) {
  const std::vector<backend::BoardSetting> settings = {{.graphics = Megahertz(562), .memory = Megahertz(324)},
                                                       {.graphics = Megahertz(1228), .memory = Megahertz(324)},
                                                       {.graphics = Megahertz(1228), .memory = Megahertz(710)}};
  EXPECT_EQ(nearest_setting({1.0, Megahertz(600), Megahertz(710)}, settings), settings[0]);
  EXPECT_EQ(nearest_setting({1.0, Megahertz(1300), Megahertz(400)}, settings), settings[1]);
  EXPECT_EQ(nearest_setting({1.0, Megahertz(1000), Megahertz(900)}, settings), settings[2]);
}

// A recording of a kernel at three settings of the clocks, one of them with two codes.
class Recording : public ::testing::Test {
 protected:
  Recording() {
    recording_.info.kernel_name = "gemm";
    recording_.info.parameters = {
        {.name = "nvml_gr_clock", .values = {1000, 2000}, .role = ParameterRole::graphics_clock},
        {.name = "nvml_mem_clock", .values = {500, 900}, .role = ParameterRole::memory_clock},
        {.name = "tile", .values = {1, 2}}};
    add(1000, 500, 1, 3.0);
    add(1000, 500, 2, 2.0);
    add(2000, 500, 1, 4.0);
    add(2000, 900, 1, 5.0);
    ProfileRecord record{.identity = {{"device", kBoard}}, .traits = {}};
    record.traits.name = "gemm";
    record.traits.alone = nanoseconds_from_ms(10);
    record.features.emplace();
    (*record.features)[model::Feature::instructions] = 2.0;  // 1e9 per second
    profiles_.records = {record};
  }
  void add(int core, int memory, int tile, double joules) {
    Trial trial{.configuration = Configuration(0, names_, {core, memory, tile}), .observation = {}, .finished_at = {}};
    trial.observation.statistics = Statistics{.median = nanoseconds_from_ms(10)};
    trial.observation.metrics = {{.name = "energy", .value = joules, .unit = "J"}};
    recording_.trials.push_back(trial);
  }

  Configuration::Names names_ = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"nvml_gr_clock", "nvml_mem_clock", "tile"});
  ResultSet recording_;
  StoredProfiles profiles_;
};

TEST_F(Recording, HasTheLeastEnergyAtEachSetting) {
  const RecordedKernel kernel = recorded_kernel(recording_, profiles_, kBoard).value();
  EXPECT_EQ(kernel.operations, 2e7);
  ASSERT_EQ(kernel.points.size(), 3U);
  EXPECT_EQ(kernel.points[0].clocks, (backend::BoardSetting{.graphics = Megahertz(1000), .memory = Megahertz(500)}));
  EXPECT_EQ(kernel.points[0].energy, Joules(2.0));
}

TEST_F(Recording, WithoutFeaturesOfThisBoardIsRefused) {
  EXPECT_EQ(recorded_kernel(recording_, profiles_, "NVIDIA H200").error().to_string(),
            "the profile of this recorded kernel was not measured on NVIDIA H200: `gemm`");
  profiles_.records[0].features.reset();
  EXPECT_THAT(recorded_kernel(recording_, profiles_, kBoard).error().to_string(),
              HasSubstr("no profile tells the features of this recorded kernel: `gemm`"));
}

TEST_F(Recording, OfAnotherBoardIsRefused) {
  recording_.info.device.name = "NVIDIA H200";
  EXPECT_EQ(recorded_kernel(recording_, profiles_, kBoard).error().to_string(),
            "this recording was measured on NVIDIA H200, not on simulated GT640: `gemm`");
}

TEST_F(Recording, AtAnUnknownMemoryClockIsRefused) {
  add(2000, 0, 2, 4.0);
  const std::string told = recorded_kernel(recording_, profiles_, kBoard).error().to_string();
  EXPECT_THAT(told, HasSubstr("the memory's clock of a recorded configuration is unknown"));
  EXPECT_THAT(told, HasSubstr("nvml_mem_clock=0"));
}

TEST_F(Recording, AtOneClockTeachesNothing) {
  recording_.trials.resize(2);
  EXPECT_THAT(
      recorded_kernel(recording_, profiles_, kBoard).error().to_string(),
      HasSubstr("networks need the energies of a kernel at two clocks or more, and this recording has fewer: `gemm`"));
}

}  // namespace
}  // namespace wattune::schedule
