// Limits for result files from untrusted sources (docs/store.md). Without limits, a few compressed kilobytes could fill
// all memory. Deep nesting could overflow the stack of code that walks through the document. An object with many
// members would take long, because each member is compared with all before it.
#pragma once

#include <cstddef>
#include <vector>

#include "store/interface/document.h"

namespace wattune::inline v0_1::store {

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;  // largest size of a file, unpacked
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 26;  // largest size of a line in a journal or a table
inline constexpr std::size_t kMaxValues = std::size_t{1} << 25;  // largest number of numbers, texts, lists and objects

// Messages of Errors about these limits.
inline constexpr const char* kLineTooLong = "a line is longer than 64 MiB, which no result takes";
inline constexpr const char* kTooManyValues =
    "there are more than 33,554,432 values: divide the results among several files";

// A counter of the values in texts that are parsed one after another and kept together.
class JsonLimits {
 public:
  // Checks an event of the parser. Throws Malformed if a limit is passed.
  void check(int depth, Json::parse_event_t event);

 private:
  void open_object(std::size_t depth);
  void count_member(std::size_t depth);

  std::size_t values_ = 0;
  std::vector<std::size_t> members_;  // number of members of the open object at each depth
};

}  // namespace wattune::store
