// The trainer must be a real one: gradients that are the slope of the loss, a ring whose sums are
// equal on every rank, a loss that falls, and runs that resume.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "examples/trainer/checkpoint.h"
#include "examples/trainer/model.h"
#include "examples/trainer/text.h"
#include "examples/trainer/train.h"

namespace muster::trainer {
namespace {

const std::sig_atomic_t never = 0;

// Runs every rank of a run on a thread of its own.
std::vector<Trained> run_ranks(const Options& options, int size) {
  std::vector<Trained> results(static_cast<std::size_t>(size));
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      Options own = options;
      own.ring.rank = rank;
      own.ring.size = size;
      own.ring.patience = std::chrono::seconds(30);
      auto& result = results[static_cast<std::size_t>(rank)];
      try {
        result = train(own, never);
      } catch (const RingBroken&) {
        result.exit_code = exit_ring_broken;
      }
    });
  }
  ranks.clear();
  return results;
}

TEST(TrainerModel, the_gradient_is_the_slope_of_the_loss) {
  Model model(text.substr(0, 200), 7);
  const std::vector<std::size_t> batch = {0, 3, 17, 40};
  std::vector<float> gradient(model.parameters().size());
  model.gradient(batch, gradient);
  std::vector<float> ignored(gradient.size());
  constexpr float nudge = 1e-2F;
  for (std::size_t i = 0; i < gradient.size(); i += 97) {
    const float before = model.parameters()[i];
    model.parameters()[i] = before + nudge;
    const float above = model.gradient(batch, ignored);
    model.parameters()[i] = before - nudge;
    const float below = model.gradient(batch, ignored);
    model.parameters()[i] = before;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * nudge), 2e-3F) << "parameter " << i;
  }
}

TEST(TrainerRun, the_loss_falls_and_is_equal_on_all_ranks) {
  Options options;
  options.ring.port = 29611;
  options.steps = 80;
  const auto results = run_ranks(options, 3);
  for (const Trained& each : results) {
    EXPECT_EQ(each.exit_code, exit_success);
    EXPECT_EQ(each.last_loss, results[0].last_loss);
    EXPECT_LT(each.last_loss, each.first_loss * 0.9F);
  }
}

TEST(TrainerRun, one_rank_alone_needs_no_ring) {
  Options options;
  options.steps = 5;
  EXPECT_EQ(run_ranks(options, 1)[0].exit_code, exit_success);
}

TEST(TrainerRun, a_rank_that_leaves_breaks_the_ring_for_all) {
  Options options;
  options.ring.port = 29612;
  options.fail_at = 3;
  options.fail_rank = 1;
  options.fail_code = 42;
  const auto results = run_ranks(options, 3);
  EXPECT_EQ(results[1].exit_code, 42);
  EXPECT_EQ(results[0].exit_code, exit_ring_broken);
  EXPECT_EQ(results[2].exit_code, exit_ring_broken);
}

TEST(TrainerRun, a_resumed_run_ends_where_an_unbroken_one_ends) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / "muster-trainer-test").string();
  std::filesystem::remove_all(folder);
  Options options;
  options.ring.port = 29613;
  options.steps = 30;
  const auto whole = run_ranks(options, 2);
  options.ring.port = 29614;
  options.checkpoints = folder;
  options.checkpoint_every = 10;
  options.fail_at = 25;
  run_ranks(options, 2);
  std::ofstream(folder + "/step-99.checkpoint") << "damaged";
  options.ring.port = 29615;
  options.fail_at = -1;
  const auto resumed = run_ranks(options, 2);
  EXPECT_EQ(resumed[0].last_loss, whole[0].last_loss);
  SystemFolder kept(folder);
  EXPECT_EQ(newest(kept, Model(text, 1).parameters().size())->step, 30U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster::trainer
