#include "backend/worker/last_words.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::backend::worker {

Result<LastWords> LastWords::create() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error(ErrorCode::unavailable, "no pipe for the output of a process");
  return LastWords(Descriptor(ends[0]), Descriptor(ends[1]));
}

void LastWords::take_over(std::initializer_list<int> descriptors) const {
  for (const int each : descriptors) dup2(theirs_.get(), each);
}

// Takes one piece of output per call, so that a child that writes for ever does not keep the caller from checking the
// time.
void LastWords::read_for(std::chrono::milliseconds patience) {
  constexpr std::size_t kKeptBytes = 4096;
  std::array<char, 65536> piece;
  pollfd entry{ours_.get(), POLLIN, 0};
  if (poll(&entry, 1, static_cast<int>(patience.count())) <= 0) return;
  const ssize_t size = read(ours_.get(), piece.data(), piece.size());
  if (size <= 0) return ours_.close();
  kept_.append(piece.data(), static_cast<std::size_t>(size));
  if (kept_.size() > kKeptBytes) kept_.erase(0, kept_.size() - kKeptBytes);
}

std::string LastWords::last_line() const {
  constexpr std::size_t kLongestLine = 200;
  std::string line = kept_.substr(0, kept_.find_last_not_of(" \r\n") + 1);
  line = line.substr(line.find_last_of('\n') + 1, kLongestLine);
  std::ranges::replace_if(
      line, [](unsigned char each) { return each < ' ' || each == 0x7F; }, '?');
  return line;
}

}  // namespace wattune::backend::worker
