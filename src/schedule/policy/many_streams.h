// Many streams, a way in which works of two kernels run for the policy `paired`: whole, each in a stream of its own.
//
// The device mixes the blocks of all works, as in the policy `streams`. Kernels whose grids leave SMs idle gain most,
// since several works of one kernel run at once. Nothing stops them, so another way begins when all have ended.
#pragma once

#include <optional>

#include "schedule/policy/shares.h"

namespace wattune::inline v0_1::schedule {

// Works of both kernels after which many streams count as measured; a second trial takes as many.
inline constexpr double kWorksToBeSure = 48.0;

// Plans works of the only two kernels in this way. If works run in other ways, or a trial is to begin, plans that these
// end.
Plan in_many_streams(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options);

// Plans works in many streams, if the two kernels of the queue had best run so or are to be measured so. If many works
// run so and another way is to follow, plans that they end. Returns nullopt in all other cases.
std::optional<Plan> many_streams_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);

}  // namespace wattune::schedule
