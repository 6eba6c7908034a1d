// The bytes between a driver and its evaluators.
//
// A request is a line: `evaluate ID`, or `contest ID ID ...`. Further ids behind the first of an evaluation are those
// that will probably follow, so that they can be compiled. Its reply is the Trial's line, as a journal has it, and a
// line with the nanoseconds of a turn beyond its runs. The reply to a contest has the Trials' lines,
// and a line of JSON with the turns of each contestant. A cancelled contest has no Trials.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/interface/trial_line.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace wattune::python {

struct Request {
  bool is_contest = false;
  std::vector<Configuration> configurations;  // at least one; the first is evaluated unless it is a contest
};

std::string write_request(bool is_contest, std::span<const Configuration> configurations);
// Parses a request. Fails with parse_error, or out_of_range if the space has no such id.
Result<Request> parse_request(std::string_view text, const space::SearchSpace& space);

std::string write_evaluation(const std::string& line, Nanoseconds turn_overhead);
std::string write_contest(const std::vector<std::string>& lines, const measure::Rounds& rounds);

struct Evaluation {
  Observation observation;
  Nanoseconds turn_overhead;
};

// Parses replies. They fail with parse_error if the bytes are damaged, cannot be true, or tell of other configurations.
Result<Evaluation> parse_evaluation(std::string_view reply, const Configuration& asked,
                                    const store::TrialDecoder& decoder);
Result<tune::Contest> parse_contest(std::string_view reply, std::span<const Configuration> asked,
                                    const store::TrialDecoder& decoder);

}  // namespace wattune::python
