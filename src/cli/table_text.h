// TableText: prints the server's Tables as kubectl does: columns of one width, three blanks
// between them, wide columns only on request. Keeps widths and columns over the tables of a watch.
//
//   TableText text({.is_wide = true});
//   output.out(text.lines(table));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "objects/value.h"

namespace muster::cli {

struct TableForm {
  bool is_wide = false;
  bool with_headers = true;
  bool with_namespace = false;
  bool with_labels = false;
  std::string name_prefix = {};  // `job.batch/`
};

class TableText {
 public:
  explicit TableText(TableForm form) : form_(std::move(form)) {}

  // The rows of one Table; the head before the first one.
  std::string lines(objects::View table);

 private:
  std::vector<std::string> cells_of(objects::View row) const;
  std::string aligned(const std::vector<std::vector<std::string>>& rows);

  TableForm form_;
  struct Column {
    std::string name;
    std::size_t index = 0;
  };
  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  bool has_head_ = false;
};

// The same alignment for tables of our own: a head and rows.
std::string aligned_rows(const std::vector<std::vector<std::string>>& rows);

}  // namespace muster::cli
