#include "store/sealed_line.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace wattune::store {

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
  line.pop_back();  // the closing brace, which seal() puts behind the checksum
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

std::optional<std::string_view> LineReader::next() {
  const std::size_t end = text_.find('\n', begin_);
  const bool terminated = end != std::string_view::npos;
  const std::string_view line = text_.substr(begin_, terminated ? end - begin_ : std::string_view::npos);
  begin_ = terminated ? end + 1 : text_.size();
  return terminated ? std::optional(line) : std::nullopt;
}

}  // namespace wattune::store
