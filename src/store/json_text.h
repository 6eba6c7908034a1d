// Writes JSON directly, without building a document first, because the journal writes a line in every evaluation.
#pragma once

#include <string>
#include <string_view>

namespace wattune::inline v0_1::store {

// Appends `text` in quotes. Bytes that are not UTF-8 (build logs) become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// Appends the shortest text that reads back as the same double; null for NaN and infinities, which JSON lacks.
void append_json_number(std::string& out, double value);

}  // namespace wattune::store
