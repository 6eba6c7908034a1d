// PairMemory keeps measured speeds of pairs of kernels in a file, which all sweeps, queues and applications of a user
// share (docs/formats/pairs.md).
//
// The key of a pair is the identity of each kernel: its code, sizes, device and driver. Only ways at the board's own
// clocks are kept. Threads may read a memory while none changes it.
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

// Returns the measured ways, and the ways of the forecast that were not measured. The best way comes first.
PairForecast completed(PairForecast measured, PairForecast forecast);

class PairMemory {
 public:
  // Reads the file. A missing or unreadable file counts as empty, since measurements can be repeated. If the name is
  // empty, nothing is read or saved.
  explicit PairMemory(std::filesystem::path file = {});

  // Returns the best measured way of the pair, with all others in `others`; nullopt if no way was measured.
  std::optional<PairForecast> find(const Identity& first, const Identity& second, unsigned sms) const;
  // Stores those of the pair's ways that were measured. They replace stored ways of the same shape. The stored proven
  // way becomes that of the first element, and is removed if the first element has none.
  void note(const Identity& first, const Identity& second, unsigned sms, const std::vector<PairForecast>& ways);
  // Writes the noted ways to the file, and keeps the ways that other processes have written there since it was read.
  // Does nothing if no way was noted. Fails with parse_error if the file has another format or a newer version. Fails
  // with invalid_argument if other users may write to the folder, and with errors of the system.
  Result<void> save();

 private:
  using Key = std::array<std::string, 2>;  // hashes of both identities, in ascending order
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
