// Model: a small language model, really trained: it guesses the next character from the last
// `context` ones. Embedding, one hidden layer with tanh, softmax. All parameters lie in one vector,
// so that gradients travel as one buffer.
//
//   Model model(text, seed);
//   float loss = model.gradient(batch, gradient);     // the mean over the batch
//   model.step(gradient, learning_rate);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::trainer {

class Model {
 public:
  static constexpr std::size_t context = 4;
  static constexpr std::size_t embedding = 8;
  static constexpr std::size_t hidden = 48;

  // The same text and seed give the same model, everywhere.
  Model(std::string_view text, std::uint64_t seed);

  std::size_t positions() const { return tokens_.size() - context; }
  std::size_t vocabulary() const { return vocabulary_; }

  // Writes the mean gradient over these positions of the text, and returns the mean loss.
  float gradient(std::span<const std::size_t> batch, std::span<float> gradient) const;

  void step(std::span<const float> gradient, float learning_rate);

  std::vector<float>& parameters() { return parameters_; }
  const std::vector<float>& parameters() const { return parameters_; }

 private:
  // Where each part starts in the vector of parameters.
  struct Layout {
    std::size_t table, hidden_weights, hidden_bias, output_weights, output_bias, size;
  };
  struct Activations {
    std::array<float, context * embedding> input;
    std::array<float, hidden> middle;
    std::vector<float> probabilities;
  };

  void forward(std::size_t position, Activations& at) const;
  void backward(std::size_t position, const Activations& at, float scale,
                std::span<float> gradient) const;

  std::vector<std::uint8_t> tokens_;
  std::size_t vocabulary_ = 0;
  Layout layout_{};
  std::vector<float> parameters_;
};

// Deterministic dice, the same on every machine (SplitMix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  float uniform();  // in [-1, 1)

 private:
  std::uint64_t state_;
};

}  // namespace muster::trainer
