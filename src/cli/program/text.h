// Converts numbers, times and sizes to and from the text that people use.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/interface/wording.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::cli {

// Removes the spaces at both ends.
std::string trimmed(const std::string& text);

// Parses "1.5ms", "60s", "5m" or "1h"; units are ns, us, ms, s, m, h. Fails with invalid_argument if there is no number
// or no known unit, or if the number is negative.
Result<Nanoseconds> parse_time(std::string_view text);
// Parses "8GB" or "500MB"; units are kB, MB, GB, TB of 1000, and KiB, MiB, GiB, TiB of 1024. Fails with
// invalid_argument.
Result<std::uint64_t> parse_bytes(std::string_view text);
// Parses decimal digits. Fails with invalid_argument.
Result<std::uint64_t> parse_count(std::string_view text);
// Returns "did you mean `1000000`?" for a whole number that is written as 1e6, 1_000_000 or 1,000,000; an empty text
// for any other.
std::string meant_whole_number(std::string_view text);
// Parses any finite number. Fails with invalid_argument.
Result<double> parse_number(std::string_view text);
// Parses a share above 0 and at most 1: "0.05" or "5%". Fails with invalid_argument.
Result<double> parse_share(std::string_view text);
// Parses decimal digits of a number above 0. Fails with invalid_argument.
Result<std::uint64_t> parse_positive_count(std::string_view text);
// Parses a time as parse_time() does, and fails with invalid_argument if it is 0.
Result<Nanoseconds> parse_positive_time(std::string_view text);
// Parses "5" or "5%" as 0.05. Fails with invalid_argument if there is no number, or if the number is negative.
Result<double> parse_percent(std::string_view text);
// Parses an architecture such as sm_90, sm_90a or compute_90. Fails with invalid_argument, and suggests sm_90 for other
// spellings, such as 90, sm90 and 9.0.
Result<std::string> parse_architecture(std::string_view text);
// Splits "name=value" at the first '='. Fails with invalid_argument.
Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text);

// Returns "1.234 ms", in the unit that leaves one to three digits before the point.
std::string format_time(Nanoseconds time);
// Returns "45 s", "3:07" or "1:02:30", for waiting times.
std::string format_wait(double seconds);
// Returns "190 correct, 10 compile", without statuses that did not occur.
std::string format_counts(const std::map<Status, std::uint64_t>& by_status);
// Returns "1.2 MB", in decimal units.
std::string format_bytes(double bytes);

}  // namespace wattune::cli
