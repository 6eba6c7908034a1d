// supervise(): splits a process into a worker and a supervisor, which ends all that the worker started, whatever
// happens to either.
//
// A process calls supervise() at its very start, before it has threads. The call forks: the child is the worker, the
// parent supervises. The parent adopts the worker's orphans (it is a subreaper). So all processes that a kernel or a
// driver started end with the worker, even in process groups and sessions of their own. The supervisor needs no special
// rights. It leaves other children of the client alone, which may be any program.
//
// The supervisor ends everything when the worker ends, when the client closes the connection (then at first gently, so
// that compilers remove their files), or at once on SIGTERM. Then it removes the worker's folder and ends in the same
// way as the worker. The supervisor is the client's child, so the client learns how the worker ended. A supervisor that
// is killed takes its worker along.
#pragma once

#include <cstdint>

namespace wattune::inline v0_1::backend::worker {

// The descriptor on which a worker finds its socket.
inline constexpr int kWorkerDescriptor = 3;

// Exit statuses of a worker. out_of_memory is a number that a kernel does not exit with by chance.
enum ExitStatus { client_hung_up = 0, no_supervision = 1, bad_message = 2, out_of_memory = 121 };

// Forks, and returns only in the worker, which then owns kWorkerDescriptor. The worker's temporary files and PoCL's
// cache are in a folder of its own. The worker may allocate this many bytes of private memory (0 for any number); if it
// needs more, it exits with out_of_memory. When the machine's memory runs out, the system kills the worker before other
// processes.
void supervise(std::uint64_t memory_limit_bytes);

}  // namespace wattune::backend::worker
