// Files of several kinds that Wattune writes and opens again (docs/formats/sealed.md), with checks of the kind and of
// each line.
//
// Each line is an object that begins with the name and version of its kind and ends with its checksum (sealed_line.h),
// so that each line is complete by itself. Any thread may call the functions.
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

#include "store/interface/document.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::store {

struct FileKind {
  std::string_view what;    // name of the kind, for messages
  std::string_view member;  // name of the first member of each line; its value is the version
  std::uint64_t version = 1;
  // Tells whether an older Wattune wrote this object, without a checksum; nullptr if there is no such format. The next
  // member below is the text with which such objects began; a damaged object is recognised by this text.
  bool (*is_unsealed)(const Json& object) = nullptr;
  std::string_view unsealed_start = "";
};

// Returns a line of this kind with its newline.
std::string sealed_record(const FileKind& kind, const Json& members);

struct SealedContents {
  std::vector<Error> left_out;   // an Error for each damaged, torn or impossible line, in order
  bool unsealed = false;         // true if a line of an older Wattune has no checksum, so that damage may go unseen
  std::size_t intact_bytes = 0;  // number of bytes before a torn last line
  bool ends_with_newline = true;
};

// Reads all lines and calls `take` with each complete one. `take` throws Malformed if a line cannot be true. Line ends
// of Windows are read too. Fails with parse_error if no line is of this kind or one is of a newer version; such a file
// must be neither changed nor read.
Result<SealedContents> read_sealed(std::string_view text, const std::filesystem::path& file, const FileKind& kind,
                                   const std::function<void(const Json&)>& take);

// Returns a note on a file without checksums: its name and, in a sentence, the planned `outcome`.
std::string unsealed_note(const std::filesystem::path& file, std::string_view outcome);

// Gives a second name to a file that an older Wattune wrote, before another file replaces that file. The second name is
// the file's own name with `.unsealed` appended, or the next free name. Does nothing if the file is missing or sealed.
// Fails with the errors of read_sealed() and of the system.
Result<void> keep_unsealed(const std::filesystem::path& file, const FileKind& kind);

}  // namespace wattune::store
