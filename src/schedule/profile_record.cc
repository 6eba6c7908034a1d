#include "wattune/schedule/profile_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "wattune/tune/describe_run.h"

namespace wattune::schedule {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "wattune-profile";
constexpr int kVersion = 1;

Json block_json(const model::BlockDemand& block) {
  return {{"threads", block.threads},
          {"registers", block.registers},
          {"static_shared_bytes", block.static_shared_bytes},
          {"dynamic_shared_bytes", block.dynamic_shared_bytes},
          {"barriers", block.barriers}};
}

model::BlockDemand read_block(const Json& json) {
  model::BlockDemand block;
  block.threads = json.at("threads").get<unsigned>();
  block.registers = json.at("registers").get<unsigned>();
  block.static_shared_bytes = json.at("static_shared_bytes").get<std::size_t>();
  block.dynamic_shared_bytes = json.at("dynamic_shared_bytes").get<std::size_t>();
  block.barriers = json.at("barriers").get<unsigned>();
  return block;
}

Json shares_json(std::span<const double> use) {
  Json json = Json::object();
  for (std::size_t i = 0; i < use.size(); ++i) json[std::string(simulate::name_of_resource(i))] = use[i];
  return json;
}

std::vector<double> read_use(const Json& json) {
  std::vector<double> use;
  if (json.empty()) return use;
  for (std::size_t i = 0; i < simulate::kResources; ++i)
    use.push_back(json.at(std::string(simulate::name_of_resource(i))).get<double>());
  return use;
}

Json costs_json(const simulate::BlockCosts& costs) {
  Json pipes = Json::object();
  for (std::size_t i = 0; i < simulate::kPipes; ++i)
    pipes[std::string(to_string(static_cast<simulate::Pipe>(i)))] = costs.pipes[i];
  return {{"issued", costs.issued},         {"pipes", std::move(pipes)},
          {"bytes_read", costs.bytes_read}, {"bytes_written", costs.bytes_written},
          {"accesses", costs.accesses},     {"shared_accesses", costs.shared_accesses},
          {"barriers", costs.barriers}};
}

simulate::BlockCosts read_costs(const Json& json) {
  simulate::BlockCosts costs;
  costs.issued = json.at("issued").get<double>();
  for (std::size_t i = 0; i < simulate::kPipes; ++i)
    costs.pipes[i] = json.at("pipes").at(std::string(to_string(static_cast<simulate::Pipe>(i)))).get<double>();
  costs.bytes_read = json.at("bytes_read").get<double>();
  costs.bytes_written = json.at("bytes_written").get<double>();
  costs.accesses = json.at("accesses").get<double>();
  costs.shared_accesses = json.at("shared_accesses").get<double>();
  costs.barriers = json.at("barriers").get<double>();
  return costs;
}

Json features_json(const model::KernelFeatures& features) {
  Json json = Json::object();
  for (std::size_t i = 0; i < model::kFeatures; ++i)
    json[std::string(to_string(static_cast<model::Feature>(i)))] = features.values[i];
  return json;
}

model::KernelFeatures read_features(const Json& json) {
  model::KernelFeatures features;
  for (std::size_t i = 0; i < model::kFeatures; ++i)
    features.values[i] = json.at(std::string(to_string(static_cast<model::Feature>(i)))).get<double>();
  return features;
}

// 0 where a board tells nothing.
Json watts_json(Watts watts) { return watts > Watts(0) ? Json(watts.value()) : Json(); }
Watts read_watts(const Json& json) { return Watts(json.is_null() ? 0.0 : json.get<double>()); }

KernelTraits read_traits(const Json& json) {
  KernelTraits traits;
  traits.name = json.at("kernel").get<std::string>();
  traits.block = read_block(json.at("block"));
  traits.blocks = json.at("blocks").get<std::uint64_t>();
  traits.profile.blocks_alone = json.at("resident_blocks").get<unsigned>();
  traits.alone = Nanoseconds(json.at("alone_ns").get<double>());
  traits.rate_at_residency = json.at("rate_at_residency").get<std::vector<double>>();
  traits.twin_speed = json.at("twin_speed").get<double>();
  traits.overlapped_speed = json.value("overlapped_speed", 1.0);
  traits.saturating_share = json.at("saturating_share").get<double>();
  traits.least_slice = json.at("least_slice").get<std::uint64_t>();
  traits.sliceable = json.at("sliceable").get<bool>();
  traits.persistent = json.at("persistent").get<bool>();
  traits.use = read_use(json.at("use"));
  traits.utilisation = {json.at("pur").get<double>(), json.at("mur").get<double>()};
  traits.power = {.alone = read_watts(json.at("watts_alone")),
                  .idle = read_watts(json.at("watts_idle")),
                  .twin = read_watts(json.value("watts_twin", Json()))};
  return traits;
}

ProfileRecord read_record(const Json& json) {
  ProfileRecord record{.identity = json.at("identity").get<Identity>(), .traits = read_traits(json)};
  if (const Json& costs = json.at("block_costs"); !costs.is_null()) record.block = read_costs(costs);
  if (const Json& features = json.at("features"); !features.is_null()) record.features = read_features(features);
  return record;
}

Error no_profile(std::string why) {
  return Error(ErrorCode::parse_error, "this is no profile of a kernel: " + std::move(why))
      .hint("wattune profile writes such lines");
}

}  // namespace

Identity profile_identity(const KernelSpec& spec, const Configuration& configuration, const DeviceInfo& device) {
  Identity identity = tune::launch_identity(spec);
  identity["configuration"] = configuration.to_string();
  identity["device"] = device.name;
  identity["driver"] = device.driver_version;
  return identity;
}

std::string write_profile(const ProfileRecord& record) {
  const KernelTraits& traits = record.traits;
  const Json json = {{"format", kFormat},
                     {"version", kVersion},
                     {"kernel", traits.name},
                     {"identity", record.identity},
                     {"blocks", traits.blocks},
                     {"block", block_json(traits.block)},
                     {"resident_blocks", traits.profile.blocks_alone},
                     {"alone_ns", traits.alone.value()},
                     {"rate_at_residency", traits.rate_at_residency},
                     {"twin_speed", traits.twin_speed},
                     {"overlapped_speed", traits.overlapped_speed},
                     {"saturating_share", traits.saturating_share},
                     {"least_slice", traits.least_slice},
                     {"sliceable", traits.sliceable},
                     {"persistent", traits.persistent},
                     {"pur", traits.utilisation.pipeline},
                     {"mur", traits.utilisation.memory},
                     {"use", shares_json(traits.use)},
                     {"watts_alone", watts_json(traits.power.alone)},
                     {"watts_idle", watts_json(traits.power.idle)},
                     {"watts_twin", watts_json(traits.power.twin)},
                     {"block_costs", record.block ? costs_json(*record.block) : Json()},
                     {"features", record.features ? features_json(*record.features) : Json()}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ProfileRecord> read_profile(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || json.value("format", "") != kFormat) return no_profile("its format is not wattune-profile");
  try {
    if (const int version = json.at("version").get<int>(); version != kVersion)
      return no_profile(fmt::format("version {} of its format, this program reads {}", version, kVersion));
    return read_record(json);
  } catch (const Json::exception& wrong) {
    return no_profile(wrong.what());
  }
}

Result<void> check_profile(const ProfileRecord& record, const Identity& wanted) {
  const std::vector<IdentityDifference> differ = differences(record.identity, wanted);
  if (differ.empty()) return {};
  return Error(ErrorCode::mismatch,
               fmt::format("the profile of {} is stale: {}", record.traits.name, to_string(differ.front())))
      .hint("wattune profile measures it anew");
}

KernelTraits with_profile(KernelTraits known, const ProfileRecord& record) {
  KernelTraits traits = record.traits;
  traits.name = std::move(known.name);
  traits.block = known.block;
  traits.blocks = known.blocks;
  traits.profile = known.profile;
  if (record.block) traits.profile.instructions_per_block = std::max(1.0, record.block->issued);
  traits.sliceable = known.sliceable && record.traits.sliceable;
  traits.persistent = known.persistent && record.traits.persistent;
  return traits;
}

}  // namespace wattune::schedule
