// 3D Fourier reconstruction of cryo-electron microscopy (Petrovic et al. 2020, 4.2.10 and 5.3), whose kernel tunes
// itself while the application runs. README.md says how to use it and what it prints.
#include <cstdio>

#include "report.h"
#include "wattune/store/formats.h"

namespace fourier {
namespace {

using namespace wattune;

Result<std::unique_ptr<Inserter>> make_tuned(Application& application, const Options& options, const Optimum& optimum) {
  switch (options.mode) {
    case RunMode::oracle: return make_oracle(application, options, optimum.configuration);
    case RunMode::paper: return make_explorer(application, options);
    case RunMode::ours: return make_searcher(application, options);
    case RunMode::foreign: {
      WATTUNE_ASSIGN(const ResultSet results, store::load_results(options.foreign));
      if (const Trial* const best = results.best()) return make_oracle(application, options, best->configuration);
      return Error(ErrorCode::not_found, "no configuration was correct").about(options.foreign.string());
    }
  }
  return Error(ErrorCode::internal, "no such mode");
}

// Runs a pair: a tuned run and one that knows the optimum. The caller lets either go first in turn, so that
// disturbances affect both alike.
Result<Pair> run_pair(Application& application, const Options& options, const Optimum& optimum, bool tuned_first) {
  Pair pair;
  WATTUNE_ASSIGN(std::unique_ptr<Inserter> oracle, make_oracle(application, options, optimum.configuration));
  WATTUNE_ASSIGN(const std::vector<double> weights, weights_of_batches(application, *oracle));
  for (const bool tunes : {tuned_first, !tuned_first}) {
    oracle.reset();
    WATTUNE_ASSIGN(const auto inserter, tunes ? make_tuned(application, options, optimum)
                                              : make_oracle(application, options, optimum.configuration));
    Run& made = tunes ? pair.tuned : pair.oracle;
    WATTUNE_ASSIGN(made, run(application, *inserter, options, weights));
  }
  return pair;
}

// Runs the offline pass, then the pairs of runs. The application is idle while the offline pass uses the device.
Result<nlohmann::json> reconstruct(Options options) {
  WATTUNE_ASSIGN(const auto application, Application::make(options));
  WATTUNE_ASSIGN(const Optimum optimum, find_optimum(application->spec(), options));
  std::vector<Pair> pairs;
  for (int repetition = 0; repetition < options.repetitions; ++repetition, ++options.seed) {
    WATTUNE_ASSIGN(pairs.emplace_back(), run_pair(*application, options, optimum, repetition % 2 != 0));
  }
  return to_json(application->device().info().name, options, optimum, pairs);
}

}  // namespace
}  // namespace fourier

int main(int argc, char** argv) {
  const fourier::Options options = fourier::parse_options(argc, argv);
  const auto result = fourier::reconstruct(options);
  if (!result) {
    std::fprintf(stderr, "fourier_reconstruction: error: %s\n", result.error().to_string().c_str());
    return 1;
  }
  if (options.json)
    std::printf("%s\n", result->dump(2).c_str());
  else
    fourier::print(*result);
  return (*result)["wrong_results"].get<int>() == 0 ? 0 : 1;
}
