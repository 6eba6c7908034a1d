// Recognises databases of SQLite; formats.h reads and writes them.
#pragma once

#include <string_view>

namespace wattune::inline v0_1::store {

bool looks_like_database(std::string_view beginning);

}  // namespace wattune::store
