// Many streams, a way in which works of two kernels run for the policy `paired`: whole, each in a stream of its own.
//
// The device mixes the blocks of all works, as in the policy `streams`. Kernels whose grids leave SMs idle gain most,
// since several works of one kernel run at once. Whole kernels cannot be stopped, so another way begins when all have
// ended.
#pragma once

#include <optional>

#include "schedule/policy/shares.h"

namespace wattune::inline v0_1::schedule {

// Number of works of both kernels after which many streams count as measured. A second trial takes as many.
inline constexpr double kWorksToBeSure = 48.0;

// Plans works of the queue's only two kernels in many streams. If works run in other ways, or if a trial is to begin,
// plans that the running works end first.
Plan in_many_streams(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options);

// Plans works in many streams, if this way is the best for the two kernels of the queue, or must be measured. If works
// run in many streams and another way must follow, plans that they end. Returns nullopt in all other cases.
std::optional<Plan> many_streams_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);

}  // namespace wattune::schedule
