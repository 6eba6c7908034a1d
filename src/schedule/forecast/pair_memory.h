// PairMemory: the speeds that pairs of kernels had together, in a file that sweeps, queues and applications of a user
// share (docs/formats/pairs.md).
//
// A pair is known by the identities of both kernels, which name code, sizes, device and driver. Only ways at the
// board's own clocks are kept. Threads may read a memory while none changes it.
//
//   PairMemory memory(usual_pairs_file());
//   memory.note(first, second, sms, table.ways(0, 1));
//   WATTUNE_TRY(memory.save());
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/identity.h"
#include "wattune/core/result.h"
#include "wattune/schedule/forecast.h"

namespace wattune::inline v0_1::schedule {

// Returns the file `pairs.jsonl` in the user's cache folder; an empty name if there is no such folder.
std::filesystem::path usual_pairs_file();

// Returns the ways that were measured, and those of the forecast that were not, the best one first.
PairForecast completed(PairForecast measured, PairForecast forecast);

class PairMemory {
 public:
  // Reads the file. A file that is missing or cannot be read counts as empty, since measurements can be repeated. With
  // an empty name nothing is known and nothing is kept.
  explicit PairMemory(std::filesystem::path file = {});

  // Returns the best way that was measured, with all others; nullopt if there is none.
  std::optional<PairForecast> find(const Identity& first, const Identity& second, unsigned sms) const;
  // Notes those of these ways that were measured, in place of what was known of the same ways. The proven way is that
  // of the first of them, or none.
  void note(const Identity& first, const Identity& second, unsigned sms, const std::vector<PairForecast>& ways);
  // Writes what was noted to the file, beside what others have written there since it was read. Does nothing if nothing
  // was noted. Fails with parse_error if the file is of another kind or a newer version, with invalid_argument if
  // others may write to the folder, and with errors of the system.
  Result<void> save();

 private:
  using Key = std::array<std::string, 2>;  // hashes of both identities, ascending
  static Key key_of(const std::string& first, const std::string& second);
  struct Known {
    std::vector<PairForecast> ways = {};
    std::optional<ProvenWay> proven = {};
  };
  using Pairs = std::map<Key, Known>;

  static void add(Pairs& pairs, const Key& key, const Known& known);
  static Result<Pairs> read(const std::filesystem::path& file);

  std::filesystem::path file_;
  Pairs pairs_;
  Pairs noted_;
};

}  // namespace wattune::schedule
