#include "cli/corun/profile_file.h"

#include "store/interface/sealed_file.h"

namespace wattune::cli {

std::vector<std::string> notes_on(const schedule::StoredProfiles& profiles) {
  std::vector<std::string> notes;
  if (profiles.unsealed)
    notes.push_back(store::unsealed_note(profiles.file, "wattune profile --overwrite writes a sealed one"));
  for (const Error& each : profiles.left_out) notes.push_back(each.to_string());
  return notes;
}

}  // namespace wattune::cli
