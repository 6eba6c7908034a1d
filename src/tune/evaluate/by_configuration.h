// ByConfiguration: what functions of the caller's make of a configuration. These are the values that expressions read
// (EvaluatorOptions::computed) and the text of the source (EvaluatorOptions::writer).
//
// Results are kept for the configurations that were asked for last, because each is asked for several times: when it is
// announced to the compilers, foreseen, evaluated, and compared. One thread at a time uses the object.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/evaluate/formula.h"
#include "wattune/backend/compile_pool.h"
#include "wattune/core/configuration.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

class ByConfiguration {
 public:
  // Takes the functions of `options`, and the parameters of the spec, from which macros follow. Both must outlive this
  // object.
  ByConfiguration(const EvaluatorOptions& options, const std::vector<Parameter>& parameters)
      : options_(options), parameters_(parameters) {}

  // Returns `names` together with the names of the computed values. Fails with invalid_argument if a computed value has
  // no function, or if its name is missing or taken.
  Result<std::shared_ptr<const Names>> readable(Names names) const;
  // Returns the configuration with the computed values. Fails with the error of a function.
  Result<Configuration> complete(const Configuration& configuration);
  // Returns the macros with which the configuration's code is compiled.
  Result<std::vector<backend::Macro>> macros(const Configuration& configuration);
  // Returns the macros and the text that are compiled; the text is empty if it is that of the spec. Fails with the
  // error of a function, and with invalid_argument if a written text is empty.
  Result<backend::ImageRequest> code(const Configuration& configuration);

 private:
  // The largest number of configurations whose results are kept: more than compilers work on ahead.
  static constexpr std::size_t kMostKept = 256;

  struct Kept {
    Configuration configuration;
    std::optional<Result<Configuration>> complete = {};
    std::optional<Result<std::string>> text = {};
  };

  Kept& kept(const Configuration& configuration);
  Result<Configuration> compute(const Configuration& configuration) const;
  Result<std::string> write(const Configuration& configuration) const;

  const EvaluatorOptions& options_;
  const std::vector<Parameter>& parameters_;
  std::deque<Kept> kept_;  // the newest last
};

}  // namespace wattune::tune
