// SPDX-License-Identifier: Apache-2.0
#include "examples/trainer/model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace muster::trainer {

std::uint64_t Dice::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

float Dice::uniform() {
  constexpr float half_range = 8'388'608.0F;  // 2^23: what a float holds exactly
  return static_cast<float>(next() >> 40U) / half_range - 1.0F;
}

Model::Model(std::string_view text, std::uint64_t seed) {
  std::array<int, 256> token_of{};
  token_of.fill(-1);
  for (const char each : text) token_of[static_cast<unsigned char>(each)] = 0;
  for (int& token : token_of) {
    if (token == 0) token = static_cast<int>(vocabulary_++);
  }
  for (const char each : text) {
    tokens_.push_back(static_cast<std::uint8_t>(token_of[static_cast<unsigned char>(each)]));
  }
  layout_.table = 0;
  layout_.hidden_weights = vocabulary_ * embedding;
  layout_.hidden_bias = layout_.hidden_weights + hidden * context * embedding;
  layout_.output_weights = layout_.hidden_bias + hidden;
  layout_.output_bias = layout_.output_weights + vocabulary_ * hidden;
  layout_.size = layout_.output_bias + vocabulary_;
  parameters_.resize(layout_.size);
  Dice dice(seed);
  for (std::size_t i = 0; i < layout_.size; ++i) {
    const bool is_bias =
        (i >= layout_.hidden_bias && i < layout_.output_weights) || i >= layout_.output_bias;
    parameters_[i] = is_bias ? 0.0F : 0.2F * dice.uniform();
  }
}

void Model::forward(std::size_t position, Activations& at) const {
  for (std::size_t c = 0; c < context; ++c) {
    const float* row = &parameters_[layout_.table + tokens_[position + c] * embedding];
    std::copy_n(row, embedding, &at.input[c * embedding]);
  }
  for (std::size_t h = 0; h < hidden; ++h) {
    float sum = parameters_[layout_.hidden_bias + h];
    const float* weights = &parameters_[layout_.hidden_weights + h * at.input.size()];
    for (std::size_t i = 0; i < at.input.size(); ++i) sum += weights[i] * at.input[i];
    at.middle[h] = std::tanh(sum);
  }
  at.probabilities.resize(vocabulary_);
  float largest = -1e30F;
  for (std::size_t v = 0; v < vocabulary_; ++v) {
    float sum = parameters_[layout_.output_bias + v];
    const float* weights = &parameters_[layout_.output_weights + v * hidden];
    for (std::size_t h = 0; h < hidden; ++h) sum += weights[h] * at.middle[h];
    at.probabilities[v] = sum;
    largest = std::max(largest, sum);
  }
  float total = 0;
  for (float& each : at.probabilities) {
    each = std::exp(each - largest);
    total += each;
  }
  for (float& each : at.probabilities) each /= total;
}

void Model::backward(std::size_t position, const Activations& at, float scale,
                     std::span<float> gradient) const {
  std::array<float, hidden> middle_slope{};
  const std::size_t target = tokens_[position + context];
  for (std::size_t v = 0; v < vocabulary_; ++v) {
    const float slope = scale * (at.probabilities[v] - (v == target ? 1.0F : 0.0F));
    gradient[layout_.output_bias + v] += slope;
    const std::size_t row = layout_.output_weights + v * hidden;
    for (std::size_t h = 0; h < hidden; ++h) {
      gradient[row + h] += slope * at.middle[h];
      middle_slope[h] += slope * parameters_[row + h];
    }
  }
  for (std::size_t h = 0; h < hidden; ++h) {
    const float slope = middle_slope[h] * (1.0F - at.middle[h] * at.middle[h]);
    gradient[layout_.hidden_bias + h] += slope;
    const std::size_t row = layout_.hidden_weights + h * at.input.size();
    for (std::size_t i = 0; i < at.input.size(); ++i) {
      gradient[row + i] += slope * at.input[i];
      const std::size_t token = tokens_[position + i / embedding];
      gradient[layout_.table + token * embedding + i % embedding] += slope * parameters_[row + i];
    }
  }
}

float Model::gradient(std::span<const std::size_t> batch, std::span<float> gradient) const {
  std::fill(gradient.begin(), gradient.end(), 0.0F);
  const float scale = 1.0F / static_cast<float>(batch.size());
  Activations at;
  float loss = 0;
  for (const std::size_t position : batch) {
    forward(position, at);
    loss -= std::log(std::max(at.probabilities[tokens_[position + context]], 1e-12F));
    backward(position, at, scale, gradient);
  }
  return loss * scale;
}

void Model::step(std::span<const float> gradient, float learning_rate) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i] -= learning_rate * gradient[i];
  }
}

}  // namespace muster::trainer
