#include "wattune/model/warp_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "model/scheduler_chain.h"

namespace wattune::inline v0_1::model {
namespace {

using testing::HasSubstr;

constexpr ChainSm kPlainSm{.schedulers = 1, .requests_per_cycle = 1.0, .contention = 0.0};

WarpProfile waiting(double ratio, double latency = 400.0, double requests = 1.0) {
  return {.stalls = {{.ratio = ratio, .latency = latency, .requests = requests}}};
}

double alone(const ChainSm& sm, const WarpProfile& profile, unsigned warps, const ChainOptions& options = {}) {
  const WarpLoad load{profile, warps};
  return instructions_per_cycle(sm, {&load, 1}, options).value().front();
}

std::vector<double> together(const ChainSm& sm, const WarpLoad& first, const WarpLoad& second) {
  return instructions_per_cycle(sm, std::array{first, second}).value();
}

std::string chain_refusal(const ChainSm& sm, std::span<const WarpLoad> loads, const ChainOptions& options = {}) {
  return instructions_per_cycle(sm, loads, options).error().to_string();
}

// One warp issues in each cycle in which it is ready. It is ready for 1/Rm cycles on average, then idle for L, after
// whose last cycle it issues again: IPC = (1/Rm) / (1/Rm + L) = 1 / (1 + Rm L).
TEST(WarpChain, OfOneWarpHasAClosedForm) {
  for (const double ratio : {0.01, 0.1, 0.5, 1.0})
    EXPECT_NEAR(alone(kPlainSm, waiting(ratio), 1), 1.0 / (1.0 + ratio * 400.0), 1e-12);
}

// Without memory a warp is always ready; n of them, each of which may issue every 18th cycle, issue n / 18.
TEST(WarpChain, OfWarpsThatNeverWaitIsWhatTheyCanIssue) {
  EXPECT_NEAR(alone(kPlainSm, {}, 48), 1.0, 1e-12);
  EXPECT_NEAR(alone(kPlainSm, {.issue_distance = 18.0}, 6), 6.0 / 18.0, 1e-12);
  EXPECT_NEAR(alone(kPlainSm, {.issue_distance = 18.0}, 24), 1.0, 1e-12);
}

// Rm = 1: each warp issues once and waits. While all wait, a cycle wakes each with probability 1/L. Few warps, which
// never meet, issue W / (L + 1) together.
TEST(WarpChain, OfWarpsThatWaitEachTimeIsWarpsOverLatency) {
  EXPECT_NEAR(alone(kPlainSm, waiting(1.0, 1e6), 4), 4e-6, 1e-9);
}

// S_W, in which all warps wait, is absorbing as printed, so that nothing is ever issued. After the correction it is
// not. With 48 warps, L0 = 400 and a0 / B = 4 cycles, IPC is 1.00, 0.78 and 0.27 at Rm = 0.05, 0.1 and 0.3.
TEST(WarpChain, LeavesTheStateInWhichAllWarpsWait) {
  const ChainSm sm{.schedulers = 1, .requests_per_cycle = 0.25};
  EXPECT_NEAR(alone(sm, waiting(0.05), 48), 1.00, 0.01);
  EXPECT_NEAR(alone(sm, waiting(0.1), 48), 0.78, 0.01);
  EXPECT_NEAR(alone(sm, waiting(0.3), 48), 0.27, 0.01);
}

SchedulerLoad load_of(std::array<StallKind, 2> stalls, unsigned units, double distance = 1.0) {
  return {.stalls = stalls, .issue_distance = distance, .units = units};
}

void expect_is_a_chain(const SchedulerChain& chain) {
  const Transitions transitions = chain.transitions();
  const auto pi = stationary_distribution(transitions);
  EXPECT_NEAR(std::accumulate(pi.begin(), pi.end(), 0.0), 1.0, 1e-12);
  for (std::size_t to = 0; to < transitions.states; ++to) {
    double row = 0.0;
    double arrived = 0.0;
    for (std::size_t from = 0; from < transitions.states; ++from) {
      row += transitions.at(to, from);
      arrived += pi[from] * transitions.at(from, to);
    }
    EXPECT_NEAR(row, 1.0, 1e-12);
    EXPECT_NEAR(arrived, pi[to], 1e-12);
  }
}

TEST(SchedulerChain, HasRowsOfOneAndAStationaryDistribution) {
  const SchedulerMemory memory{.requests_per_cycle = 0.1, .contention = 1.0, .offset = 3.0};
  const auto compute = load_of({}, 8, 4.0);
  const auto coalesced = load_of({{{0.1, 500}, {}}}, 8);
  const auto mixed = load_of({{{0.1, 500}, {.ratio = 0.05, .latency = 700, .requests = 32}}}, 4, 6.0);
  const auto scattered = load_of({{{}, {.ratio = 0.2, .latency = 700, .requests = 8}}}, 5);
  expect_is_a_chain({memory, std::array{coalesced}});
  expect_is_a_chain({memory, std::array{mixed}});
  expect_is_a_chain({memory, std::array{coalesced, compute}});
  expect_is_a_chain({memory, std::array{mixed, scattered}});
  expect_is_a_chain({memory, std::array{mixed, mixed}});
}

// States: 9 for 8 warps with one kind of stall, 15 for 4 warps with two.
TEST(SchedulerChain, CountsItsStates) {
  const auto coalesced = load_of({{{0.1, 500}, {}}}, 8);
  const auto mixed = load_of({{{0.1, 500}, {.ratio = 0.05, .latency = 700, .requests = 32}}}, 4);
  EXPECT_EQ(SchedulerChain::states_of(std::array{coalesced, coalesced}), 81u);
  EXPECT_EQ(SchedulerChain::states_of(std::array{coalesced, mixed}), 135u);
}

TEST(WarpChain, GivesEqualKernelsEqualShares) {
  const ChainSm sm{.schedulers = 4, .requests_per_cycle = 0.2};
  const auto ipc = together(sm, {waiting(0.1), 16}, {waiting(0.1), 16});
  EXPECT_NEAR(ipc[0], ipc[1], 1e-12);
}

// Two halves of one kernel equal that kernel: the joint chain lumps into the single one.
TEST(WarpChain, OfTwoHalvesIsThatOfTheWhole) {
  const ChainSm sm{.schedulers = 1, .requests_per_cycle = 0.05};
  const auto ipc = together(sm, {waiting(0.07), 5}, {waiting(0.07), 7});
  EXPECT_NEAR(ipc[0] + ipc[1], alone(sm, waiting(0.07), 12), 1e-10);
  EXPECT_NEAR(ipc[0] / ipc[1], 5.0 / 7.0, 1e-10);
}

// A second kind of waiting that is like the first changes nothing.
TEST(WarpChain, OfTwoEqualKindsOfStallsIsThatOfOne) {
  const ChainSm sm{.schedulers = 1, .requests_per_cycle = 0.05};
  const WarpProfile split{.stalls = {{0.04, 400, 1.0, 2}, {0.03, 400, 1.0, 2}}};
  EXPECT_NEAR(alone(sm, split, 8), alone(sm, waiting(0.07, 400, 2), 8), 1e-10);
}

// Four schedulers with a quarter of warps and memory each equal four SMs of one scheduler.
TEST(WarpChain, OfSeveralSchedulersIsThatOfVirtualSms) {
  const ChainSm whole{.schedulers = 4, .requests_per_cycle = 0.4};
  const ChainSm part{.schedulers = 1, .requests_per_cycle = 0.1};
  EXPECT_NEAR(alone(whole, waiting(0.05), 32), 4.0 * alone(part, waiting(0.05), 8), 1e-12);
}

// A scheduler that issues every second cycle sees half of each latency in its own cycles, and twice the requests.
TEST(WarpChain, CountsInCyclesOfTheScheduler) {
  const ChainSm slow{.schedulers = 2, .issue_rate = 0.5, .requests_per_cycle = 0.1};
  const ChainSm same{.schedulers = 1, .issue_rate = 1.0, .requests_per_cycle = 0.1};
  EXPECT_NEAR(alone(slow, waiting(0.05, 600), 16), alone(same, waiting(0.05, 300), 8), 1e-12);
}

// The memory serves at most B requests per cycle: with a0 = 1 the latency grows until that holds. 48 warps with a
// request in each tenth instruction and B = 0.01 issue at most 0.1.
TEST(WarpChain, IssuesNoMoreThanTheMemoryServes) {
  const ChainSm sm{.schedulers = 1, .requests_per_cycle = 0.01};
  const double ipc = alone(sm, waiting(0.1), 48);
  EXPECT_LT(ipc, 0.1);
  EXPECT_GT(ipc, 0.08);
}

// Each instruction keeps a pipe of the SM busy for 0.4 cycles, or a second one for 0.5, which is 2 per cycle. Two
// kernels that need the same pipe get 1.25 each. Kernels that need different pipes get the 2 that four schedulers leave
// each.
TEST(WarpChain, IssuesNoMoreThanPipesTake) {
  const ChainSm sm{.schedulers = 4, .requests_per_cycle = 1.0};
  const WarpProfile first{.busy_cycles = {0.4}};
  const WarpProfile second{.busy_cycles = {0.0, 0.5}};
  EXPECT_NEAR(alone(sm, second, 32), 2.0, 1e-12);
  EXPECT_NEAR(together(sm, {first, 16}, {first, 16})[0], 1.25, 1e-12);
  EXPECT_NEAR(together(sm, {first, 16}, {second, 16})[1], 2.0, 1e-12);
}

// Accesses that never reach the memory's queue are not delayed when another kernel fills it.
TEST(WarpChain, KeepsOutOfTheQueueWhoFindsDataBeforeIt) {
  const ChainSm sm{.schedulers = 1, .requests_per_cycle = 0.01};
  const WarpProfile cached{.stalls = {{.ratio = 0.1, .latency = 200, .queued = 0.0, .requests = 0.0}}};
  const double beside = together(sm, {cached, 4}, {waiting(0.1), 16})[0];
  EXPECT_NEAR(beside, alone(sm, cached, 4), 0.02);
  EXPECT_LT(together(sm, {waiting(0.1, 200), 4}, {waiting(0.1), 16})[0], beside / 2);
}

// Accesses that are not coalesced make more requests. If they count as coalesced, the prediction is too high (figure
// 10).
TEST(WarpChain, PredictsTooMuchWhereScatteredAccessesCountAsOne) {
  const ChainSm sm{.schedulers = 1, .requests_per_cycle = 0.05};
  EXPECT_GT(alone(sm, waiting(0.1, 600, 1), 48), 3.0 * alone(sm, waiting(0.1, 600, 16), 48));
}

// If four schedulers count as one, the predicted IPC is too low (figure 11).
TEST(WarpChain, PredictsTooLittleWhereSchedulersCountAsOne) {
  const ChainSm four{.schedulers = 4, .requests_per_cycle = 1.0};
  const ChainSm one{.schedulers = 1, .requests_per_cycle = 1.0};
  EXPECT_GT(alone(four, waiting(0.02), 64), 3.0 * alone(one, waiting(0.02), 64));
}

// 8 warps in units of two give a rougher, much smaller chain.
TEST(WarpChain, MovesWarpsTogetherWhereAsked) {
  const ChainSm sm{.schedulers = 1, .requests_per_cycle = 0.05};
  EXPECT_NEAR(alone(sm, waiting(0.05), 8, {.warps_per_unit = 2}), alone(sm, waiting(0.05), 8), 0.02);
}

// 7 warps on 4 schedulers: three have two, one has one. IPC shows it if nothing limits the warps but the issue
// distance.
TEST(WarpChain, SpreadsWarpsThatDoNotDivide) {
  const ChainSm sm{.schedulers = 4};
  EXPECT_NEAR(alone(sm, {.issue_distance = 2.0}, 7), 3.0 + 0.5, 1e-12);
  EXPECT_NEAR(alone(sm, {}, 2), 2.0, 1e-12);
  const auto ipc = together(sm, {{}, 2}, {{}, 2});
  EXPECT_NEAR(ipc[0] + ipc[1], 4.0, 1e-12);
}

TEST(WarpChain, RefusesWhatCannotBe) {
  const WarpLoad good{waiting(0.1), 8};
  EXPECT_THAT(chain_refusal(kPlainSm, {}), HasSubstr("of one kernel or of two"));
  EXPECT_THAT(chain_refusal(kPlainSm, std::array{WarpLoad{waiting(1.5), 8}}), HasSubstr("not from 0 to 1: `1.5`"));
  EXPECT_THAT(chain_refusal(kPlainSm, std::array{WarpLoad{waiting(std::nan("")), 8}}), HasSubstr("not from 0 to 1"));
  EXPECT_THAT(chain_refusal(kPlainSm, std::array{WarpLoad{waiting(0.1, 0.0), 8}}), HasSubstr("latency"));
  const WarpProfile doubled{.stalls = {{.ratio = 0.1, .latency = 400, .queued = 2.0}}};
  EXPECT_THAT(chain_refusal(kPlainSm, std::array{WarpLoad{doubled, 8}}), HasSubstr("a share of accesses"));
  EXPECT_THAT(chain_refusal(kPlainSm, std::array{WarpLoad{waiting(0.1), 0}}), HasSubstr("without warps"));
  EXPECT_THAT(chain_refusal(kPlainSm, std::array{WarpLoad{{.issue_distance = 0.5}, 8}}), HasSubstr("one cycle apart"));
  EXPECT_THAT(chain_refusal(kPlainSm, std::array{WarpLoad{{.busy_cycles = {-1.0}}, 8}}), HasSubstr("no resource is"));
  const WarpProfile twice{.stalls = {{0.6, 400}, {0.6, 400}}};
  EXPECT_THAT(chain_refusal(kPlainSm, std::array{WarpLoad{twice, 8}}), HasSubstr("add up to more than 1"));
  EXPECT_THAT(chain_refusal({.schedulers = 0}, std::array{good}), HasSubstr("scheduler"));
  EXPECT_THAT(chain_refusal({.requests_per_cycle = 0}, std::array{good}), HasSubstr("rates of an SM"));
  const WarpLoad many{{.stalls = {{0.1, 400}, {0.1, 400}}}, 60};
  EXPECT_THAT(chain_refusal(kPlainSm, std::array{many, many}), HasSubstr("let more warps move as one"));
}

}  // namespace
}  // namespace wattune::model
