// Numbers and times as people write and read them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "wattune/core/observation.h"
#include "wattune/core/result.h"
#include "wattune/core/uint128.h"
#include "wattune/core/units.h"

namespace wattune::cli {

// Without the spaces at both ends.
std::string trimmed(const std::string& text);

// "1.5ms", "60s", "5m", "1h"; units ns, us, ms, s, m, h. invalid_argument: no number, no or another unit, negative.
Result<Nanoseconds> parse_time(std::string_view text);
// "8GB", "500MB"; units kB, MB, GB, TB of 1000, KiB, MiB, GiB, TiB of 1024. invalid_argument.
Result<std::uint64_t> parse_bytes(std::string_view text);
// Decimal digits. invalid_argument.
Result<std::uint64_t> parse_count(std::string_view text);
// Any finite number. invalid_argument.
Result<double> parse_number(std::string_view text);
// "5" or "5%": 0.05. invalid_argument: no number, negative.
Result<double> parse_percent(std::string_view text);
// "name=value" at the first '='. invalid_argument.
Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text);

// "1.234 ms", in the unit that leaves one to three digits before the point.
std::string format_time(Nanoseconds time);
// "45 s", "3:07", "1:02:30": for waiting times.
std::string format_wait(double seconds);
// "241,600".
std::string group_digits(Uint128 value);
// "1 configuration", "1,200 configurations": nouns that take an s.
std::string counted(Uint128 count, std::string_view noun);
// "190 correct, 10 compile"; kinds that did not occur are left out.
std::string format_counts(const std::map<Status, std::uint64_t>& by_status);
// "1.2 MB", decimal units.
std::string format_bytes(double bytes);
// As a shell takes it for one word: in single quotes where it holds more than letters, digits and -_./,:=+@%.
std::string quoted_for_shell(std::string_view word);

}  // namespace wattune::cli
