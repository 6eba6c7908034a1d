// Table: records of files that are no results of a tuning run.
#pragma once

#include <filesystem>
#include <optional>

#include "module.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::python {

// Returns an entry of wisdom as a dict; times in seconds.
nb::dict record_of(const dynamic::WisdomEntry& entry);

// Reads wisdom, or what `wattune corun` wrote: pairs, or the policies of a queue or of tenants. Returns a tuple: what
// the records are, the records as dicts or as the text of a JSON array, and notes on the file. Returns nullopt for any
// other file. Raises errors of reading the file.
std::optional<nb::tuple> read_table(const std::filesystem::path& file);

}  // namespace wattune::python
