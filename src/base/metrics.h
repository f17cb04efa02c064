// Metrics: counters, gauges and histograms with labels, printed in Prometheus' text format.
//
//   MetricRegistry registry;
//   auto requests = registry.counter({.name = "muster_http_requests_total",
//                                     .help = "Requests by verb and status.",
//                                     .labels = {"verb", "code"}}).must();
//   const Counter gets = requests.with({"GET", "200"});     // once, on the owner's thread
//   gets.increment();                                       // anywhere, lock-free
//   registry.to_text();
//
// Numbers that follow from other state need not be kept current: before_reading() is called before
// each text is made.
//
// Threads: the registry and its families belong to one thread (the house thread): registering,
// with(), remove() and to_text() happen there. Counter, Gauge and Histogram are small handles
// whose updates and reads are safe from any thread, also after their series was removed.
// A family keeps at most series_max series. Beyond that, and for label values that are too long,
// with() hands out one series whose labels are all "other", and counts the refusal in
// muster_metrics_dropped_series_total{family}. A registry outlives its families, not its handles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace muster {

enum class MetricKind : std::uint8_t { counter, gauge, histogram };

// One series' numbers. A counter is whole + part, a gauge is part, a histogram's sum is part.
struct MetricCell {
  explicit MetricCell(std::span<const double> bounds_in);

  std::atomic<std::uint64_t> whole = 0;
  std::atomic<double> part = 0;
  const std::vector<double> bounds;                 // of a histogram's buckets, without +Inf
  std::vector<std::atomic<std::uint64_t>> buckets;  // one more than bounds, not cumulative
};

// Only grows. Whole steps are one atomic addition.
class Counter {
 public:
  explicit Counter(std::shared_ptr<MetricCell> cell) : cell_(std::move(cell)) {}
  void increment(std::uint64_t by = 1) const {
    cell_->whole.fetch_add(by, std::memory_order_relaxed);
  }
  void add(double amount) const;  // for seconds; ignores what is not positive
  double value() const;

 private:
  std::shared_ptr<MetricCell> cell_;
};

class Gauge {
 public:
  explicit Gauge(std::shared_ptr<MetricCell> cell) : cell_(std::move(cell)) {}
  void set(double value) const { cell_->part.store(value, std::memory_order_relaxed); }
  void add(double amount) const { cell_->part.fetch_add(amount, std::memory_order_relaxed); }
  double value() const { return cell_->part.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<MetricCell> cell_;
};

class Histogram {
 public:
  explicit Histogram(std::shared_ptr<MetricCell> cell) : cell_(std::move(cell)) {}
  void observe(double value) const;  // ignores NaN, which would poison the sum
  std::uint64_t count() const;
  double sum() const { return cell_->part.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<MetricCell> cell_;
};

struct MetricOptions {
  std::string name;
  std::string help;
  std::vector<std::string> labels = {};
  std::size_t series_max = metric_series_per_family_max;
};

// What a registry holds for one name. Used through MetricFamily.
class MetricSeries {
 public:
  using Values = std::initializer_list<std::string_view>;

  MetricSeries(MetricOptions options, MetricKind kind, std::vector<double> bounds);

  std::shared_ptr<MetricCell> find_or_make(Values values);
  void remove(Values values);
  using Match = std::pair<std::string_view, std::string_view>;  // a label and its value
  void remove_where(std::initializer_list<Match> matches);
  void clear() { series_.clear(); }
  std::size_t size() const { return series_.size(); }

  void count_drops_with(Counter counter);
  void append_to(std::string& out) const;

 private:
  void append_histogram(std::string& out, const std::string& labels, const MetricCell& cell) const;

  MetricOptions options_;
  MetricKind kind_;
  std::vector<double> bounds_;
  // Also of values that are not in a vector yet.
  struct ValuesHash {
    using is_transparent = void;
    template <class A>
    std::size_t operator()(const A& values) const {
      std::size_t hash = 0;
      for (const std::string_view value : values) {
        hash = hash * 31 + std::hash<std::string_view>()(value);
      }
      return hash;
    }
  };
  struct ValuesEqual {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
  };
  std::unordered_map<std::vector<std::string>, std::shared_ptr<MetricCell>, ValuesHash, ValuesEqual>
      series_;
  std::unique_ptr<Counter> drops_;  // none without labels
};

// All series of one name. Values come in the order of the labels; a wrong number of them is a bug.
template <class Metric>
class MetricFamily {
 public:
  explicit MetricFamily(MetricSeries& series) : series_(&series) {}

  Metric with(MetricSeries::Values values) const { return Metric(series_->find_or_make(values)); }
  Metric single() const { return with({}); }  // of a family without labels

  // What a label names is gone: its series leaves the output.
  void remove(MetricSeries::Values values) const { series_->remove(values); }
  // All series that have these values of the labels.
  void remove_where(std::initializer_list<MetricSeries::Match> matches) const {
    series_->remove_where(matches);
  }
  void clear() const { series_->clear(); }
  std::size_t size() const { return series_->size(); }

 private:
  MetricSeries* series_;
};

class MetricRegistry {
 public:
  static constexpr std::string_view dropped_series_name = "muster_metrics_dropped_series_total";

  MetricRegistry();

  // invalid for names, labels, help or bounds that Prometheus would refuse; already_exists when a
  // line of the output would belong to two families.
  Result<MetricFamily<Counter>> counter(MetricOptions options);
  Result<MetricFamily<Gauge>> gauge(MetricOptions options);
  Result<MetricFamily<Histogram>> histogram(MetricOptions options, std::vector<double> bounds);

  // Families sorted by name, series by label values: the same state gives the same bytes.
  std::string to_text() const;

  // Called before each to_text(), until the id is forgotten: to bring numbers up to date.
  using Refresh = UniqueFunction<void()>;
  std::uint64_t before_reading(Refresh refresh);
  void forget(std::uint64_t id) { refreshes_.erase(id); }

 private:
  Result<MetricSeries*> add(MetricOptions options, MetricKind kind, std::vector<double> bounds);

  std::map<std::string, std::unique_ptr<MetricSeries>, std::less<>> families_;
  std::set<std::string, std::less<>> sample_names_;
  mutable std::map<std::uint64_t, Refresh> refreshes_;
  std::uint64_t next_refresh_ = 0;
};

// start, start × factor, … : `count` bounds for a histogram.
std::vector<double> exponential_bounds(double start, double factor, std::size_t count);

}  // namespace muster
