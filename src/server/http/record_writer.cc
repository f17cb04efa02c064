// SPDX-License-Identifier: Apache-2.0
#include "server/http/record_writer.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace muster::server {

namespace {

// A place for bytes that never is full and gives nothing back: its end is the text.
int take(BIO* place, const char* bytes, std::size_t size, std::size_t* taken) {
  static_cast<std::string*>(BIO_get_data(place))->append(bytes, size);
  *taken = size;
  return 1;
}

long control(BIO*, int what, long, void*) {
  return what == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* text_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "text");
    CHECK(made != nullptr);
    BIO_meth_set_write_ex(made, take);
    BIO_meth_set_ctrl(made, control);
    return made;
  }();
  return method;
}

}  // namespace

void RecordWriter::begin() {
  if (own_way_ != nullptr) return;
  BIO* text = BIO_new(text_method());
  CHECK(text != nullptr);
  BIO_set_data(text, &sealed_);
  BIO_set_init(text, 1);
  own_way_ = SSL_get_wbio(connection_);
  BIO_up_ref(own_way_);
  SSL_set0_wbio(connection_, text);
}

void RecordWriter::end() {
  if (own_way_ == nullptr) return;
  SSL_set0_wbio(connection_, own_way_);
  own_way_ = nullptr;
}

bool RecordWriter::seal(std::string_view text) {
  while (!text.empty()) {
    ERR_clear_error();
    const std::size_t size =
        std::min(text.size(), static_cast<std::size_t>(std::numeric_limits<int>::max()));
    const int written = SSL_write(connection_, text.data(), static_cast<int>(size));
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

const std::string& RecordWriter::take() {
  taken_.clear();
  taken_.swap(sealed_);
  return taken_;
}

void RecordWriter::rest(std::size_t bytes_kept_max) {
  taken_.clear();
  if (taken_.capacity() > bytes_kept_max) taken_.shrink_to_fit();
  if (sealed_.capacity() > bytes_kept_max) sealed_.shrink_to_fit();
}

}  // namespace muster::server
