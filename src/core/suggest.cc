#include "core/interface/suggest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <system_error>
#include <utility>

namespace wattune::inline v0_1 {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool same(char a, char b) { return lower(a) == lower(b); }

// Counts the letters to insert, remove, replace or swap with their neighbour (optimal string alignment), ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// Returns the first candidate that begins with the name, if the name has at least three letters; otherwise nullptr.
const std::string* longer_form(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kShortestPrefix = 3;
  const auto begins = [&](const std::string& candidate) {
    return std::ranges::equal(name, std::string_view(candidate).substr(0, name.size()), {}, lower, lower);
  };
  const auto found = name.size() < kShortestPrefix ? candidates.end() : std::ranges::find_if(candidates, begins);
  return found == candidates.end() ? nullptr : &*found;
}

// Returns the words of a name such as "greedy_ils" or "model-steered".
std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t end = name.find_first_of("_-");
    words.push_back(name.substr(0, end));
    if (end == std::string_view::npos) return words;
    name.remove_prefix(end + 1);
  }
}

// Returns the smallest edit distance between the name and a word of the candidate. Words of less than four letters do
// not count.
std::size_t distance_of_words(std::string_view name, std::string_view candidate) {
  constexpr std::size_t kShortestWord = 4;
  std::size_t least = std::string_view::npos;
  for (const std::string_view word : words_of(candidate))
    if (word.size() >= kShortestWord && word.size() < candidate.size())
      least = std::min(least, edit_distance(name, word));
  return least;
}

// Returns the first of the candidates that are nearest by `distance`; nullptr if no candidate is near.
template <typename Distance>
const std::string* nearest_by(const Distance& distance, std::string_view name,
                              const std::vector<std::string>& candidates) {
  const std::string* nearest = nullptr;
  std::size_t nearest_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t there = distance(name, candidate);
    if (there < nearest_distance) {
      nearest_distance = there;
      nearest = &candidate;
    }
  }
  return nearest;
}

const std::string* nearest_of(std::string_view name, const std::vector<std::string>& candidates) {
  if (const std::string* nearest = nearest_by(edit_distance, name, candidates)) return nearest;
  if (const std::string* longer = longer_form(name, candidates)) return longer;
  return nearest_by(distance_of_words, name, candidates);
}

// Tells whether the name is a number. Numbers with similar digits need not be near each other.
bool is_number(std::string_view name) {
  return name.find_first_not_of("+-.0123456789eE") == std::string_view::npos && std::ranges::any_of(name, is_digit);
}

}  // namespace

std::string suggest(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMaxListed = 8;
  const std::string* nearest = is_number(name) ? nullptr : nearest_of(name, candidates);
  if (nearest != nullptr) return "did you mean `" + *nearest + "`?";
  if (candidates.empty() || candidates.size() > kMaxListed) return {};
  std::string list = "one of: ";
  for (std::size_t i = 0; i < candidates.size(); ++i) list += (i == 0 ? "" : ", ") + candidates[i];
  return list;
}

std::string suggest_file(const std::filesystem::path& path) {
  std::vector<std::string> names;
  std::error_code failed;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    if (std::error_code ignored; entry->is_regular_file(ignored)) names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  const std::string nearest = suggest(path.filename().string(), names);
  return nearest.starts_with("did you mean") ? nearest : std::string();
}

}  // namespace wattune
