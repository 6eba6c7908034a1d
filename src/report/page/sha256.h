// Hashes a text as a content security policy names it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace wattune::inline v0_1::report {

// Returns the SHA-256 of the text (FIPS 180-4, section 6.2).
std::array<std::uint8_t, 32> sha256(std::string_view text);

// Returns "sha256-" and the hash in base64, which a policy compares with a script or a style.
std::string policy_hash(std::string_view text);

}  // namespace wattune::report
