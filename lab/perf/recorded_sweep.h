// Reads the output of `wattune corun` for pairs swept over their ratios, for the pictures of docs/results/corun.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "wattune/core/units.h"

namespace wattune::perf {

struct RecordedPair {
  std::array<std::string, 2> names;
  std::array<Nanoseconds, 2> alone = {};                    // of all repetitions
  std::map<std::pair<unsigned, unsigned>, double> gain_at;  // by resident blocks on each SM
};

// Parses "alone: fma 8.924 ms (once), copy 8.797 ms (11 times)".
inline bool read_alone(const std::string& line, RecordedPair& pair) {
  std::array<double, 2> ms = {};
  if (std::sscanf(line.c_str(), "alone: %*s %lf ms (%*[^)]), %*s %lf ms", &ms[0], &ms[1]) != 2) return false;
  pair.alone = {nanoseconds_from_ms(ms[0]), nanoseconds_from_ms(ms[1])};
  return true;
}

// Parses "* 6:2 resident blocks per SM  9.019 ms  8.947 ms  9.019 ms  +91.4 %", with or without the star.
inline void read_share(const std::string& line, RecordedPair& pair) {
  unsigned first = 0;
  unsigned second = 0;
  double percent = 0.0;
  const char* const share = line.c_str() + std::min<std::size_t>(2, line.size());
  if (std::sscanf(share, "%u:%u resident blocks per SM %*f ms %*f ms %*f ms %lf %%", &first, &second, &percent) == 3)
    pair.gain_at[{first, second}] = percent / 100.0;
}

// Reads the pairs of a file. Pairs whose output is incomplete are left out.
inline std::vector<RecordedPair> read_sweep(const std::string& file) {
  std::vector<RecordedPair> pairs;
  std::ifstream text(file);
  RecordedPair heading;
  for (std::string line; std::getline(text, line);) {
    std::array<char, 64> first = {};
    std::array<char, 64> second = {};
    if (std::sscanf(line.c_str(), "%63s with %63s on ", first.data(), second.data()) == 2)
      heading = {{first.data(), second.data()}, {}, {}};
    else if (read_alone(line, heading))
      pairs.push_back(heading);
    else if (!pairs.empty())
      read_share(line, pairs.back());
  }
  return pairs;
}

}  // namespace wattune::perf
