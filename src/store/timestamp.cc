#include "store/interface/timestamp.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

namespace wattune::inline v0_1::store {

namespace {

// A scanner that reads a text from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }

  bool accept(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  // Reads a number of one to `most` digits. Returns false if there is no digit.
  bool number(std::size_t most, int& value) {
    std::size_t digits = 0;
    for (value = 0; digits < most && next_is_digit(); ++digits) value = value * 10 + take_digit();
    return digits > 0;
  }

  // Reads the digits after a decimal point as nanoseconds. Ignores digits beyond the ninth.
  bool nanoseconds(int& value) {
    if (!next_is_digit()) return false;
    value = 0;
    for (int unit = 100'000'000; next_is_digit(); unit /= 10) value += take_digit() * unit;
    return true;
  }

 private:
  bool next_is_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  int take_digit() {
    const int digit = rest_.front() - '0';
    rest_.remove_prefix(1);
    return digit;
  }

  std::string_view rest_;
};

// Parses an offset from UTC, such as "", "Z", " UTC", "+01:00" or "+0100". Returns the number of minutes by which the
// time is ahead of UTC.
std::optional<std::chrono::minutes> parse_offset(Scanner& scan) {
  if (scan.done() || scan.accept("Z") || scan.accept(" UTC")) return std::chrono::minutes(0);
  const bool behind = scan.accept("-");
  if (!behind && !scan.accept("+")) return std::nullopt;
  int hours = 0;
  int minutes = 0;
  if (!scan.number(2, hours)) return std::nullopt;
  scan.accept(":");
  if (!scan.done() && !scan.number(2, minutes)) return std::nullopt;
  const int total = hours * 60 + minutes;
  return std::chrono::minutes(behind ? -total : total);
}

}  // namespace

void append_timestamp(std::string& out, TimePoint time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(duration_cast<nanoseconds>(time - day));
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z"), int{date.year()},
                 unsigned{date.month()}, unsigned{date.day()}, clock.hours().count(), clock.minutes().count(),
                 clock.seconds().count(), clock.subseconds().count());
}

std::string format_timestamp(TimePoint time) {
  std::string text;
  append_timestamp(text, time);
  return text;
}

std::string format_python_timestamp(TimePoint time) {
  std::string text = format_timestamp(time);
  text[text.find('T')] = ' ';
  text.resize(text.size() - 4);  // removes the nanoseconds and the Z
  return text + "+00:00";
}

std::optional<TimePoint> parse_timestamp(std::string_view text) {
  using namespace std::chrono;
  Scanner scan(text);
  int year_number = 0, month_number = 0, day_number = 0, hour = 0, minute = 0, second = 0, fraction = 0;
  if (!(scan.number(4, year_number) && scan.accept("-") && scan.number(2, month_number) && scan.accept("-") &&
        scan.number(2, day_number) && (scan.accept("T") || scan.accept(" ")) && scan.number(2, hour) &&
        scan.accept(":") && scan.number(2, minute) && scan.accept(":") && scan.number(2, second)))
    return std::nullopt;
  if (scan.accept(".") && !scan.nanoseconds(fraction)) return std::nullopt;
  const std::optional<minutes> offset = parse_offset(scan);
  const year_month_day date(year(year_number), month(static_cast<unsigned>(month_number)),
                            day(static_cast<unsigned>(day_number)));
  // The system clock counts nanoseconds from 1970 in 64 bits, which covers the years 1677 to 2262.
  if (!offset || !scan.done() || !date.ok() || year_number < 1678 || year_number > 2261) return std::nullopt;
  return sys_days(date) + hours(hour) + minutes(minute) + seconds(second) + nanoseconds(fraction) - *offset;
}

}  // namespace wattune::store
