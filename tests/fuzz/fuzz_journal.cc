// Reads any text as a journal; what is read has whole configurations and can be written. A second reading repairs the
// checksums first, so that damage is found behind them too.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wattune/store/formats.h"
#include "wattune/store/journal.h"

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

void read(std::string_view text) {
  const auto results = wattune::store::parse_journal(text, "fuzz");
  if (!results) return check(results.error().position().file == "fuzz" && results.error().position().line >= 1);
  const std::string written = wattune::store::write_json(*results);
  check(!written.empty());
  for (const wattune::Trial& trial : results->trials)
    check(trial.configuration.values().size() == results->info.parameters.size());
}

// Each line with the checksum of what stands before it.
std::string with_checksums(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.rfind(",\"xxh3\":\""));
    char seal[32];
    std::snprintf(seal, sizeof seal, ",\"xxh3\":\"%016llx\"}\n",
                  static_cast<unsigned long long>(XXH3_64bits(line.data(), line.size())));
    out.append(line).append(seal);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text);
  read(with_checksums(text));
  return 0;
}
