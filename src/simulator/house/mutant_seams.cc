// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/mutant_seams.h"

#include "objects/edit.h"

namespace muster::simulator {

using client::Call;
using objects::Value;

// An object, or every item of a list.
Value MutantApi::shown(const Value& answer) const {
  if (!rules_.seen) return answer;
  if (!answer["items"].is_array()) return rules_.seen(answer);
  Value list = answer;
  const std::size_t count = answer["items"].size();
  for (std::size_t i = 0; i < count; ++i) {
    const Value item = answer.part(answer["items"][i]);
    const Value next = rules_.seen(item);
    if (next.view() == item.view()) continue;
    list = objects::with(list, {"items", i}, next).must();
  }
  return list;
}

void MutantApi::call(Call call, client::Answer answer) {
  if (rules_.sent && !rules_.sent(call)) {
    house_.post([body = call.body, answer = std::move(answer)]() mutable { answer(body); });
    return;
  }
  api_.call(std::move(call),
            lifeline_.guard([this, answer = std::move(answer)](Result<Value> result) mutable {
              if (result) return answer(shown(*result));
              answer(std::move(result));
            }));
}

std::unique_ptr<client::Watch> MutantApi::watch(client::WatchCall call, client::WatchSink sink) {
  auto on_event = [this, on_event = std::move(sink.on_event)](client::WatchEvent event) mutable {
    const bool is_bookmark = event.type == client::WatchEvent::Type::bookmark;
    if (rules_.skips_event_in != 0 && !is_bookmark && ++events_ % rules_.skips_event_in == 0) {
      return;
    }
    event.object = shown(event.object);
    on_event(std::move(event));
  };
  return api_.watch(std::move(call), {.on_event = lifeline_.guard(std::move(on_event)),
                                      .on_closed = std::move(sink.on_closed)});
}

namespace {

class LyingFile final : public File {
 public:
  explicit LyingFile(std::unique_ptr<File> file) : file_(std::move(file)) {}

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    return file_->read_at(offset, into);
  }
  Result<> write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    return file_->write_at(offset, bytes);
  }
  Result<> sync() override { return {}; }
  Result<> truncate(std::uint64_t size) override { return file_->truncate(size); }
  Result<std::uint64_t> size() override { return file_->size(); }

 private:
  std::unique_ptr<File> file_;
};

}  // namespace

Result<std::unique_ptr<File>> LyingDisk::open(const std::string& path, OpenMode mode) {
  return std::make_unique<LyingFile>(TRY(disk_.open(path, mode)));
}

void ForgetfulRuntime::adopt(Adopted adopted) {
  runtime_.adopt(
      [adopted = std::move(adopted)](const Result<std::vector<agent::PodState>>&) mutable {
        adopted(std::vector<agent::PodState>{});
      });
}

}  // namespace muster::simulator
