// Wisdom: what is known of the best configurations, kept in files that ship with an application.
//
// One file is written, others are only read: an application ships what was tuned offline and adds what it finds on the
// user's machine. Any number of processes may save to one file at the same time: each merges what it has with what the
// others wrote. Nothing here is meant for the path of a launch: look up once for each key. Any thread may call.
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

// An entry for a key that is not quite the one asked for.
struct NearestEntry {
  WisdomEntry entry;
  double distance = 0.0;    // distance() of the keys; 0: the key itself
  bool same_device = true;  // false: another model of the same architecture
};

class Wisdom {
 public:
  // A `file` that does not exist is empty, and an empty path keeps all in memory. Damaged lines are left
  // out, see problems(). not_found: a shipped file is missing; parse_error: one holds something else, or has a newer
  // format; io_error.
  static Result<std::unique_ptr<Wisdom>> open(const std::filesystem::path& file,
                                              const std::vector<std::filesystem::path>& shipped = {});
  ~Wisdom();

  // What is known of exactly this key on this model of device; of several files the better().
  std::optional<WisdomEntry> find(const KernelVersion& kernel, const DeviceInfo& device, const Key& key) const;
  // The nearest key on this model of device; without any, on another of the same architecture.
  std::optional<NearestEntry> nearest(const KernelVersion& kernel, const DeviceInfo& device, const Key& key) const;
  // At most so many keys, each with what is known best of it, the nearest first; the key itself may be among them.
  std::vector<NearestEntry> near(const KernelVersion& kernel, const DeviceInfo& device, const Key& key,
                                 std::size_t most) const;
  // How many entries there are of a kernel of this name with other code, which are never returned.
  std::size_t count_of_other_versions(const KernelVersion& kernel) const;

  // Whether it is better() than what the written file had, and so stands in its place from then on, in memory until
  // save(). Errors of check().
  Result<bool> put(WisdomEntry entry);
  // Merges what was put with what the file holds by then, under a lock for which it waits, and replaces the file whole
  // or not at all. busy: another process held the lock for 10 s; otherwise errors of open() and io_error. What could
  // not be saved stays in memory, for the next save().
  Result<void> save();

  // A line each that was left out when the files were opened, with file, line and reason; and that the written file is
  // in a folder that does not exist. save() leaves such lines out, and keeps the file that had them beside the new one.
  std::vector<Error> problems() const;

 private:
  struct Parts;
  explicit Wisdom(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// The text of a wisdom file (docs/formats/wisdom.md), for tests, fuzzing and programs that show it.
struct WisdomText {
  std::vector<WisdomEntry> entries;  // in the order of the file
  std::vector<Error> problems;       // a line each that was left out
};
// parse_error: no wisdom, or of a newer format.
Result<WisdomText> parse_wisdom(std::string_view text, const std::filesystem::path& file = {});
Result<WisdomText> load_wisdom(const std::filesystem::path& file);
// Precondition: check() has nothing against them.
std::string write_wisdom(const std::vector<WisdomEntry>& entries);
// Whether a file begins as one.
bool is_wisdom_file(const std::filesystem::path& file);

}  // namespace wattune::dynamic
