#include "store/interface/sealed_line.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace wattune::inline v0_1::store {

namespace {

constexpr std::string_view kSealStart = ",\"xxh3\":\"";
constexpr std::string_view kSealEnd = "\"}";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kSealBytes = kSealStart.size() + kDigits + kSealEnd.size();

std::string checksum(std::string_view bytes) {
  return fmt::format(FMT_COMPILE("{:016x}"), XXH3_64bits(bytes.data(), bytes.size()));
}

}  // namespace

void seal(std::string& line) {
  const std::string digits = checksum(line);
  line += kSealStart;
  line += digits;
  line += kSealEnd;
  line += '\n';
}

std::string sealed(const Json& object) {
  std::string line = dump(object);
  line.pop_back();  // removes the closing brace, which seal() wrote behind the checksum
  seal(line);
  return line;
}

bool is_sealed(std::string_view line) {
  if (line.size() < kSealBytes) return false;
  const std::size_t content = line.size() - kSealBytes;
  std::string expected(kSealStart);
  expected += checksum(line.substr(0, content));
  expected += kSealEnd;
  return line.substr(content) == expected;
}

Json parse_line(std::string_view line, JsonLimits& limits) {
  if (line.size() > kMaxLineBytes) throw Malformed(kLineTooLong);
  const auto check = [&limits](int depth, Json::parse_event_t event, const Json&) {
    limits.check(depth, event);
    return true;
  };
  return Json::parse(line, check, false);
}

LineReader::LineReader(std::string_view text) : text_(text) {
  if (text.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

LineReader::Line LineReader::next_line() {
  const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
  std::string_view line = text_.substr(begin_, end - begin_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const bool is_terminated = end < text_.size();
  begin_ = is_terminated ? end + 1 : end;
  return {line, is_terminated};
}

std::optional<std::string_view> LineReader::next() {
  const Line line = next_line();
  return line.is_terminated || is_sealed(line.text) ? std::optional(line.text) : std::nullopt;
}

}  // namespace wattune::store
