// Reads any text as TOML and as T1. Expects a spec or an Error with a message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wattune/spec/spec.h"

namespace {

void check(const wattune::Result<wattune::KernelSpec>& spec) {
  if (spec ? spec->parameters.empty() : spec.error().message().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using wattune::spec::SourcePolicy;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(wattune::spec::parse_toml(text, "fuzz.toml", SourcePolicy::optional));
  check(wattune::spec::parse_t1(text, "fuzz.json", SourcePolicy::optional));
  return 0;
}
