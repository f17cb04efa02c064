// SPDX-License-Identifier: Apache-2.0
#include "cli/up.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/detached_process.h"
#include "base/os/files.h"
#include "base/os/process.h"

namespace muster::cli {

namespace {

constexpr Span patience = Span::of_seconds(60);
constexpr Span settling_span = Span::of_milliseconds(50);
constexpr Span look_every = Span::of_milliseconds(2);
constexpr std::size_t log_bytes_shown_max = std::size_t{64} * 1024 * 1024;
constexpr std::size_t log_lines_shown = 15;
constexpr std::size_t ready_bytes_max = 4096;

// What the platform's log said last, for a platform that did not come up.
std::string last_lines(const std::string& path) {
  const auto text = read_whole_file(path, log_bytes_shown_max);
  if (!text) return "";
  std::size_t from = text->size();
  for (std::size_t lines = 0; lines <= log_lines_shown && from != std::string::npos && from > 0;
       ++lines) {
    from = text->rfind('\n', from - 1);
  }
  return text->substr(from == std::string::npos ? 0 : from + 1);
}

std::string how_to_look(const std::string& data, const Settings& settings,
                        const std::string& address) {
  const bool is_default = settings.kubeconfig.empty();
  return fmt::format(
      "Muster is up at {}.\n"
      "  export KUBECONFIG={}\n"
      "  kubectl get nodes\n"
      "  muster status{}    muster down{}    log: {}\n",
      address, is_default ? data + "/kubeconfig" : settings.kubeconfig, " --data " + data,
      " --data " + data, log_path(data));
}

int start_in_background(const std::string& data, const Settings& settings, const Output& output) {
  const auto program = own_program();
  if (!program) return fail(output, program.error());
  const auto process =
      start_detached({*program, "up", "--foreground", "--data", data}, log_path(data));
  if (!process) return fail(output, process.error());
  for (Span waited; waited < patience; waited = waited + look_every) {
    const auto address = read_whole_file(ready_path(data), ready_bytes_max);
    if (address && !address->empty()) {
      output.out(how_to_look(data, settings, *address));
      return exit_done;
    }
    if (!process_exists(*process)) {
      output.error(last_lines(log_path(data)));
      return fail(output,
                  Error::internal("the platform did not come up; its log is " + log_path(data)));
    }
    pause_thread(look_every);
  }
  return fail(output,
              Error::internal("the platform is not ready after a minute; see " + log_path(data)));
}

// The process that has the folder and goes on having it: one that was just killed may still be on
// its way out.
std::optional<std::int64_t> settled_process(const std::string& data) {
  if (!running_process(data)) return std::nullopt;
  pause_thread(settling_span);
  return running_process(data);
}

Result<> prepare(const std::string& data, const UpOptions& options, Settings& settings) {
  TRY(make_private_folder(data));
  settings = TRY(load_settings(data));
  TRY(apply(options, settings));
  TRY(save_settings(data, settings));
  return remove_file(ready_path(data));
}

}  // namespace

int up(const UpOptions& options, const Output& output, const Serve& serve) {
  const auto data = data_folder(options.data);
  if (!data) return fail(output, data.error());
  if (const auto process = settled_process(*data)) {
    output.out(
        fmt::format("Muster is already up (process {}) with the data in {}.\n", *process, *data));
    const bool asks_for_change = options.listen || options.kubeconfig || options.host_images ||
                                 !options.nodes.empty() || !options.nodes_file.empty() ||
                                 !options.host_paths.empty() || !options.cdi_folders.empty();
    if (!asks_for_change) return exit_done;
    return fail(output, Error{ErrorCode::conflict,
                              "the flags change nothing while it runs: `muster down` first"});
  }
  Settings settings;
  if (const auto ready = prepare(*data, options, settings); !ready) {
    return fail(output, ready.error());
  }
  if (options.foreground) return serve(*data, settings);
  return start_in_background(*data, settings, output);
}

}  // namespace muster::cli
