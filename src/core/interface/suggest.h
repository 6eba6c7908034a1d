// Finds the valid name nearest to one that the user misspelt.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wattune::inline v0_1 {

// Returns "did you mean `tile_size_x`?" if one candidate is near and the name is no number. A candidate is near if its
// edit distance is at most a third of the name (at least 1), or if one of its words is that near. It is near, too, if
// it begins with the name and the name has three letters or more. Otherwise returns "one of: a, b, c" for up to eight
// candidates, else an empty text.
std::string suggest(std::string_view name, const std::vector<std::string>& candidates);

// Returns "did you mean `gemm.jsonl`?" if a file in the folder of `path` has a name that is near; else an empty text.
std::string suggest_file(const std::filesystem::path& path);

}  // namespace wattune
