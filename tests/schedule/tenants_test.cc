#include "wattune/schedule/tenants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "wattune/schedule/session.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Returns a round with responses of 1, 2 ... ms, in no order.
TenantRound round_of(int works, double alone_ms = 0.0) {
  TenantRound round{.works = static_cast<std::size_t>(works), .alone = nanoseconds_from_ms(alone_ms)};
  for (int i = works; i > 0; --i) round.responses.push_back(nanoseconds_from_ms(i));
  return round;
}

TEST(Tenants, AResponseNeedsSoManyWorksThatOneRespondsLater) {
  EXPECT_EQ(TenantRun{{round_of(100)}}.response(0.99), nanoseconds_from_ms(99));
  EXPECT_EQ(TenantRun{{round_of(99)}}.response(0.99), std::nullopt);
  EXPECT_EQ(TenantRun{{round_of(20)}}.response(0.95), nanoseconds_from_ms(19));
  EXPECT_EQ(TenantRun{{round_of(19)}}.response(0.95), std::nullopt);
  const TenantRun two_rounds{{round_of(50), round_of(50)}};
  EXPECT_EQ(two_rounds.response(0.99), nanoseconds_from_ms(50));
  EXPECT_EQ(TenantRun().response(0.5), std::nullopt);
}

TEST(Tenants, TheHighestPriorityIsUrgentIfThereIsALowerOne) {
  EXPECT_EQ(urgent_from({{.name = "a", .priority = 0}, {.name = "b", .priority = 2}, {.name = "c", .priority = 1}}), 2);
  EXPECT_EQ(urgent_from({{.name = "a", .priority = 1}, {.name = "b", .priority = 1}}), std::nullopt);
  EXPECT_EQ(urgent_from({}), std::nullopt);
}

// The 99 % responses of chat are 100 and 110 ms. train does 30 ms of work in 100 ms under split and 45 under paired;
// the work of chat, which is urgent, does not count.
TEST(Tenants, AreComparedByResponsesAndByTheWorkOfOthers) {
  const auto chat = [](double factor) {
    TenantRun run{{round_of(100, 5.0)}};
    for (Nanoseconds& response : run.rounds[0].responses) response = factor * response;
    return run;
  };
  const auto train = [](double alone_ms) { return TenantRun{{round_of(3, alone_ms)}}; };
  const TenantReport report{.tenants = {{.name = "chat", .priority = 1}, {.name = "train"}},
                            .kernels = {},
                            .time = nanoseconds_from_ms(100),
                            .rounds = 1,
                            .is_exact = true,
                            .policies = {{"priority", {chat(1.0), train(25.0)}},
                                         {"split", {chat(9.0), train(30.0)}},
                                         {"paired", {chat(1.1), train(45.0)}}}};
  EXPECT_NEAR(response_over(report, "paired", "priority", 0)->ratio, 1.1, 1e-9);
  EXPECT_EQ(response_over(report, "paired", "priority", 1), std::nullopt) << "three works";
  EXPECT_NEAR(throughput_over(report, "paired", "split")->ratio, 1.5, 1e-9);
  EXPECT_EQ(throughput_over(report, "paired", "orion"), std::nullopt);
  EXPECT_NEAR(report.works_per_second(report.policies[0].tenants[1]), 30.0, 1e-9);
  EXPECT_NEAR(report.share_of_gpu(report.policies[0].tenants[1]), 0.25, 1e-9);
}

// Opens three kernels: PC saturates the memory with one of the two SMs, MM needs both, and TEA is short.
std::unique_ptr<CorunSession> three_kernels() {
  return open_simulated({"TEA", "PC", "MM"}, 2, {.device = "GT640"}).value();
}

TenantRequest three_tenants() {
  return {.tenants = {{.name = "chat", .kernels = {0}, .priority = 1, .gap = nanoseconds_from_ms(4), .at_random = true},
                      {.name = "train", .kernels = {1}},
                      {.name = "batch", .kernels = {2}}},
          .time = nanoseconds_from_ms(600),
          .seed = 1,
          .repeats = 1};
}

// chat asks for 2 % of the GPU. It responds as soon as in streams with priorities, and the others lose less than it
// asks for. They cannot gain more than under split: beside urgent works all kernels run whole, and two SMs can be split
// in one way only.
TEST(Tenants, AnInteractiveOneRespondsAsInStreamsWithPrioritiesBesideAPair) {
  const auto report = three_kernels()->run_tenants(three_tenants());
  ASSERT_TRUE(report) << report.error().to_string();
  ASSERT_THAT(report->policies, SizeIs(3));
  const auto response = response_over(*report, "paired", "priority", 0);
  ASSERT_TRUE(response);
  EXPECT_LE(response->ratio, 1.1);
  const auto others = throughput_over(*report, "paired", "split");
  ASSERT_TRUE(others);
  EXPECT_GE(others->ratio, 0.95);
  const auto share_of_others = [&](const TenantPolicy& policy) {
    return report->share_of_gpu(policy.tenants[1]) + report->share_of_gpu(policy.tenants[2]);
  };
  const TenantPolicy &split = report->policies[1], &paired = report->policies[2];
  EXPECT_GE(share_of_others(paired), share_of_others(split) - report->share_of_gpu(paired.tenants[0]));
  // One after the other they would do no more than one does alone, which is 1.
  EXPECT_GT(share_of_others(paired), 1.1);
}

TEST(Tenants, EqualSeedsGiveEqualRuns) {
  TenantRequest request = three_tenants();
  request.policies = {"paired"};
  request.time = nanoseconds_from_ms(50);
  const auto session = three_kernels();
  const TenantReport first = session->run_tenants(request).value();
  const TenantReport again = session->run_tenants(request).value();
  request.seed = 2;
  const TenantReport other = session->run_tenants(request).value();
  const auto responses_of_chat = [](const TenantReport& report) {
    return report.policies[0].tenants[0].rounds[0].responses;
  };
  EXPECT_EQ(responses_of_chat(first), responses_of_chat(again));
  EXPECT_NE(responses_of_chat(first), responses_of_chat(other));
}

// From 5 ms on a work arrives every 5 ms, the last one at 45 ms. A work that arrives in time counts among the
// responses.
TEST(Tenants, WorksArriveForATimeAndAllEnd) {
  TenantRequest request{.tenants = {{.name = "chat", .kernels = {0, 1}, .gap = nanoseconds_from_ms(5)}},
                        .policies = {"fifo"},
                        .time = nanoseconds_from_ms(50),
                        .repeats = 1};
  const TenantReport report = three_kernels()->run_tenants(request).value();
  EXPECT_THAT(report.policies[0].tenants[0].rounds[0].responses, SizeIs(9));
  EXPECT_EQ(report.policies[0].tenants[0].works(), 9U);
  // Each work of the first kernel takes as long as alone.
  const TenantRun& run = report.policies[0].tenants[0];
  EXPECT_NEAR(to_ms(run.rounds[0].responses.front()), to_ms(*report.kernels[0].alone), 0.01);
}

TEST(Tenants, WhatCannotBeIsRefused) {
  const auto session = three_kernels();
  const auto refusal = [&](const TenantRequest& request) { return session->run_tenants(request).error().to_string(); };
  const Tenant chat{.name = "chat", .kernels = {0}};
  EXPECT_THAT(refusal({}), HasSubstr("at least one tenant is needed"));
  EXPECT_THAT(refusal({.tenants = {{.name = "chat"}}}), HasSubstr("one or more kernels of this session: `chat`"));
  EXPECT_THAT(refusal({.tenants = {{.name = "chat", .kernels = {3}}}}), HasSubstr("kernels of this session"));
  EXPECT_THAT(refusal({.tenants = {{.name = "chat", .kernels = {0}, .gap = Nanoseconds(0)}}}), HasSubstr("above 0"));
  EXPECT_THAT(refusal({.tenants = {chat}, .time = Nanoseconds(0)}), HasSubstr("a time above 0"));
  EXPECT_THAT(refusal({.tenants = {chat}, .policies = {"first"}}), HasSubstr("no such policy: `first`"));
}

}  // namespace
}  // namespace wattune::schedule
