#include "dynamic/tuning/candidate_requests.h"

#include <algorithm>
#include <utility>

namespace wattune::inline v0_1::dynamic {

namespace {

// The largest number of candidates that are loaded ahead of their turn.
constexpr std::size_t kLoadedAhead = 16;

}  // namespace

bool CandidateRequests::has_news(Explorer& explorer, Nanoseconds now) {
  looks_at_ = now + kBetweenLooks;
  const std::uint64_t news = explorer.news();
  if (heard_ == news && !awaits_code_) return false;
  heard_ = news;
  return true;
}

void CandidateRequests::request(const std::vector<Candidate>& wanted,
                                const std::function<void(const Candidate&)>& ask) {
  expect(wanted);
  awaits_code_ = false;
  for (const Candidate& each : wanted) {
    const ConfigurationId id = each.configuration.id();
    if (requested_.contains(id)) continue;
    if (requested_.size() < kLoadedAhead && loader_.is_ready(each.configuration)) {
      requested_.insert(id);
      ask(each);
    } else {
      awaits_code_ = true;
    }
  }
}

// Announces the wanted candidates to the compilers, and the candidates that were requested from the loader. Requested
// candidates may not be wanted any more. But if they were not announced, they would be compiled in a gap when they are
// loaded.
void CandidateRequests::expect(const std::vector<Candidate>& wanted) {
  std::vector<Configuration> expected;
  for (const Candidate& candidate : wanted) expected.push_back(candidate.configuration);
  for (const Configuration& each : loader_.expected())
    if (requested_.contains(each.id()) && std::ranges::count(expected, each) == 0) expected.push_back(each);
  loader_.expect(std::move(expected));
}

}  // namespace wattune::dynamic
