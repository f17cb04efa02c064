// What goes into a container and comes out of it: to its log, and to who is attached.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <utility>

#include "agent/limits.h"
#include "agent/log_text.h"
#include "agent/pod_folder.h"
#include "agent/shim.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/pipe.h"
#include "base/os/terminal.h"
#include "base/utf8.h"

namespace muster::agent {

namespace {

constexpr std::uint32_t last_words_mode = 0666;  // whichever user it runs as

}  // namespace

Result<> Shim::open_streams(Container& container, SandboxSpec& sandbox) {
  container.input = {};
  container.terminal = Descriptor();
  if (container.spec->has_terminal) return open_terminal_streams(container, sandbox);
  if (container.spec->has_input) {
    Pipe pipe = TRY(make_pipe());
    sandbox.standard_input = std::move(pipe.read);
    container.input.to = std::move(pipe.write);
  }
  sandbox.standard_output = TRY(open_stream(container, "stdout"));
  sandbox.standard_error = TRY(open_stream(container, "stderr"));
  return {};
}

// One line both ways. Without `stdin` nobody types on it.
Result<> Shim::open_terminal_streams(Container& container, SandboxSpec& sandbox) {
  Terminal terminal = TRY(open_terminal());
  sandbox.is_terminal = true;
  sandbox.terminal_path = terminal.path;
  sandbox.standard_output = TRY(duplicate(terminal.slave));
  sandbox.standard_error = TRY(duplicate(terminal.slave));
  sandbox.standard_input = std::move(terminal.slave);
  container.terminal = TRY(duplicate(terminal.master));
  if (container.spec->has_input) container.input.to = TRY(duplicate(terminal.master));
  add_stream(container, std::move(terminal.master), "stdout");
  return {};
}

// The end that the container writes to.
Result<Descriptor> Shim::open_stream(Container& container, std::string_view name) {
  Pipe pipe = TRY(make_pipe());
  add_stream(container, std::move(pipe.read), name);
  return std::move(pipe.write);
}

void Shim::add_stream(Container& container, Descriptor from, std::string_view name) {
  auto stream = std::make_unique<Stream>(
      Stream{std::move(from), LogLines(name),
             name == "stderr" ? AttachChannel::error : AttachChannel::output});
  container.streams.push_back(std::move(stream));
  watch_streams(container);
}

void Shim::read_stream(Container& container, Stream& stream) {
  std::string text;
  const bool more = read_available(stream.from, text);
  container.log->write(stream.lines.take(text, clock_.wall()));
  if (container.attach) container.attach->tell(stream.channel, text);
  stream.is_over = !more;
  if (more && !(container.attach && container.attach->is_full())) return;
  loop_.unwatch(std::exchange(stream.watch, {}));
}

void Shim::watch_streams(Container& container) {
  for (const auto& stream : container.streams) {
    if (stream->is_over || stream->watch != WatchId{}) continue;
    stream->watch =
        loop_.watch(stream->from.number(), Interest::readable,
                    [this, &container, at = stream.get()] { read_stream(container, *at); });
  }
}

// The writers are gone, so what is there is all there will be. Lines come before the end is told:
// who hears of the end can read the whole log.
void Shim::drain_logs(Container& container) {
  for (const auto& stream : container.streams) {
    std::string text;
    while (read_available(stream->from, text) && !text.empty()) {
      container.log->write(stream->lines.take(text, clock_.wall()));
      if (container.attach) container.attach->tell(stream->channel, text);
      text.clear();
    }
    container.log->write(stream->lines.take(text, clock_.wall()));
    container.log->write(stream->lines.finish(clock_.wall()));
    if (container.attach) container.attach->tell(stream->channel, text);
    loop_.unwatch(std::exchange(stream->watch, {}));
  }
  container.streams.clear();
  container.attach.reset();
  if (container.input.watch != WatchId{}) loop_.unwatch(container.input.watch);
  container.input = {};
  container.terminal = Descriptor();
}

// ---- Who is attached ---------------------------------------------------------------------------

void Shim::open_attach(Container& container) {
  const std::string folder = pod_folder::attach_path(folder_);
  if (!make_folders(folder)) return;
  container.attach = std::make_unique<AttachPoint>(
      loop_, folder, container.spec->name,
      AttachPoint::Listener{
          .on_frame = [this,
                       &container](const AttachFrame& frame) { return hear(container, frame); },
          .on_left =
              [this, &container] {
                container.input.ends = container.input.ends || container.spec->ends_input_once;
                feed(container);
              },
          .on_room = [this, &container] { watch_streams(container); }});
}

bool Shim::hear(Container& container, const AttachFrame& frame) {
  Input& input = container.input;
  if (frame.channel == AttachChannel::size) {
    unsigned columns = 0;
    unsigned rows = 0;
    if (container.terminal && std::sscanf(frame.bytes.c_str(), "%5u %5u", &columns, &rows) == 2) {
      resize_terminal(container.terminal, static_cast<int>(columns), static_cast<int>(rows));
    }
    return true;
  }
  if (frame.channel == AttachChannel::input && !input.ends && input.to) {
    input.waiting += frame.bytes;
  }
  if (frame.channel == AttachChannel::end && container.spec->ends_input_once) input.ends = true;
  feed(container);
  return input.waiting.size() < container_input_bytes_max;
}

// Writes what the container takes; the rest waits until it reads.
void Shim::feed(Container& container) {
  Input& input = container.input;
  if (input.to && !input.waiting.empty()) {
    const auto written = write_available(input.to, input.waiting);
    input.waiting.erase(0, written ? *written : input.waiting.size());
    if (!written) input.ends = true;
  }
  const bool must_wait = input.to && !input.waiting.empty();
  if (must_wait && input.watch == WatchId{}) {
    input.watch =
        loop_.watch(input.to.number(), Interest::writable, [this, &container] { feed(container); });
  } else if (!must_wait && input.watch != WatchId{}) {
    loop_.unwatch(std::exchange(input.watch, {}));
  }
  if (!must_wait && input.ends && input.to) {
    // A terminal's end is a character that is typed.
    constexpr std::string_view end_of_transmission = "\x04";
    if (container.terminal) static_cast<void>(write_available(input.to, end_of_transmission));
    input.to = Descriptor();
  }
  if (container.attach && input.waiting.size() < container_input_bytes_max) {
    container.attach->more();
  }
}

// ---- Last words --------------------------------------------------------------------------------

// An empty file of each run, which the container may write.
Result<> Shim::make_last_words(const ContainerSpec& container, SandboxSpec& sandbox) const {
  if (container.last_words_path.empty()) return {};
  TRY(make_folders(pod_folder::last_words_folder(folder_)));
  const std::string path = pod_folder::last_words_path(folder_, container.name);
  TRY(replace_file(path, "", Durable::no));
  TRY(set_mode(path, last_words_mode));
  sandbox.mounts.push_back({path, container.last_words_path});
  return {};
}

std::string Shim::last_words(const Container& container, bool has_failed) const {
  const ContainerSpec& spec = *container.spec;
  if (spec.last_words_path.empty()) return {};
  const auto text =
      read_file_end(pod_folder::last_words_path(folder_, spec.name), last_words_bytes_max);
  if (text && !text->empty()) return repaired_utf8(*text);
  if (!has_failed || !spec.last_words_from_log) return {};
  const std::string log = pod_folder::log_path(folder_, spec.name, container.state.attempt);
  const auto lines = read_whole_file(log, 2 * log_file_bytes_max);
  if (!lines) return {};
  LogText tail({.tail_lines = last_words_log_lines_max});
  std::string said = tail.take(*lines) + tail.reach_end();
  if (said.size() > last_words_log_bytes_max) said.erase(0, said.size() - last_words_log_bytes_max);
  return repaired_utf8(said);
}

}  // namespace muster::agent
