// Wisdom: the best known configurations, kept in files that can ship with an application.
//
// One file is written, others are only read. An application ships what was tuned offline and adds what it finds on the
// user's machine. Any number of processes may save to one file at the same time: each merges its entries with those
// that others wrote. Look up once for each key; these functions are too slow for every launch. Any thread may call.
//
//   WATTUNE_ASSIGN(const auto wisdom, Wisdom::open("app.wisdom", {"/usr/share/app/tuned.wisdom"}));
//   if (const auto known = wisdom->nearest(version_of(spec), device.info(), key)) use(known->entry.configuration);
//   WATTUNE_TRY(wisdom->put(entry));
//   WATTUNE_TRY(wisdom->save());
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/device_info.h"
#include "wattune/core/result.h"
#include "wattune/dynamic/wisdom_entry.h"

namespace wattune::dynamic {

// An entry for a key that may differ from the requested one.
struct NearestEntry {
  WisdomEntry entry;
  double distance = 0.0;    // distance() of the keys; 0 if it is the requested key itself
  bool same_device = true;  // false if it is another model of the same architecture
};

class Wisdom {
 public:
  // Opens wisdom files. If `file` does not exist, it counts as empty; an empty path keeps everything in memory. Damaged
  // lines are left out, see problems(). Fails with not_found if a shipped file is missing, with parse_error if a file
  // holds something else or has a newer format, and with io_error.
  static Result<std::unique_ptr<Wisdom>> open(const std::filesystem::path& file,
                                              const std::vector<std::filesystem::path>& shipped = {});
  ~Wisdom();

  // Returns the entry of exactly this key on this model of device; the better() one if several files have it.
  std::optional<WisdomEntry> find(const KernelVersion& kernel, const DeviceInfo& device, const Key& key) const;
  // Returns the entry of the nearest key on this model of device or, if there is none, on another of the same
  // architecture.
  std::optional<NearestEntry> nearest(const KernelVersion& kernel, const DeviceInfo& device, const Key& key) const;
  // Returns the best entries of at most `most` keys, the nearest first. The key itself may be among them.
  std::vector<NearestEntry> near(const KernelVersion& kernel, const DeviceInfo& device, const Key& key,
                                 std::size_t most) const;
  // Returns the number of entries that have this kernel's name but other code. Such entries are never returned.
  std::size_t count_of_other_versions(const KernelVersion& kernel) const;

  // Returns true if the entry is better() than that of the written file. It then replaces it, in memory until save().
  // Fails as check() does.
  Result<bool> put(WisdomEntry entry);
  // Merges the entries that were put with the present contents of the file, under a file lock, and replaces the file
  // atomically. Waits for the lock; fails with busy if another process holds it for 10 s. Fails as open() does, and
  // with io_error. Entries that could not be saved stay in memory for the next save().
  Result<void> save();

  // Returns one line, with file, line and reason, for each line that was left out when the files were opened. Also
  // tells if the folder of the written file does not exist. save() leaves such lines out and keeps the old file beside
  // the new one.
  std::vector<Error> problems() const;

 private:
  struct Parts;
  explicit Wisdom(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// The contents of a wisdom file (docs/formats/wisdom.md), for tests, fuzzing and programs that show it.
struct WisdomText {
  std::vector<WisdomEntry> entries;  // in the order of the file
  std::vector<Error> problems;       // one for each line that was left out
};
// Parses the text of a wisdom file. Fails with parse_error if it is no wisdom or has a newer format.
Result<WisdomText> parse_wisdom(std::string_view text, const std::filesystem::path& file = {});
Result<WisdomText> load_wisdom(const std::filesystem::path& file);
// Returns the text of a wisdom file. Precondition: check() accepts each entry.
std::string write_wisdom(const std::vector<WisdomEntry>& entries);
// True if the beginning of the file is that of a wisdom file.
bool is_wisdom_file(const std::filesystem::path& file);

}  // namespace wattune::dynamic
