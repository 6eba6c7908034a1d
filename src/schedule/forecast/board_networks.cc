#include "schedule/interface/board_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "core/interface/energy.h"
#include "core/interface/memory_clock.h"
#include "model/interface/fused_features.h"
#include "schedule/interface/timing_class.h"
#include "simulate/interface/board_model.h"
#include "simulate/interface/gt640_kernels.h"
#include "simulate/interface/steady_flow.h"
#include "store/interface/sealed_file.h"
#include "wattune/model/co_residency.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::schedule {

namespace {

using model::Feature;
using model::KernelAtBestClocks;
using store::Json;

constexpr std::size_t kMicroKernels = 190;
constexpr std::size_t kVariedKernels = 25;
constexpr std::uint64_t kKernelSeed = 1;
constexpr std::size_t kLeastRecordings = model::kFeatures + 1;

constexpr store::FileKind kNetworksKind{.what = "file of networks", .member = "wattune_networks", .version = 1};
constexpr double kMostBandwidth = 1e6;  // in GB/s; more than any device has
constexpr double kMostMegahertz = 1e5;
constexpr const char* kTrainAnew = "remove the file, or name another, to train them anew";

double distance_of(const std::optional<Megahertz>& clock, Megahertz predicted) {
  return clock ? std::abs((*clock - predicted).value()) : 0.0;
}

// Returns a key that orders settings by their memory clock, then by their core clock.
auto order_of(const backend::BoardSetting& clocks) {
  return std::tuple(clocks.memory.value_or(Megahertz()), clocks.graphics.value_or(Megahertz()));
}

Result<std::vector<model::ClockNetworks>> trained_members(std::span<const KernelAtBestClocks> kernels,
                                                          std::size_t members) {
  constexpr std::uint64_t kSeedsOfMember = 3;  // number of networks that each member trains, each with its own seed
  std::vector<model::ClockNetworks> all;
  for (std::size_t i = 0; i < members; ++i) {
    WATTUNE_ASSIGN(model::ClockNetworks trained, model::ClockNetworks::train(kernels, 1 + kSeedsOfMember * i));
    all.push_back(std::move(trained));
  }
  return all;
}

std::vector<simulate::SimulatedKernel> training_kernels() {
  std::vector<simulate::SimulatedKernel> kernels = simulate::gt640_micro_kernels(kMicroKernels, kKernelSeed);
  std::ranges::move(simulate::gt640_varied_kernels(kVariedKernels, kKernelSeed), std::back_inserter(kernels));
  return kernels;
}

// Returns the pairs of clocks to which the simulated board can be set.
std::vector<simulate::ClockPair> settable_pairs(const simulate::GpuModel& gpu, const simulate::BoardModel& board) {
  std::vector<simulate::ClockPair> pairs = simulate::clock_pairs(gpu);
  std::erase_if(pairs, [&](const simulate::ClockPair& each) {
    return each.core > gpu.clock || (!board.locks_memory && each.memory != board.memory_clocks.front());
  });
  return pairs;
}

Result<KernelAtBestClocks> sample_of(const simulate::SimulatedKernel& kernel, const simulate::GpuModel& gpu,
                                     const std::vector<simulate::ClockPair>& clocks) {
  WATTUNE_ASSIGN(const model::Occupancy occupancy, model::occupancy(gpu.capability, kernel.block));
  const simulate::Residents all{&kernel, occupancy.blocks};
  KernelAtBestClocks sample;
  sample.features = simulate::efficiency_at(gpu, simulate::highest_clocks(gpu), {&all, 1}).flow.features;
  for (const simulate::ClockPair& each : clocks) {
    const double efficiency = simulate::efficiency_at(gpu, each, {&all, 1}).operations_per_joule();
    if (efficiency > sample.best.efficiency) sample.best = {efficiency, each.core, each.memory};
  }
  return sample;
}

const RecordedKernel::Point& best_point_of(const RecordedKernel& kernel) {
  return *std::ranges::min_element(kernel.points, {}, &RecordedKernel::Point::energy);
}

KernelAtBestClocks sample_of(const RecordedKernel& kernel) {
  const RecordedKernel::Point& best = best_point_of(kernel);
  return {kernel.features,
          {kernel.operations / best.energy.value(), *best.clocks.graphics, best.clocks.memory.value_or(Megahertz())}};
}

Json clocks_json(const std::vector<backend::BoardSetting>& clocks) {
  Json json = Json::array();
  for (const backend::BoardSetting& each : clocks)
    json.push_back({each.graphics->value(), each.memory ? Json(each.memory->value()) : Json(nullptr)});
  return json;
}

std::vector<backend::BoardSetting> clocks_from(const Json& json) {
  const auto clock = [](const Json& number) {
    return Megahertz(store::number_within(number, "clocks", 1.0, kMostMegahertz));
  };
  std::vector<backend::BoardSetting> clocks;
  for (const Json& each : store::array_member(json, "clocks")) {
    if (!each.is_array() || each.size() != 2) throw store::Malformed("`clocks` must hold pairs");
    clocks.push_back({.graphics = clock(each[0])});
    if (!each[1].is_null()) clocks.back().memory = clock(each[1]);
  }
  if (clocks.empty()) throw store::Malformed("`clocks` must hold a pair");
  return clocks;
}

// Adds the network that a line of the file holds as one member of a group. Throws store::Malformed if the line is
// damaged. Returns an error if the line is sound but its networks have another shape.
Result<void> take_member(const Json& line, BoardNetworks& networks) {
  BoardNetworks read{
      .board = store::text_member(line, "board"),
      .clocks = clocks_from(line),
      .memory_bandwidth = store::number_within(store::member(line, "memory_gbs"), "memory_gbs", 0.0, kMostBandwidth),
      .members = {}};
  const bool is_first = networks.members.empty();
  if (!is_first && (networks.board != read.board || networks.clocks != read.clocks))
    throw store::Malformed("it is of another board than the first line");
  if (is_first) networks = std::move(read);
  WATTUNE_ASSIGN(model::ClockNetworks member, model::ClockNetworks::from_text(store::text_member(line, "networks")));
  networks.members.push_back(std::move(member));
  return {};
}

// Returns N of Jiao et al.: the number of blocks of the kernel that an SM holds. For a kernel that waits for the memory
// it is the number that saturates the memory.
unsigned useful_blocks(const KernelTraits& kernel) {
  const model::Utilisation use = likely_utilisation(kernel);
  const bool waits = use.memory > use.pipeline && !kernel.rate_at_residency.empty();
  return waits ? model::saturating_blocks(kernel.rate_at_residency) : std::max(1U, kernel.profile.blocks_alone);
}

model::FusableKernel fusable(const KernelTraits& kernel) { return {*kernel.features, useful_blocks(kernel)}; }

// Returns the power of the board while the kernel runs at its own speed with `efficiency` operations per joule.
Watts power_for(const KernelTraits& kernel, double efficiency) {
  return Watts(1e9 * (*kernel.features)[Feature::instructions] / efficiency);
}

// Returns the powers of a pair. They follow from the speeds of its kernels, and from the operations per joule of each
// alone and of both together. The gain in energy is then that of Jiao et al.: operations per joule together, divided by
// those one after the other.
PairWatts watts_by(const std::array<const KernelTraits*, 2>& kernels, const std::array<double, 2>& rates,
                   const std::array<double, 2>& alone, double together) {
  PairWatts watts;
  std::array<Watts, 2> of;
  for (std::size_t k = 0; k < 2; ++k) {
    watts.alone[k] = power_for(*kernels[k], alone[k]);
    of[k] = power_for(*kernels[k], together);
  }
  const Watts power = rates[0] * of[0] + rates[1] * of[1];
  if (kernels[0]->power) watts.idle = std::min(kernels[0]->power->idle, power);
  for (std::size_t k = 0; k < 2; ++k) watts.added[k] = (1.0 - watts.idle / power) * of[k];
  return watts;
}

struct NetworkForecast {
  const BoardNetworks* networks;
  MachineLimits limits;
  std::vector<backend::BoardSetting> settings;

  Result<PairForecast> operator()(const KernelTraits& first, const KernelTraits& second) const {
    WATTUNE_ASSIGN(const auto ratios, model::feasible_ratios(limits.capability.value_or(model::ComputeCapability{}),
                                                             first.block, second.block));
    const std::array<double, 2> alone = {networks->at(*first.features).efficiency,
                                         networks->at(*second.features).efficiency};
    if (!(std::min(alone[0], alone[1]) > 0.0)) return PairForecast{};
    std::vector<PairForecast> ways;
    for (const model::BlockRatio& ratio : ratios) {
      WATTUNE_ASSIGN(const auto way, way_at(ratio, {&first, &second}, alone));
      if (way) ways.push_back(*way);
    }
    return best_of({.goal = Goal::energy}, std::move(ways));
  }

 private:
  // Returns the forecast at a ratio; nullopt if the networks predict no operations per joule above 0.
  Result<std::optional<PairForecast>> way_at(model::BlockRatio ratio, const std::array<const KernelTraits*, 2>& kernels,
                                             const std::array<double, 2>& alone) const {
    const model::FusableKernel first = fusable(*kernels[0]);
    const model::FusableKernel second = fusable(*kernels[1]);
    const model::BlockRatio useful = {std::min(ratio.first, first.blocks), std::min(ratio.second, second.blocks)};
    WATTUNE_ASSIGN(const model::FusedFeatures pair,
                   model::fuse(first, second, useful, {.memory_bandwidth = networks->memory_bandwidth}));
    const model::BestClocks predicted = networks->at(pair.features);
    if (!(predicted.efficiency > 0.0)) return std::optional<PairForecast>();
    PairForecast way{.ratio = ratio};
    way.rates = {pair.beta * pair.alpha[0] * useful.first / first.blocks,
                 pair.beta * pair.alpha[1] * useful.second / second.blocks};
    way.watts = watts_by(kernels, way.rates, alone, predicted.efficiency);
    if (!settings.empty()) way.clocks = nearest_setting(predicted, settings);
    return std::optional(std::move(way));
  }
};

}  // namespace

model::BestClocks BoardNetworks::at(const model::KernelFeatures& features) const {
  model::BestClocks mean;
  const double part = 1.0 / static_cast<double>(members.size());
  for (const model::ClockNetworks& member : members) {
    const model::BestClocks one = member.at(features);
    mean.efficiency += part * one.efficiency;
    mean.core += part * one.core;
    mean.memory += part * one.memory;
  }
  return mean;
}

std::string simulated_board(const simulate::GpuModel& gpu) { return "simulated " + gpu.name; }

Result<BoardNetworks> train_networks(const simulate::GpuModel& gpu, std::size_t members) {
  const simulate::BoardModel* const board = simulate::find_board_model(gpu.board);
  if (board == nullptr)
    return Error(ErrorCode::unavailable,
                 "the power of this GPU is not simulated, so that networks cannot learn from it")
        .about(gpu.name);
  const std::vector<simulate::ClockPair> pairs = settable_pairs(gpu, *board);
  const bool sets_memory = board->locks_memory && board->memory_clocks.size() > 1;
  BoardNetworks networks{
      .board = simulated_board(gpu), .clocks = {}, .memory_bandwidth = gpu.dram_gigabytes_per_second, .members = {}};
  for (const simulate::ClockPair& each : pairs)
    networks.clocks.push_back(
        {.graphics = each.core, .memory = sets_memory ? std::optional(each.memory) : std::nullopt});
  std::ranges::sort(networks.clocks, {}, order_of);
  std::vector<KernelAtBestClocks> samples;
  for (const simulate::SimulatedKernel& kernel : training_kernels()) {
    WATTUNE_ASSIGN(const KernelAtBestClocks sample, sample_of(kernel, gpu, pairs));
    samples.push_back(sample);
  }
  WATTUNE_ASSIGN(networks.members, trained_members(samples, members));
  return networks;
}

Result<RecordedKernel> recorded_kernel(const ResultSet& recording, const StoredProfiles& profiles,
                                       const std::string& board) {
  const std::string& name = recording.info.kernel_name;
  const auto profile =
      std::ranges::find(profiles.records, name, [](const ProfileRecord& each) { return each.traits.name; });
  if (profile == profiles.records.end() || !profile->features || !profile->traits.alone)
    return Error(ErrorCode::not_found, "no profile tells the features of this recorded kernel")
        .about(name)
        .hint("profile the recorded kernel on this board");
  const auto device = profile->identity.find("device");
  if (device == profile->identity.end() || device->second != board)
    return Error(ErrorCode::mismatch, fmt::format("the profile of this recorded kernel was not measured on {}", board))
        .about(name);
  if (const std::string& recorded_on = recording.info.device.name; !recorded_on.empty() && recorded_on != board)
    return Error(ErrorCode::mismatch, fmt::format("this recording was measured on {}, not on {}", recorded_on, board))
        .about(name);
  RecordedKernel kernel{.features = *profile->features,
                        .operations = profile->traits.alone->value() * (*profile->features)[Feature::instructions],
                        .points = {}};
  for (const Trial& trial : recording.trials) {
    const auto& parameters = recording.info.parameters;
    const auto core = graphics_clock_of(trial.configuration, parameters);
    const auto energy = energy_of(trial.observation);
    if (!core || !energy || !trial.observation.ok()) continue;
    WATTUNE_ASSIGN(const std::optional<Megahertz> memory, memory_clock_of(trial.configuration, parameters));
    const backend::BoardSetting clocks{.graphics = core, .memory = memory};
    const auto known = std::ranges::find(kernel.points, clocks, &RecordedKernel::Point::clocks);
    if (known == kernel.points.end())
      kernel.points.push_back({clocks, *energy});
    else
      known->energy = std::min(known->energy, *energy);
  }
  if (kernel.points.size() > 1) return kernel;
  return Error(ErrorCode::invalid_argument,
               "networks need the energies of a kernel at two clocks or more, and this recording has fewer")
      .about(name);
}

Result<BoardNetworks> train_networks(std::string board, std::span<const RecordedKernel> kernels, std::size_t members) {
  if (kernels.size() < kLeastRecordings)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("networks with {} features need at least {} recorded kernels to learn from",
                             model::kFeatures, kLeastRecordings))
        .about(fmt::format("{}", kernels.size()));
  BoardNetworks networks{.board = std::move(board), .clocks = {}, .memory_bandwidth = 0.0, .members = {}};
  std::vector<KernelAtBestClocks> samples;
  for (const RecordedKernel& kernel : kernels) {
    samples.push_back(sample_of(kernel));
    networks.memory_bandwidth = std::max(networks.memory_bandwidth, kernel.features[Feature::dram_throughput]);
    for (const RecordedKernel::Point& point : kernel.points)
      if (std::ranges::find(networks.clocks, point.clocks) == networks.clocks.end())
        networks.clocks.push_back(point.clocks);
  }
  if (!(networks.memory_bandwidth > 0.0))
    return Error(ErrorCode::invalid_argument,
                 "none of the recorded kernels reads or writes DRAM, so that the speed of memory is unknown")
        .about(networks.board);
  const auto tells_memory = [](const backend::BoardSetting& each) { return each.memory.has_value(); };
  const auto telling = std::ranges::count_if(networks.clocks, tells_memory);
  if (telling > 0 && telling < std::ssize(networks.clocks))
    return Error(ErrorCode::invalid_argument,
                 "some recordings tell the memory's clock and others do not, so that theirs is unknown")
        .about(networks.board)
        .hint("record all kernels with a parameter for the memory's clock, or all without");
  std::ranges::sort(networks.clocks, {}, order_of);
  WATTUNE_ASSIGN(networks.members, trained_members(samples, members));
  return networks;
}

std::string write_networks(const BoardNetworks& networks) {
  std::string text;
  for (const model::ClockNetworks& member : networks.members)
    text += store::sealed_record(kNetworksKind, {{"board", networks.board},
                                                 {"clocks", clocks_json(networks.clocks)},
                                                 {"memory_gbs", networks.memory_bandwidth},
                                                 {"networks", member.to_text()}});
  return text;
}

Result<BoardNetworks> read_networks(std::string_view text, const std::filesystem::path& file,
                                    const std::string& board) {
  BoardNetworks networks;
  std::optional<Error> failed;
  WATTUNE_ASSIGN(const store::SealedContents found,
                 store::read_sealed(text, file, kNetworksKind, [&](const Json& line) {
                   if (auto taken = take_member(line, networks); !taken && !failed) failed = std::move(taken).error();
                 }));
  if (!found.left_out.empty()) return Error(found.left_out.front()).hint(kTrainAnew);
  if (failed) return Error(*failed).at({file.string()}).hint(kTrainAnew);
  if (networks.members.empty())
    return Error(ErrorCode::parse_error, "there are no networks in this file").at({file.string()}).hint(kTrainAnew);
  if (networks.board == board) return networks;
  return Error(ErrorCode::mismatch,
               fmt::format("these networks were trained for {}, not for {}", networks.board, board))
      .at({file.string()})
      .hint("each board needs networks of its own, in another file");
}

backend::BoardSetting nearest_setting(const model::BestClocks& predicted,
                                      std::span<const backend::BoardSetting> settings) {
  return *std::ranges::min_element(settings, {}, [&](const backend::BoardSetting& each) {
    return std::pair(distance_of(each.graphics, predicted.core), distance_of(each.memory, predicted.memory));
  });
}

Forecaster network_forecaster(const BoardNetworks& networks, const MachineLimits& limits,
                              std::vector<backend::BoardSetting> settings) {
  return NetworkForecast{&networks, limits, std::move(settings)};
}

}  // namespace wattune::schedule
