#include "wattune/schedule/profile_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/forecast/profile_lines.h"
#include "store/interface/files.h"
#include "store/interface/sealed_file.h"
#include "tune/interface/describe_run.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::schedule {

namespace {

using store::Json;

constexpr const char* kOldFormat = "wattune-profile";
constexpr store::FileKind kProfilesKind{.what = "file of profiles",
                                        .member = "wattune_profile",
                                        .version = 2,
                                        .is_unsealed =
                                            [](const Json& object) {
                                              const Json* const format = store::find_member(object, "format");
                                              const Json* const version = store::find_member(object, "version");
                                              return format != nullptr && *format == kOldFormat && version != nullptr &&
                                                     *version == 1;
                                            },
                                        .unsealed_start = R"({"format":"wattune-profile","version":1,)"};

}  // namespace

Identity profile_identity(const KernelSpec& spec, const Configuration& configuration, const DeviceInfo& device) {
  Identity identity = tune::launch_identity(spec);
  identity["configuration"] = configuration.to_string();
  identity["device"] = device.name;
  identity["driver"] = device.driver_version;
  return identity;
}

// Returns a line with the members that the first version of the file format has.
std::string profile_json(const ProfileRecord& record) {
  Json json = {{"format", kOldFormat}, {"version", 1}};
  const Json members = json_of(record);
  for (const auto& [name, value] : members.items()) json[name] = value;
  return store::dump(json);
}

std::string write_profiles(const std::vector<ProfileRecord>& records) {
  std::string text;
  for (const ProfileRecord& record : records) text += store::sealed_record(kProfilesKind, json_of(record));
  return text;
}

Result<StoredProfiles> read_profiles(std::string_view text, const std::filesystem::path& file) {
  StoredProfiles stored;
  WATTUNE_ASSIGN(store::SealedContents found, store::read_sealed(text, file, kProfilesKind, [&](const Json& line) {
                   stored.records.push_back(record_from(line));
                 }));
  stored.left_out = std::move(found.left_out);
  stored.unsealed = found.unsealed;
  stored.file = file;
  return stored;
}

Result<StoredProfiles> load_profiles(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const std::string text, store::read_regular_file(file));
  return read_profiles(text, file);
}

Result<const ProfileRecord*> find_profile(const StoredProfiles& profiles, const std::string& name,
                                          const Identity& wanted) {
  for (const ProfileRecord& record : profiles.records)
    if (record.identity == wanted) return &record;
  for (const ProfileRecord& record : profiles.records)
    if (record.traits.name == name)
      if (auto fits = check_profile(record, wanted); !fits)
        return std::move(fits).error().with_context(profiles.file.string());
  if (profiles.left_out.empty()) return nullptr;
  return Error(profiles.left_out.front()).hint("take the line out to go on without it, or profile the kernel anew");
}

Result<void> store_profiles(const std::filesystem::path& file, const std::vector<ProfileRecord>& records,
                            bool overwrite) {
  std::error_code ignored;
  if (overwrite && std::filesystem::is_regular_file(file, ignored))
    WATTUNE_TRY(store::keep_unsealed(file, kProfilesKind));
  return store::write_file(file, write_profiles(records), overwrite);
}

Result<void> check_profile(const ProfileRecord& record, const Identity& wanted) {
  const std::vector<IdentityDifference> differ = differences(record.identity, wanted);
  if (differ.empty()) return {};
  return Error(ErrorCode::mismatch,
               fmt::format("the profile of {} is stale: {}", record.traits.name, to_string(differ.front())))
      .hint("profile it anew");
}

KernelTraits with_profile(KernelTraits known, const ProfileRecord& record) {
  KernelTraits traits = record.traits;
  traits.name = std::move(known.name);
  traits.block = known.block;
  traits.blocks = known.blocks;
  traits.launches = known.launches;
  traits.profile = known.profile;
  traits.features = record.features;
  if (record.block) traits.profile.instructions_per_block = std::max(1.0, record.block->issued);
  traits.sliceable = known.sliceable && record.traits.sliceable;
  traits.persistent = known.persistent && record.traits.persistent;
  return traits;
}

}  // namespace wattune::schedule
