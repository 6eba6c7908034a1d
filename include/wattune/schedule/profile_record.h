// ProfileRecord: what is known of one kernel alone, in a form that outlives the program that measured it: a line of
// JSON (docs/formats/profile.md).
//
// What a block costs is the same on every device; times, rates, shares and watts are those of the device that the
// identity names. A record of other code, sizes, configuration or device is stale. Values and pure functions; any
// thread may call.
//
//   WATTUNE_ASSIGN(const ProfileRecord known, schedule::read_profile(line));
//   WATTUNE_TRY(schedule::check_profile(known, schedule::profile_identity(spec, configuration, device)));
//   WATTUNE_ASSIGN(const auto id, machine->add(kernel, with_profile(traits, known)));
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

// One line, without its end.
std::string write_profile(const ProfileRecord& record);
// parse_error: no such line, a field that is missing or is no such thing, or another version of the format.
Result<ProfileRecord> read_profile(std::string_view line);

// mismatch, with what differs: the record is of something else.
Result<void> check_profile(const ProfileRecord& record, const Identity& wanted);
// What the machine says of the kernel, with what was measured and counted in the place of what it cannot know.
KernelTraits with_profile(KernelTraits known, const ProfileRecord& record);

}  // namespace wattune::schedule
