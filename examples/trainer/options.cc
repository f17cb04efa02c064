// SPDX-License-Identifier: Apache-2.0
#include "examples/trainer/options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>

namespace muster::trainer {

namespace {

constexpr std::string_view usage =
    "muster-trainer: a data-parallel trainer, ring all-reduce over TCP\n"
    "  --rank N --size N --master NAME --port N --lookups N --patience SECONDS\n"
    "  --steps N --batch N --learning-rate X --seed N --report-every N --pause-milliseconds N\n"
    "  --checkpoints FOLDER --checkpoint-every N\n"
    "  --fail-at STEP --fail-rank N --fail-code N --hang-at STEP --ignore-termination\n"
    "Rank, size and master are also read from JOB_COMPLETION_INDEX or RANK, WORLD_SIZE,\n"
    "MASTER_ADDR and MASTER_PORT.\n"
    "Exit codes: 0 trained, 3 a rank went away, 143 terminated, 64 wrong arguments.\n";

template <class Number>
bool read_number(std::string_view text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Number>
void from_environment(const char* name, Number& into) {
  if (const char* text = std::getenv(name)) read_number(std::string_view(text), into);
}

using Reader = std::function<bool(std::string_view)>;

template <class Number>
Reader number(Number& into) {
  return [&into](std::string_view text) { return read_number(text, into); };
}

Reader word(std::string& into) {
  return [&into](std::string_view text) {
    into = text;
    return true;
  };
}

std::map<std::string_view, Reader> readers(Options& options, std::int64_t& patience) {
  return {{"--rank", number(options.ring.rank)},
          {"--size", number(options.ring.size)},
          {"--master", word(options.ring.master)},
          {"--port", number(options.ring.port)},
          {"--lookups", number(options.ring.lookups_max)},
          {"--patience", number(patience)},
          {"--steps", number(options.steps)},
          {"--batch", number(options.batch)},
          {"--learning-rate", number(options.learning_rate)},
          {"--seed", number(options.seed)},
          {"--report-every", number(options.report_every)},
          {"--pause-milliseconds", number(options.pause_milliseconds)},
          {"--checkpoints", word(options.checkpoints)},
          {"--checkpoint-every", number(options.checkpoint_every)},
          {"--fail-at", number(options.fail_at)},
          {"--fail-rank", number(options.fail_rank)},
          {"--fail-code", number(options.fail_code)},
          {"--hang-at", number(options.hang_at)}};
}

bool make_sense(const Options& options) {
  const RingOptions& ring = options.ring;
  const bool ranks =
      ring.size >= 1 && ring.size <= 65535 && ring.rank >= 0 && ring.rank < ring.size;
  return ranks && options.steps >= 0 && options.batch >= 1 && options.batch <= 65536 &&
         options.report_every >= 1 && options.checkpoint_every >= 1 && ring.lookups_max >= 1;
}

}  // namespace

std::optional<Options> read_options(std::span<char*> arguments) {
  Options options;
  std::int64_t patience = 60;
  from_environment("RANK", options.ring.rank);
  from_environment("JOB_COMPLETION_INDEX", options.ring.rank);
  from_environment("WORLD_SIZE", options.ring.size);
  from_environment("MASTER_PORT", options.ring.port);
  if (const char* master = std::getenv("MASTER_ADDR")) options.ring.master = master;
  const auto known = readers(options, patience);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    if (name == "--ignore-termination") {
      options.ignore_termination = true;
      continue;
    }
    const auto reader = known.find(name);
    if (reader == known.end() || i + 1 == arguments.size() || !reader->second(arguments[++i])) {
      std::fprintf(stderr, "muster-trainer: cannot use %.*s\n%.*s", static_cast<int>(name.size()),
                   name.data(), static_cast<int>(usage.size()), usage.data());
      return std::nullopt;
    }
  }
  options.ring.patience = std::chrono::seconds(patience);
  if (!make_sense(options)) {
    std::fprintf(stderr, "muster-trainer: these numbers make no sense together\n");
    return std::nullopt;
  }
  return options;
}

}  // namespace muster::trainer
