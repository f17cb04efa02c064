// SPDX-License-Identifier: Apache-2.0
#include "examples/trainer/train.h"

#include <chrono>
#include <cstdio>
#include <thread>

#include "examples/trainer/checkpoint.h"
#include "examples/trainer/model.h"
#include "examples/trainer/text.h"

namespace muster::trainer {

namespace {

void say_joined(const Ring& ring, const Options& options) {
  if (ring.rank() == 0) {
    std::printf("rank 0 of %d: all present\n", ring.size());
  } else {
    std::printf("rank %d of %d: found %s at %s at look-up %d\n", ring.rank(), ring.size(),
                options.ring.master.c_str(), ring.master_address().c_str(), ring.lookups());
  }
  std::fflush(stdout);
}

// Rank 0 reads the checkpoint, and all go on from the same step with the same parameters.
std::int64_t resume(const Options& options, const Ring& ring, Model& model) {
  std::uint64_t step = 0;
  if (ring.rank() == 0 && !options.checkpoints.empty()) {
    SystemFolder folder(options.checkpoints);
    if (auto found = newest(folder, model.parameters().size())) {
      step = found->step;
      model.parameters() = std::move(found->parameters);
    }
  }
  ring.broadcast(std::as_writable_bytes(std::span(&step, 1)));
  ring.broadcast(std::as_writable_bytes(std::span(model.parameters())));
  if (step > 0) {
    std::printf("rank %d: goes on at step %llu\n", ring.rank(),
                static_cast<unsigned long long>(step));
  }
  return static_cast<std::int64_t>(step);
}

void keep(const Options& options, const Ring& ring, const Model& model, std::int64_t step) {
  if (ring.rank() != 0 || options.checkpoints.empty()) return;
  SystemFolder folder(options.checkpoints);
  save(folder, {static_cast<std::uint64_t>(step), model.parameters()});
}

// The share of this rank: drawn from the seed, the step and the rank, so a resumed run sees the
// same batches.
std::vector<std::size_t> draw(const Options& options, const Model& model, std::int64_t step) {
  Dice dice(options.seed + static_cast<std::uint64_t>(step) * 1'000'003U +
            static_cast<std::uint64_t>(options.ring.rank) * 7'919U);
  std::vector<std::size_t> batch(options.batch);
  for (std::size_t& position : batch) position = dice.next() % model.positions();
  return batch;
}

class Injection {
 public:
  explicit Injection(const Options& options) : options_(options) {}

  // Answers whether this rank leaves now.
  bool strikes(std::int64_t step) const {
    if (options_.ring.rank != options_.fail_rank) return false;
    while (step == options_.hang_at) std::this_thread::sleep_for(std::chrono::seconds(1));
    return step == options_.fail_at;
  }

 private:
  const Options& options_;
};

}  // namespace

Trained train(const Options& options, const volatile std::sig_atomic_t& terminated) {
  const Ring ring = Ring::join(options.ring);
  say_joined(ring, options);
  Model model(text, options.seed);
  Trained result;
  const Injection injection(options);
  // The last element carries the loss, so that one trip around the ring moves both.
  std::vector<float> sum(model.parameters().size() + 1);
  const std::span<float> gradient = std::span(sum).first(model.parameters().size());
  const float share = 1.0F / static_cast<float>(ring.size());
  const std::int64_t first = resume(options, ring, model);
  for (std::int64_t step = first; step < options.steps; ++step) {
    if (injection.strikes(step)) {
      std::printf("rank %d: leaves at step %lld as told, exit code %d\n", ring.rank(),
                  static_cast<long long>(step), options.fail_code);
      return {options.fail_code, result.first_loss, result.last_loss};
    }
    if (terminated != 0 && !options.ignore_termination) {
      keep(options, ring, model, step);
      std::printf("rank %d: terminated at step %lld\n", ring.rank(), static_cast<long long>(step));
      return {exit_terminated, result.first_loss, result.last_loss};
    }
    sum.back() = model.gradient(draw(options, model, step), gradient);
    ring.all_reduce(sum);
    for (float& each : sum) each *= share;
    model.step(gradient, options.learning_rate);
    result.last_loss = sum.back();
    if (step == first) result.first_loss = sum.back();
    if (step % options.report_every == 0 || step + 1 == options.steps) {
      std::printf("rank %d step %lld loss %.6f\n", ring.rank(), static_cast<long long>(step),
                  static_cast<double>(sum.back()));
      std::fflush(stdout);
    }
    if ((step + 1) % options.checkpoint_every == 0) keep(options, ring, model, step + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(options.pause_milliseconds));
  }
  ring.barrier();
  std::printf("rank %d: SUCCESS, loss %.6f\n", ring.rank(), static_cast<double>(result.last_loss));
  return result;
}

}  // namespace muster::trainer
