// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "base/utf8.h"

namespace muster {

namespace {

constexpr std::string_view overflow_value = "other";

bool is_name_start(char c) {
  return is_letter(c) || c == '_';
}

bool is_name(std::string_view text, bool allows_colon) {
  if (text.empty()) return false;
  const auto is_first = [&](char c) { return is_name_start(c) || (allows_colon && c == ':'); };
  const auto is_other = [&](char c) { return is_first(c) || (c >= '0' && c <= '9'); };
  return is_first(text[0]) && std::all_of(text.begin(), text.end(), is_other);
}

Result<> validate_labels(const std::vector<std::string>& labels, MetricKind kind) {
  if (labels.size() > metric_labels_max) {
    return Error::too_large("a metric must not have more than 12 labels", "labels");
  }
  for (const std::string& label : labels) {
    if (!is_name(label, false) || label.starts_with("__")) {
      return Error::invalid(fmt::format("'{}' is not a label name", label), "labels");
    }
    if (kind == MetricKind::histogram && label == "le") {
      return Error::invalid("'le' belongs to the buckets of a histogram", "labels");
    }
    if (std::count(labels.begin(), labels.end(), label) > 1) {
      return Error::invalid(fmt::format("label '{}' appears twice", label), "labels");
    }
  }
  return {};
}

Result<> validate_bounds(const std::vector<double>& bounds) {
  if (bounds.empty()) return Error::invalid("a histogram needs at least one bound", "bounds");
  if (bounds.size() > metric_buckets_max) {
    return Error::too_large("a histogram must not have more than 64 bounds", "bounds");
  }
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!std::isfinite(bounds[i]) || (i > 0 && bounds[i] <= bounds[i - 1])) {
      return Error::invalid("bounds must be finite and rise", "bounds");
    }
  }
  return {};
}

Result<> validate(const MetricOptions& options, MetricKind kind,
                  const std::vector<double>& bounds) {
  if (!is_name(options.name, true)) {
    return Error::invalid(fmt::format("'{}' is not a metric name", options.name), "name");
  }
  if (options.help.empty()) return Error::invalid("a metric needs a help sentence", "help");
  if (options.series_max == 0) return Error::invalid("must be at least 1", "series_max");
  TRY(validate_labels(options.labels, kind));
  if (kind == MetricKind::histogram) TRY(validate_bounds(bounds));
  return {};
}

// The names that a family's lines start with.
std::vector<std::string> sample_names(const std::string& name, MetricKind kind) {
  if (kind != MetricKind::histogram) return {name};
  return {name, name + "_bucket", name + "_sum", name + "_count"};
}

std::string_view name(MetricKind kind) {
  constexpr std::array<std::string_view, 3> names{"counter", "gauge", "histogram"};
  return names[static_cast<std::size_t>(kind)];
}

enum class Quotes : std::uint8_t { kept, escaped };

void append_escaped(std::string& out, std::string_view text, Quotes quotes) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || (c == '"' && quotes == Quotes::escaped)) out += '\\';
      out += c;
    }
  }
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string counter_number(const MetricCell& cell) {
  const std::uint64_t whole = cell.whole.load(std::memory_order_relaxed);
  const double part = cell.part.load(std::memory_order_relaxed);
  return part == 0 ? fmt::format("{}", whole) : number(static_cast<double>(whole) + part);
}

// name{labels,extra} value
void append_sample(std::string& out, std::string_view sample_name, std::string_view labels,
                   std::string_view value) {
  out += sample_name;
  if (!labels.empty()) fmt::format_to(std::back_inserter(out), "{{{}}}", labels);
  fmt::format_to(std::back_inserter(out), " {}\n", value);
}

}  // namespace

MetricCell::MetricCell(std::span<const double> bounds_in)
    : bounds(bounds_in.begin(), bounds_in.end()),
      buckets(bounds_in.empty() ? 0 : bounds_in.size() + 1) {}

void Counter::add(double amount) const {
  if (amount > 0) cell_->part.fetch_add(amount, std::memory_order_relaxed);
}

double Counter::value() const {
  return static_cast<double>(cell_->whole.load(std::memory_order_relaxed)) +
         cell_->part.load(std::memory_order_relaxed);
}

void Histogram::observe(double value) const {
  if (std::isnan(value)) return;
  const auto& bounds = cell_->bounds;
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  cell_->buckets[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  cell_->part.fetch_add(value, std::memory_order_relaxed);
}

std::uint64_t Histogram::count() const {
  std::uint64_t total = 0;
  for (const auto& bucket : cell_->buckets) total += bucket.load(std::memory_order_relaxed);
  return total;
}

MetricSeries::MetricSeries(MetricOptions options, MetricKind kind, std::vector<double> bounds)
    : options_(std::move(options)), kind_(kind), bounds_(std::move(bounds)) {}

std::shared_ptr<MetricCell> MetricSeries::find_or_make(Values values) {
  CHECK(values.size() == options_.labels.size(), "one value for each label");
  // Whatever is there has a key that was fit to be one.
  if (const auto found = series_.find(values); found != series_.end()) return found->second;
  std::vector<std::string> key;
  key.reserve(values.size());
  bool is_too_long = false;
  for (const std::string_view value : values) {
    is_too_long = is_too_long || value.size() > metric_label_value_bytes_max;
    key.push_back(is_too_long ? std::string() : repaired_utf8(value));
  }
  if (!is_too_long) {
    if (const auto found = series_.find(key); found != series_.end()) return found->second;
  }
  // The overflow series stands beside the others: it does not take a place away from them.
  const std::vector<std::string> overflow(key.size(), std::string(overflow_value));
  const std::size_t taken = series_.size() - series_.count(overflow);
  if (is_too_long || taken >= options_.series_max) {
    if (drops_ != nullptr) drops_->increment();
    key = overflow;
  }
  auto& cell = series_[key];
  if (cell == nullptr) cell = std::make_shared<MetricCell>(bounds_);
  return cell;
}

void MetricSeries::remove(Values values) {
  std::vector<std::string> key;
  for (const std::string_view value : values) key.push_back(repaired_utf8(value));
  series_.erase(key);
}

void MetricSeries::remove_where(std::initializer_list<Match> matches) {
  std::vector<std::pair<std::size_t, std::string>> wanted;
  for (const auto& [label, value] : matches) {
    const auto found = std::find(options_.labels.begin(), options_.labels.end(), label);
    CHECK(found != options_.labels.end(), "a label of the family");
    wanted.emplace_back(found - options_.labels.begin(), repaired_utf8(value));
  }
  std::erase_if(series_, [&](const auto& entry) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const auto& match) { return entry.first[match.first] == match.second; });
  });
}

void MetricSeries::count_drops_with(Counter counter) {
  drops_ = std::make_unique<Counter>(std::move(counter));
}

void MetricSeries::append_to(std::string& out) const {
  fmt::format_to(std::back_inserter(out), "# HELP {} ", options_.name);
  append_escaped(out, options_.help, Quotes::kept);
  fmt::format_to(std::back_inserter(out), "\n# TYPE {} {}\n", options_.name, name(kind_));
  std::vector<const decltype(series_)::value_type*> sorted;
  for (const auto& each : series_) sorted.push_back(&each);
  std::ranges::sort(
      sorted, {}, [](const auto* each) -> const auto& { return each->first; });
  for (const auto* each : sorted) {
    const auto& [values, cell] = *each;
    std::string labels;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) labels += ',';
      labels += options_.labels[i];
      labels += "=\"";
      append_escaped(labels, values[i], Quotes::escaped);
      labels += '"';
    }
    switch (kind_) {
      case MetricKind::counter:
        append_sample(out, options_.name, labels, counter_number(*cell));
        break;
      case MetricKind::gauge:
        append_sample(out, options_.name, labels, number(Gauge(cell).value()));
        break;
      case MetricKind::histogram:
        append_histogram(out, labels, *cell);
        break;
    }
  }
}

// The count is the sum of the buckets just read, so that a line never contradicts the next one
// while other threads observe.
void MetricSeries::append_histogram(std::string& out, const std::string& labels,
                                    const MetricCell& cell) const {
  const std::string separator = labels.empty() ? "" : ",";
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < cell.buckets.size(); ++i) {
    cumulative += cell.buckets[i].load(std::memory_order_relaxed);
    const std::string bound = i < bounds_.size() ? number(bounds_[i]) : "+Inf";
    append_sample(out, options_.name + "_bucket",
                  fmt::format("{}{}le=\"{}\"", labels, separator, bound),
                  fmt::format("{}", cumulative));
  }
  append_sample(out, options_.name + "_sum", labels,
                number(cell.part.load(std::memory_order_relaxed)));
  append_sample(out, options_.name + "_count", labels, fmt::format("{}", cumulative));
}

MetricRegistry::MetricRegistry() {
  // One series for each family, which the code bounds: no limit of its own.
  counter({.name = std::string(dropped_series_name),
           .help = "Series refused because their family is full, counted as \"other\" instead.",
           .labels = {"family"},
           .series_max = static_cast<std::size_t>(-1)})
      .must();
}

Result<MetricSeries*> MetricRegistry::add(MetricOptions options, MetricKind kind,
                                          std::vector<double> bounds) {
  TRY(validate(options, kind, bounds));
  const std::string family_name = options.name;
  const std::vector<std::string> names = sample_names(family_name, kind);
  for (const std::string& sample_name : names) {
    if (sample_names_.contains(sample_name)) {
      return Error{ErrorCode::already_exists, fmt::format("metric name '{}' is taken", sample_name),
                   "name"};
    }
  }
  sample_names_.insert(names.begin(), names.end());
  const bool has_labels = !options.labels.empty();
  auto series = std::make_unique<MetricSeries>(std::move(options), kind, std::move(bounds));
  MetricSeries* const added = series.get();
  families_.emplace(family_name, std::move(series));
  if (!has_labels) {
    added->find_or_make({});  // a metric without labels is visible from its first scrape
  } else if (family_name != dropped_series_name) {
    MetricSeries& drops = *families_.find(dropped_series_name)->second;
    added->count_drops_with(Counter(drops.find_or_make({family_name})));
  }
  return added;
}

Result<MetricFamily<Counter>> MetricRegistry::counter(MetricOptions options) {
  return MetricFamily<Counter>(*TRY(add(std::move(options), MetricKind::counter, {})));
}

Result<MetricFamily<Gauge>> MetricRegistry::gauge(MetricOptions options) {
  return MetricFamily<Gauge>(*TRY(add(std::move(options), MetricKind::gauge, {})));
}

Result<MetricFamily<Histogram>> MetricRegistry::histogram(MetricOptions options,
                                                          std::vector<double> bounds) {
  return MetricFamily<Histogram>(
      *TRY(add(std::move(options), MetricKind::histogram, std::move(bounds))));
}

std::uint64_t MetricRegistry::before_reading(Refresh refresh) {
  refreshes_.emplace(++next_refresh_, std::move(refresh));
  return next_refresh_;
}

std::string MetricRegistry::to_text() const {
  for (auto& [id, refresh] : refreshes_) refresh();
  std::string out;
  for (const auto& [family_name, series] : families_) series->append_to(out);
  return out;
}

std::vector<double> exponential_bounds(double start, double factor, std::size_t count) {
  std::vector<double> bounds(count);
  for (double& bound : bounds) {
    bound = start;
    start *= factor;
  }
  return bounds;
}

}  // namespace muster
