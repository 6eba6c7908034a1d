#include "cli/program/advice.h"

#include <string>
#include <string_view>
#include <utility>

namespace wattune::cli {

namespace {

// A piece of the library's advice, and the option of the program that has the same effect.
constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
    {"another reference limit, or `seconds` of [reference], changes that",
     "--reference-limit or `seconds` of [reference] sets another"},
    {"taking the board over sets it all the same", "--take-over sets the board all the same"},
    {"tune at the board's current clocks", "tune with --clocks current"},
    {"tune each model apart", "--mixed-devices tunes each model apart"},
    {"write to another file, or go on by force", "write to another file; --force-resume goes on nevertheless"},
    {"overwriting replaces it", "--overwrite replaces it"},
    {"observing energy measures it", "--observe energy measures it"},
    {"a metric `operations` says how many a run makes", "--metric operations=EXPRESSION says how many a run makes"},
    {"or allow the worker more memory", "or let --memory-limit allow more"},
    {"name other clocks,", "name others with --clocks,"},
    {"or raise the slowdown or the power cap", "or raise --slowdown or --power-cap"},
    {"raise the slowdown or the power cap; forecasts without them show",
     "raise --slowdown or --power-cap; --explain shows"},
    {"raise the power cap, or allow lower clocks to be set", "raise --power-cap, or let --clocks set lower clocks"},
    {"profile it anew", "wattune profile measures it anew"},
    {"choose the objective `energy`, without limits of slowdown and power",
     "choose --objective energy, without --slowdown and --power-cap"},
    {"name `greedy` among the policies", "--policies greedy"},
    {"name a file of networks, or recordings of kernels at several clocks",
     "--networks names a file of networks, --recordings trains them"},
    {"leave out the recordings", "leave out --recordings"},
    {"profile the recorded kernel on this board", "wattune profile writes them, and --profiles names its file"},
    {"a profile has them", "--profiles has them if wattune profile wrote them"},
    {"or profile the kernel anew", "or measure it anew with wattune profile"}};

}  // namespace

Error with_options(Error error) {
  std::string advice = error.advice();
  if (advice.empty()) return error;
  for (const auto& [library, program] : kOptions)
    if (const std::size_t at = advice.find(library); at != std::string::npos)
      advice.replace(at, library.size(), program);
  return std::move(error).hint(std::move(advice));
}

}  // namespace wattune::cli
