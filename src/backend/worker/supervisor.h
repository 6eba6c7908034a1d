// supervise(): a worker beside a supervisor, which ends all that the worker started, whatever becomes of either.
//
// A process that asks for supervision at its very start, before it has threads, forks. The child is the worker; the
// parent supervises: it adopts the worker's orphans (a subreaper), so that what a kernel or a driver started ends with
// the worker, process groups and sessions of its own included. It needs no rights, and touches no child of the client,
// which may be any program.
//
// The supervisor ends everything when the worker ends, when the client hangs up (first in order, so that compilers
// remove their files), or at once on SIGTERM. Then it removes the worker's folder and ends as the worker did, so that
// the client, whose child it is, learns how. A supervisor that is killed takes its worker along.
#pragma once

#include <cstdint>

namespace wattune::backend::worker {

// The descriptor on which a worker finds its socket.
inline constexpr int kWorkerDescriptor = 3;

// Exit statuses of a worker; those beside 0 to 2 are such that no kernel which exits hits them by chance.
enum ExitStatus { client_hung_up = 0, no_supervision = 1, bad_message = 2, out_of_memory = 121 };

// Returns in the worker only, to whom kWorkerDescriptor belongs. The worker has temporary files and PoCL's cache in a
// folder of its own, may allocate so many bytes of private memory (0: any) and exits with out_of_memory beyond, and is
// the first that the system ends when memory runs out.
void supervise(std::uint64_t memory_limit_bytes);

}  // namespace wattune::backend::worker
