// What a result file of strangers may demand (docs/store.md). Past these a few kilobytes, unpacked, would
// take all memory; deep nesting overflows the stack of what walks through it later; and each member of an ordered
// object is compared with all before it.
#pragma once

#include <cstddef>
#include <vector>

#include "store/document.h"

namespace wattune::store {

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;  // unpacked
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 26;  // of a journal or a table
inline constexpr std::size_t kMaxValues = std::size_t{1} << 25;     // numbers, texts, lists and objects in all

// What Errors say of them.
inline constexpr const char* kLineTooLong = "a line is longer than 64 MiB, which no result takes";
inline constexpr const char* kTooManyValues =
    "there are more than 33,554,432 values: divide the results among several files";

// For texts that are parsed one after another and kept together.
class JsonLimits {
 public:
  // For each event of the parser. Throws Malformed when a limit is passed.
  void check(int depth, Json::parse_event_t event);

 private:
  void open_object(std::size_t depth);
  void count_member(std::size_t depth);

  std::size_t values_ = 0;
  std::vector<std::size_t> members_;  // of the object that is open at each depth
};

}  // namespace wattune::store
