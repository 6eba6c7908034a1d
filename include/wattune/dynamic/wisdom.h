// Wisdom: the best known configurations, kept in files that can ship with an application. A WisdomEntry is the best
// configuration for a kernel, a device and a key, with its measured time and interval. A KernelVersion identifies a
// kernel by its code, so that measurements of other code are not used for it.
//
// One file is written, others are only read. An application ships what was tuned offline and adds what it finds on the
// user's machine. Any number of processes may save to one file at the same time: each merges its entries with those
// that others wrote. Look up once for each key; these functions are too slow for every launch. Any thread may call the
// functions.
//
//   WATTUNE_ASSIGN(const auto wisdom, Wisdom::open("app.wisdom", {"/usr/share/app/tuned.wisdom"}));
//   if (const auto known = wisdom->nearest(version_of(spec), device.info(), key)) use(known->entry.configuration);
//   WATTUNE_TRY(wisdom->put(entry));
//   WATTUNE_TRY(wisdom->save());
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/device_info.h"
#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/core/trial.h"
#include "wattune/core/units.h"
#include "wattune/dynamic/key.h"

namespace wattune::inline v0_1::dynamic {

// The origin of an entry's time. The origin nearest to the application comes first.
enum class Measured {
  in_place,  // measured in calls of the application
  screened,  // measured in a worker beside the application, on generated data
  offline    // measured by a tuner
};
WATTUNE_EXPORT std::string_view to_string(Measured measured);  // "in place"

// A kernel by name, with a hash of its tune::kernel_identity().
struct WATTUNE_EXPORT KernelVersion {
  std::string name;
  std::string version;  // 32 hexadecimal digits

  friend bool operator==(const KernelVersion&, const KernelVersion&) = default;
};
// Returns the version of a kernel; reads the files that its source includes. If there are sources in several languages,
// `spec.source` counts.
WATTUNE_EXPORT KernelVersion version_of(const KernelSpec& spec);

// The best known configuration for one kernel, device and key. A value that owns its data.
struct WATTUNE_EXPORT WisdomEntry {
  KernelVersion kernel;
  std::string device;        // model of the device, as in DeviceInfo::name
  std::string architecture;  // architecture such as "sm_90"; empty for devices without one
  Key key;
  Configuration configuration;  // names and values only; its id means nothing
  Nanoseconds time;
  Nanoseconds low;  // interval of the time
  Nanoseconds high;
  std::uint64_t samples = 0;
  Measured measured = Measured::offline;
  bool tuned = true;  // true if tuning was completed; if false, this is the best so far, and the next run tunes on
  std::chrono::system_clock::time_point measured_at;
  std::string wattune_version;
};

// Checks an entry. Fails with invalid_argument if its values cannot have been measured, or if a file cannot hold them.
WATTUNE_EXPORT Result<void> check(const WisdomEntry& entry);

// Returns the entry to keep of two for the same kernel, device and key:
// - If only one was tuned, that one, unless the other's interval lies below its own.
// - Else the later one, if it was measured in place or its interval lies below the earlier one's.
// - Else the earlier one.
//
// The order of the arguments matters only if both were measured at the same time: then `a` counts as the earlier one.
WATTUNE_EXPORT const WisdomEntry& better(const WisdomEntry& a, const WisdomEntry& b);

// Returns the best configuration of results as an entry; an empty list if no configuration is correct. `spec` is the
// kernel's spec, since results may not know its version; the spec's sizes count if the results contain none. Fails with
// mismatch if the results are of another version, or of other parameters or sizes. Fails with mismatch, too, if they
// were replayed, or have another objective than the least time.
WATTUNE_EXPORT Result<std::vector<WisdomEntry>> entries_from(const ResultSet& results, KernelSpec spec);

// Returns one run with one Trial for each entry, for code that reads results.
WATTUNE_EXPORT std::vector<ResultSet> results_from(const std::vector<WisdomEntry>& entries);

// An entry for a key that may differ from the requested one.
struct WATTUNE_EXPORT NearestEntry {
  WisdomEntry entry;
  double distance = 0.0;    // distance() of the keys; 0 if the entry is for the requested key itself
  bool same_device = true;  // false if the entry is for another model of the same architecture
};

class WATTUNE_EXPORT Wisdom {
 public:
  // Opens wisdom files. If `file` does not exist, it counts as empty; an empty path keeps everything in memory. Damaged
  // lines are left out, see problems(). Fails with not_found if a shipped file is missing, with parse_error if a file
  // holds something else or has a newer format, and with io_error.
  static Result<std::unique_ptr<Wisdom>> open(const std::filesystem::path& file,
                                              const std::vector<std::filesystem::path>& shipped = {});
  ~Wisdom();

  // Returns the entry of exactly this key on this model of device; the better() entry if several files have one.
  std::optional<WisdomEntry> find(const KernelVersion& kernel, const DeviceInfo& device, const Key& key) const;
  // Returns the entry of the nearest key on this model of device; if there is none, an entry of another model of the
  // same architecture.
  std::optional<NearestEntry> nearest(const KernelVersion& kernel, const DeviceInfo& device, const Key& key) const;
  // Returns the best entries of at most `most` keys, the nearest first. The key itself may be among them.
  std::vector<NearestEntry> near(const KernelVersion& kernel, const DeviceInfo& device, const Key& key,
                                 std::size_t most) const;
  // Returns the number of entries that have this kernel's name but other code. Such entries are never returned.
  std::size_t count_of_other_versions(const KernelVersion& kernel) const;

  // Puts the entry in the place of the written file's entry for the same kernel, device and key, unless that one is
  // better(). The change stays in memory until save(). Returns true if the entry was taken. Fails as check() does.
  Result<bool> put(WisdomEntry entry);
  // Merges the entries that were put with the present contents of the file, under a file lock, and replaces the file
  // atomically. Waits for the lock; fails with busy if another process holds it for 10 s. Fails as open() does, and
  // with io_error. Entries that could not be saved stay in memory for the next save().
  Result<void> save();

  // Returns one line, with file, line and reason, for each line that was left out when the files were opened. One more
  // line says if the folder of the written file does not exist. save() leaves such lines out and keeps the old file
  // beside the new one.
  std::vector<Error> problems() const;

 private:
  struct Parts;
  explicit Wisdom(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// The contents of a wisdom file (docs/formats/wisdom.md), for tests, fuzzing and programs that show the file.
struct WATTUNE_EXPORT WisdomText {
  std::vector<WisdomEntry> entries;  // entries in the order of the file
  std::vector<Error> problems;       // one reason for each line that was left out
};
// Parses the text of a wisdom file. Fails with parse_error if it is no wisdom or has a newer format.
WATTUNE_EXPORT Result<WisdomText> parse_wisdom(std::string_view text, const std::filesystem::path& file = {});
// Reads and parses a wisdom file. Fails as parse_wisdom() does, and with errors of reading the file.
WATTUNE_EXPORT Result<WisdomText> load_wisdom(const std::filesystem::path& file);
// Returns the text of a wisdom file. Precondition: check() accepts each entry.
WATTUNE_EXPORT std::string write_wisdom(const std::vector<WisdomEntry>& entries);
// True if the file begins like a wisdom file.
WATTUNE_EXPORT bool is_wisdom_file(const std::filesystem::path& file);

}  // namespace wattune::dynamic
