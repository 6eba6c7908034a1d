// The kinds of files that Wattune writes and opens again (docs/formats/sealed.md): which kind a file is of, and what
// of it can be believed.
//
// Each line is an object that begins with the name and version of its kind and ends with its checksum (sealed_line.h),
// so that a line is complete by itself. Any thread may call.
//
//   constexpr store::FileKind kKind{.what = "co-run journal", .member = "wattune_corun", .version = 3};
//   text += store::sealed_record(kKind, {{"gain", 0.5}});
//   WATTUNE_ASSIGN(const auto found, store::read_sealed(text, file, kKind, [&](const Json& line) { take(line); }));
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/document.h"
#include "wattune/core/result.h"

namespace wattune::store {

struct FileKind {
  std::string_view what;    // for messages
  std::string_view member;  // the first one of each line, which holds the version
  std::uint64_t version = 1;
  // Whether an older Wattune wrote this object, without a checksum; nullptr: none did. And how it began, by which a
  // damaged one is known.
  bool (*is_unsealed)(const Json& object) = nullptr;
  std::string_view unsealed_start = "";
};

// A line of this kind with its newline.
std::string sealed_record(const FileKind& kind, const Json& members);

struct SealedContents {
  std::vector<Error> left_out;   // a line each that is damaged, cut off or cannot be true, in the order of the file
  bool unsealed = false;         // an older Wattune wrote a line, so that nothing tells whether it is damaged
  std::size_t intact_bytes = 0;  // what lies behind is a torn last line
  bool ends_with_newline = true;
};

// Hands out each whole line, of which `take` throws Malformed where it cannot be true. Reads line ends of Windows too.
// parse_error, of nothing that may be changed or read: a file of which no line is of this kind, or one of a newer
// version.
Result<SealedContents> read_sealed(std::string_view text, const std::filesystem::path& file, const FileKind& kind,
                                   const std::function<void(const Json&)>& take);

// What people are told of a file without checksums: its name and, in a sentence, what becomes of it.
std::string unsealed_note(const std::filesystem::path& file, std::string_view outcome);

// Before another file takes its place: gives what an older Wattune wrote a second name, `.unsealed` behind its own, or
// the next that is free. Does nothing where the file is missing or sealed. Errors of read_sealed() and of the system.
Result<void> keep_unsealed(const std::filesystem::path& file, const FileKind& kind);

}  // namespace wattune::store
