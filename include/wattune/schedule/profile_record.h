// ProfileRecord: the facts of a kernel that runs alone, as a line of a file (docs/formats/profile.md). The file
// outlives the program that measured them.
//
// The costs of a block are the same on every device; times, rates, shares and watts belong to the device that the
// identity names. A record of other code, sizes, configuration or device is stale. The types are values and the
// functions are pure, so any thread may use them.
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
#include "wattune/core/export.h"
#include "wattune/core/identity.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/model/kernel_features.h"
#include "wattune/schedule/machine.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::schedule {

// The facts of a kernel that runs alone, as a file stores them.
struct WATTUNE_EXPORT ProfileRecord {
  Identity identity;
  KernelTraits traits;  // all traits; from the profile of warps, only the number of blocks resident alone
  std::optional<simulate::BlockCosts> block = {};      // nullopt if they could not be counted
  std::optional<model::KernelFeatures> features = {};  // those of Jiao et al., from counts; nullopt if not countable
};

// Returns the identity of a launch of the kernel (tune::launch_identity()) with its configuration, on this device with
// its driver.
WATTUNE_EXPORT Identity profile_identity(const KernelSpec& spec, const Configuration& configuration,
                                         const DeviceInfo& device);

// Returns the record as a JSON object on one line, for documents.
WATTUNE_EXPORT std::string profile_json(const ProfileRecord& record);
// Returns the text of a file, with a sealed line for each record.
WATTUNE_EXPORT std::string write_profiles(const std::vector<ProfileRecord>& records);

// The contents of a file of profiles.
struct WATTUNE_EXPORT StoredProfiles {
  std::vector<ProfileRecord> records;  // records in the order of the file
  std::vector<Error> left_out;         // an error for each line that is damaged, or whose values are impossible
  bool unsealed = false;               // true if an older Wattune wrote the file, without checksums
  std::filesystem::path file = {};     // the file from which the records were read
};
// Finds the record of a kernel; nullptr if there is none. Fails with mismatch if a record has its name, but no record
// has its identity. If no record has its name, fails with the error of the first line that was left out, since that
// line may have been the record.
WATTUNE_EXPORT Result<const ProfileRecord*> find_profile(const StoredProfiles& profiles, const std::string& name,
                                                         const Identity& wanted);
// Parses the text of a file of profiles. Fails with parse_error if it is no such file, or one of a newer version.
WATTUNE_EXPORT Result<StoredProfiles> read_profiles(std::string_view text, const std::filesystem::path& file);
// Reads a file of profiles. Fails with errors of reading the file and of read_profiles().
WATTUNE_EXPORT Result<StoredProfiles> load_profiles(const std::filesystem::path& file);
// Writes a file of profiles. With `overwrite` it replaces an existing file of profiles, but no file of another kind. A
// replaced file without checksums is kept under another name. Fails with already_exists, with errors of read_profiles()
// and with io_error.
WATTUNE_EXPORT Result<void> store_profiles(const std::filesystem::path& file, const std::vector<ProfileRecord>& records,
                                           bool overwrite);

// Checks that the record belongs to the launch of this identity. Fails with mismatch if it does not. The error names a
// difference.
WATTUNE_EXPORT Result<void> check_profile(const ProfileRecord& record, const Identity& wanted);
// Returns the machine's traits of the kernel, completed with the measured and counted values of the record.
WATTUNE_EXPORT KernelTraits with_profile(KernelTraits known, const ProfileRecord& record);

}  // namespace wattune::schedule
