// Runs two kernels together, as a pair and as a queue. They are the kernels of two specs on a device of this machine,
// or without specs two published kernels on a simulated C2050.
//
//   example_run_together gemm.toml copy.toml
#include <cstdio>

#include "wattune/schedule/session.h"
#include "wattune/spec/spec.h"

using namespace wattune;

Result<std::unique_ptr<schedule::CorunSession>> open_session(int count, char** names) {
  if (count < 3) return schedule::open_simulated({"PC", "TEA"}, 2, {.device = "C2050"});
  std::vector<KernelSpec> specs;
  for (int i = 1; i < count; ++i) {
    WATTUNE_ASSIGN(specs.emplace_back(), spec::load(names[i]));
  }
  return schedule::open(std::move(specs));
}

Result<void> run(schedule::CorunSession& session) {
  WATTUNE_ASSIGN(const std::vector<schedule::SweptPair> pairs, session.sweep());
  const schedule::PairVerdict verdict = schedule::verdict_of(pairs.front());
  if (verdict.gains())
    std::printf("together %+.1f %%, with %s\n", 100.0 * verdict.gain->gain,
                describe(verdict.best->arrangement, pairs.front().limits).c_str());
  WATTUNE_ASSIGN(const schedule::QueueReport report, session.run_queue({.works = 20}));
  for (const schedule::PolicyRun& policy : report.policies)
    std::printf("%-8s %8.3f ms for %zu works\n", policy.policy.c_str(), to_ms(policy.makespan), report.works);
  WATTUNE_ASSIGN(const schedule::Ticket first, session.submit({.kernel = 0}));
  WATTUNE_ASSIGN(const schedule::Ticket second, session.submit({.kernel = 1, .after = {first.id()}}));
  WATTUNE_ASSIGN(const schedule::WorkStatistics statistics, second.wait());
  std::printf("the second work ended %.3f ms after it was submitted\n", to_ms(statistics.response()));
  return {};
}

int main(int count, char** names) {
  const auto session = open_session(count, names);
  const Result<void> done = session ? run(**session) : Result<void>(session.error());
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
  return 1;
}
