// ProfileRecord: what is known of one kernel alone, in a form that outlives the program that measured it: a line of a
// file (docs/formats/profile.md).
//
// What a block costs is the same on every device; times, rates, shares and watts are those of the device that the
// identity names. A record of other code, sizes, configuration or device is stale. Values and pure functions; any
// thread may call.
//
//   WATTUNE_ASSIGN(const StoredProfiles known, schedule::load_profiles("h200.profiles.jsonl"));
//   WATTUNE_TRY(schedule::check_profile(known.records[0], schedule::profile_identity(spec, configuration, device)));
//   WATTUNE_ASSIGN(const auto id, machine->add(kernel, with_profile(traits, known.records[0])));
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/device_info.h"
#include "wattune/core/identity.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/model/kernel_features.h"
#include "wattune/schedule/machine.h"
#include "wattune/simulate/ptx_profile.h"

namespace wattune::schedule {

struct ProfileRecord {
  Identity identity;
  KernelTraits traits;  // without the profile of its warps, but for how many blocks are resident alone
  std::optional<simulate::BlockCosts> block = {};      // none: they could not be counted
  std::optional<model::KernelFeatures> features = {};  // Jiao's, by counts; none as above
};

// Of a launch of the kernel (tune::launch_identity()): with its configuration, on this device with its driver.
Identity profile_identity(const KernelSpec& spec, const Configuration& configuration, const DeviceInfo& device);

// An object of JSON on one line, for documents.
std::string profile_json(const ProfileRecord& record);
// The text of a file, a sealed line for each.
std::string write_profiles(const std::vector<ProfileRecord>& records);

struct StoredProfiles {
  std::vector<ProfileRecord> records;  // in the order of the file
  std::vector<Error> left_out;         // a line each that is damaged, or cannot be true
  bool unsealed = false;               // an older Wattune wrote it, without checksums
};
// parse_error: no file of profiles, or of a newer version.
Result<StoredProfiles> read_profiles(std::string_view text, const std::filesystem::path& file);
Result<StoredProfiles> load_profiles(const std::filesystem::path& file);
// Replaces an existing file if that is wanted, but nothing that is no file of profiles; one without checksums keeps its
// bytes under another name. already_exists; errors of read_profiles(); io_error.
Result<void> store_profiles(const std::filesystem::path& file, const std::vector<ProfileRecord>& records,
                            bool overwrite);

// mismatch, with what differs: the record is of something else.
Result<void> check_profile(const ProfileRecord& record, const Identity& wanted);
// What the machine says of the kernel, with what was measured and counted in the place of what it cannot know.
KernelTraits with_profile(KernelTraits known, const ProfileRecord& record);

}  // namespace wattune::schedule
