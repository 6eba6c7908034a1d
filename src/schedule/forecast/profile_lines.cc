#include "schedule/forecast/profile_lines.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "simulate/interface/ptx_profile.h"

namespace wattune::inline v0_1::schedule {

namespace {

using store::array_member;
using store::count_within;
using store::flag_member;
using store::Json;
using store::member;
using store::number_within;
using store::object_member;
using store::text_member;

// Upper bounds for values in a file, larger than on any device or host. The units are those of the members. A grid has
// at most 2^31 x 2^16 x 2^16 blocks.
constexpr unsigned kMostThreads = 1U << 16;
constexpr unsigned kMostRegisters = 1024;
constexpr std::size_t kMostSharedBytes = std::size_t{1} << 30;
constexpr unsigned kMostBarriers = 64;
constexpr unsigned kMostResident = 64;
constexpr unsigned kMostSms = 4096;
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 63;
constexpr double kMostWatts = 1e5;
constexpr double kMostBlockCount = 1e18;  // bound of instructions, bytes and accesses of a block; also of rates
// Bounds of the time of a launch: it takes less than 30 days.
constexpr double kLeastNs = 1e-3;
constexpr double kMostNs = 30.0 * 86'400e9;
// Largest factor between the speeds of two forms of a kernel. A larger factor in a file is an error.
constexpr double kMostSpeed = 1e3;

double amount(const Json& json, const char* name, double least, double most) {
  return number_within(member(json, name), name, least, most);
}

std::uint64_t count(const Json& json, const char* name, std::uint64_t least, std::uint64_t most) {
  return count_within(member(json, name), name, least, most);
}

Json block_json(const model::BlockDemand& block) {
  return {{"threads", block.threads},
          {"registers", block.registers},
          {"static_shared_bytes", block.static_shared_bytes},
          {"dynamic_shared_bytes", block.dynamic_shared_bytes},
          {"barriers", block.barriers}};
}

model::BlockDemand block_from(const Json& json) {
  model::BlockDemand block;
  block.threads = static_cast<unsigned>(count(json, "threads", 1, kMostThreads));
  block.registers = static_cast<unsigned>(count(json, "registers", 0, kMostRegisters));
  block.static_shared_bytes = count(json, "static_shared_bytes", 0, kMostSharedBytes);
  block.dynamic_shared_bytes = count(json, "dynamic_shared_bytes", 0, kMostSharedBytes);
  block.barriers = static_cast<unsigned>(count(json, "barriers", 0, kMostBarriers));
  return block;
}

Json use_json(std::span<const double> use) {
  Json json = Json::object();
  for (std::size_t i = 0; i < use.size(); ++i) json[std::string(simulate::name_of_resource(i))] = use[i];
  return json;
}

std::vector<double> use_from(const Json& json) {
  std::vector<double> use;
  if (json.empty()) return use;
  for (std::size_t i = 0; i < simulate::kResources; ++i)
    use.push_back(amount(json, std::string(simulate::name_of_resource(i)).c_str(), 0.0, 1.0));
  return use;
}

Json use_by_counters_json(const std::vector<std::optional<double>>& use) {
  Json json = Json::object();
  for (std::size_t i = 0; i < use.size(); ++i)
    if (use[i]) json[std::string(simulate::name_of_resource(i))] = *use[i];
  return json;
}

// Returns the use of each resource that hardware counters showed; empty if the line has no counters.
std::vector<std::optional<double>> use_by_counters_from(const Json& json) {
  std::vector<std::optional<double>> use;
  if (store::find_member(json, "use_by_counters") == nullptr) return use;
  const Json& shares = object_member(json, "use_by_counters");
  for (std::size_t i = 0; i < simulate::kResources; ++i) {
    const std::string name(simulate::name_of_resource(i));
    const bool is_told = store::find_member(shares, name.c_str()) != nullptr;
    use.push_back(is_told ? std::optional(amount(shares, name.c_str(), 0.0, 1.0)) : std::nullopt);
  }
  return use;
}

// Returns PUR and MUR from a file. Returns nullopt if both are null, or 0, which older versions wrote for unknown
// values.
std::optional<model::Utilisation> utilisation_from(const Json& json) {
  if (member(json, "pur").is_null() && member(json, "mur").is_null()) return std::nullopt;
  const model::Utilisation known{amount(json, "pur", 0.0, 1.0), amount(json, "mur", 0.0, 1.0)};
  return known.pipeline + known.memory > 0.0 ? std::optional(known) : std::nullopt;
}

std::string name_of_pipe(std::size_t index) { return std::string(to_string(static_cast<simulate::Pipe>(index))); }

Json costs_json(const simulate::BlockCosts& costs) {
  Json pipes = Json::object();
  for (std::size_t i = 0; i < simulate::kPipes; ++i) pipes[name_of_pipe(i)] = costs.pipes[i];
  return {{"issued", costs.issued},         {"pipes", std::move(pipes)},
          {"bytes_read", costs.bytes_read}, {"bytes_written", costs.bytes_written},
          {"accesses", costs.accesses},     {"shared_accesses", costs.shared_accesses},
          {"barriers", costs.barriers}};
}

simulate::BlockCosts costs_from(const Json& json) {
  const auto counted = [](const Json& object, const char* name) { return amount(object, name, 0.0, kMostBlockCount); };
  simulate::BlockCosts costs;
  costs.issued = counted(json, "issued");
  const Json& pipes = object_member(json, "pipes");
  for (std::size_t i = 0; i < simulate::kPipes; ++i) costs.pipes[i] = counted(pipes, name_of_pipe(i).c_str());
  costs.bytes_read = counted(json, "bytes_read");
  costs.bytes_written = counted(json, "bytes_written");
  costs.accesses = counted(json, "accesses");
  costs.shared_accesses = counted(json, "shared_accesses");
  costs.barriers = counted(json, "barriers");
  return costs;
}

std::string name_of_feature(std::size_t index) { return std::string(to_string(static_cast<model::Feature>(index))); }

Json features_json(const model::KernelFeatures& features) {
  Json json = Json::object();
  for (std::size_t i = 0; i < model::kFeatures; ++i) json[name_of_feature(i)] = features.values[i];
  return json;
}

model::KernelFeatures features_from(const Json& json) {
  model::KernelFeatures features;
  for (std::size_t i = 0; i < model::kFeatures; ++i)
    features.values[i] = amount(json, name_of_feature(i).c_str(), 0.0, kMostBlockCount);
  return features;
}

// Returns the power as JSON; null if it is unknown.
Json watts_json(std::optional<Watts> watts) { return watts ? Json(watts->value()) : Json(); }

// Returns a power from a file; nullopt for null and 0, which stand for an unknown power.
std::optional<Watts> watts_from(const Json* json, const char* name) {
  const bool is_null = json == nullptr || json->is_null();
  const Watts watts(is_null ? 0.0 : number_within(*json, name, 0.0, kMostWatts));
  return watts > Watts(0) ? std::optional(watts) : std::nullopt;
}

std::optional<PowerTraits> power_from(const Json& json) {
  const auto alone = watts_from(&member(json, "watts_alone"), "watts_alone");
  const auto idle = watts_from(&member(json, "watts_idle"), "watts_idle");
  const auto twin = watts_from(store::find_member(json, "watts_twin"), "watts_twin");
  return alone && idle ? std::optional(PowerTraits{.alone = *alone, .idle = *idle, .twin = twin}) : std::nullopt;
}

std::vector<double> rates_from(const Json& json, unsigned resident) {
  constexpr const char* kRates = "rate_at_residency";
  std::vector<double> rates;
  for (const Json& rate : array_member(json, kRates, 0, resident))
    rates.push_back(number_within(rate, kRates, 0.0, kMostSpeed));
  return rates;
}

Json speeds_json(const std::vector<SpeedOnSms>& speeds) {
  Json json = Json::array();
  for (const SpeedOnSms& on : speeds) json.push_back({{"sms", on.sms}, {"speed", on.speed}});
  return json;
}

// Returns the speeds on SMs from a file; empty for a line of an older version, which lacks them.
std::vector<SpeedOnSms> speeds_from(const Json& json) {
  std::vector<SpeedOnSms> speeds;
  if (store::find_member(json, "speed_on_sms") == nullptr) return speeds;
  for (const Json& on : array_member(json, "speed_on_sms", 0, kMostSms))
    speeds.push_back(
        SpeedOnSms{static_cast<unsigned>(count(on, "sms", 1, kMostSms)), amount(on, "speed", 0.0, kMostSpeed)});
  return speeds;
}

double overlapped_from(const Json& json) {
  return store::find_member(json, "overlapped_speed") == nullptr ? 1.0
                                                                 : amount(json, "overlapped_speed", 0.0, kMostSpeed);
}

KernelTraits traits_from(const Json& json) {
  KernelTraits traits;
  traits.name = text_member(json, "kernel");
  traits.block = block_from(object_member(json, "block"));
  traits.blocks = count(json, "blocks", 1, kMostBlocks);
  traits.profile.blocks_alone = static_cast<unsigned>(count(json, "resident_blocks", 0, kMostResident));
  traits.alone = Nanoseconds(amount(json, "alone_ns", kLeastNs, kMostNs));
  traits.rate_at_residency = rates_from(json, traits.profile.blocks_alone);
  traits.twin_speed = amount(json, "twin_speed", 0.0, kMostSpeed);
  traits.overlapped_speed = overlapped_from(json);
  traits.saturating_share = amount(json, "saturating_share", 0.0, 1.0);
  traits.speed_on_sms = speeds_from(json);
  traits.least_slice = count(json, "least_slice", 0, kMostBlocks);
  traits.sliceable = flag_member(json, "sliceable");
  traits.persistent = flag_member(json, "persistent");
  traits.use = use_from(object_member(json, "use"));
  traits.use_by_counters = use_by_counters_from(json);
  traits.utilisation = utilisation_from(json);
  traits.power = power_from(json);
  return traits;
}

Identity identity_from(const Json& json) {
  Identity identity;
  const Json& parts = object_member(json, "identity");
  for (const auto& [part, value] : parts.items()) identity[part] = text_member(parts, part.c_str());
  return identity;
}

}  // namespace

Json json_of(const ProfileRecord& record) {
  const KernelTraits& traits = record.traits;
  const auto& power = traits.power;
  const auto& utilisation = traits.utilisation;
  Json json = {{"kernel", traits.name},
               {"identity", record.identity},
               {"blocks", traits.blocks},
               {"block", block_json(traits.block)},
               {"resident_blocks", traits.profile.blocks_alone},
               {"alone_ns", traits.alone.value_or(Nanoseconds()).value()},
               {"rate_at_residency", traits.rate_at_residency},
               {"twin_speed", traits.twin_speed},
               {"overlapped_speed", traits.overlapped_speed},
               {"saturating_share", traits.saturating_share},
               {"least_slice", traits.least_slice},
               {"sliceable", traits.sliceable},
               {"persistent", traits.persistent},
               {"pur", utilisation ? Json(utilisation->pipeline) : Json()},
               {"mur", utilisation ? Json(utilisation->memory) : Json()},
               {"use", use_json(traits.use)},
               {"watts_alone", power ? watts_json(power->alone) : Json()},
               {"watts_idle", power ? watts_json(power->idle) : Json()},
               {"watts_twin", power ? watts_json(power->twin) : Json()},
               {"block_costs", record.block ? costs_json(*record.block) : Json()},
               {"features", record.features ? features_json(*record.features) : Json()}};
  if (!traits.speed_on_sms.empty()) json["speed_on_sms"] = speeds_json(traits.speed_on_sms);
  if (!traits.use_by_counters.empty()) json["use_by_counters"] = use_by_counters_json(traits.use_by_counters);
  return json;
}

ProfileRecord record_from(const Json& json) {
  ProfileRecord record{.identity = identity_from(json), .traits = traits_from(json)};
  if (!member(json, "block_costs").is_null()) record.block = costs_from(object_member(json, "block_costs"));
  if (!member(json, "features").is_null()) record.features = features_from(object_member(json, "features"));
  return record;
}

}  // namespace wattune::schedule
