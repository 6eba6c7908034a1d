// Writes and reads swept pairs as JSON objects (docs/formats/corun-journal.md).
#pragma once

#include <string>

#include "cli/corun/corun_sweep.h"
#include "store/interface/document.h"

namespace wattune::cli {

store::Json line_of(const std::string& identity, const schedule::SweptPair& pair);
// Reads a pair back. Throws store::Malformed if a member is missing, of another type, or cannot be true.
schedule::SweptPair pair_from(const store::Json& json);

}  // namespace wattune::cli
