// Content hashes: short names for texts and spaces that stay the same on every machine.
#pragma once

#include <string>
#include <string_view>

namespace wattune {

// Returns the XXH3 hash of 128 bits as 32 lower-case hexadecimal digits.
std::string content_hash(std::string_view bytes);

}  // namespace wattune
