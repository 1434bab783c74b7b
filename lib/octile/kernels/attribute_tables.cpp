// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/attribute_tables.hpp>

#include <octile/base/parallel.hpp>
#include <octile/kernels/label_records.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace octile {
namespace {

using Code = Instruction::Code;

/// A part of a program, which stands in one piece. Chains of one operator are one part, whose children are all that it joins.
struct Part {
  enum class Join { none, product, sum };

  std::size_t begin = 0;
  std::size_t end = 0;
  Join join = Join::none;
  std::vector<Part> children;  ///< two or more of a product or a sum
};

Part joined(Part left, Part right, Part::Join join, std::size_t end) {
  Part whole{left.begin, end, join, {}};
  const auto add = [&](Part part) {
    if (part.join == join) {
      std::ranges::move(part.children, std::back_inserter(whole.children));
    } else {
      whole.children.push_back(std::move(part));
    }
  };
  add(std::move(left));
  add(std::move(right));
  return whole;
}

Part parsed(std::span<const Instruction> program) {
  std::vector<Part> stack;
  for (std::size_t k = 0; k < program.size(); ++k) {
    const Instruction& step = program[k];
    const auto inside = static_cast<std::size_t>(step.count);
    switch (step.code) {
      case Code::multiply:
      case Code::add: {
        Part right = std::move(stack.back());
        stack.pop_back();
        const Part::Join join = step.code == Code::multiply ? Part::Join::product : Part::Join::sum;
        stack.back() = joined(std::move(stack.back()), std::move(right), join, k + 1);
        break;
      }
      case Code::power: stack.back() = {stack.back().begin, k + 1, Part::Join::none, {}}; break;
      case Code::convolution:
      case Code::normalize:
        stack.push_back({k, k + 1 + inside, Part::Join::none, {}});
        k += inside;
        break;
      case Code::constant:
      case Code::leaf:
      case Code::list_leaf:
      case Code::scale: stack.push_back({k, k + 1, Part::Join::none, {}}); break;
    }
  }
  return std::move(stack.back());
}

/// The code of each record: a number, from 0, for what the record has in the attributes that a table reads.
struct Codes {
  std::vector<std::uint16_t> codes;
  std::size_t count = 0;  ///< of numbers; 0: more than a table takes
};

/// A factor of a product, or a term of a sum, perhaps of several parts: what is to have one table, if it has codes.
struct Piece {
  std::vector<const Part*> parts;
  Codes codes;

  bool has_table() const { return codes.count > 0; }
};

class Builder {
 public:
  Builder(const LoweredKernel& kernel, AttributeTables& tables) : kernel_(kernel), tables_(tables) {}

  void build() {
    const Part root = parsed(kernel_.program);
    const std::vector<Piece> factors = pieces(root, Part::Join::product);
    const auto sum = std::ranges::find_if(
        factors, [](const Piece& factor) { return !factor.has_table() && factor.parts[0]->join == Part::Join::sum; });
    if (sum != factors.end()) {
      const std::vector<Piece> terms = pieces(*sum->parts[0], Part::Join::sum);
      for (std::size_t t = 0; t < terms.size(); ++t) {
        add_term(terms[t]);
        tables_.steps.back().after = t + 1 == terms.size() ? TableStep::After::last_term : TableStep::After::add;
      }
    }
    for (auto factor = factors.begin(); factor != factors.end(); ++factor) {
      if (factor != sum) add(*factor, Part::Join::product);
    }
    lay_out_codes();
  }

 private:
  /// The parts that an operator joins, or the one part itself. Those with codes share tables where these stay small.
  std::vector<Piece> pieces(const Part& whole, Part::Join join) const {
    std::vector<Piece> small;
    std::vector<Piece> pieces;
    const auto add = [&](const Part& part) {
      Piece piece{{&part}, codes_of(part)};
      (piece.has_table() ? small : pieces).push_back(std::move(piece));
    };
    if (whole.join == join) {
      for (const Part& part : whole.children) add(part);
    } else {
      add(whole);
    }
    std::ranges::stable_sort(small, {}, [](const Piece& piece) { return piece.codes.count; });
    for (Piece& piece : small) {
      const bool shares =
          std::ranges::any_of(pieces, [&](Piece& other) { return other.has_table() && merge(other, piece); });
      if (!shares) pieces.push_back(std::move(piece));
    }
    return pieces;
  }

  /// Puts another piece's parts to a piece, if they have few codes together.
  bool merge(Piece& piece, const Piece& other) const {
    const std::size_t columns = other.codes.count;
    if (std::max(piece.codes.count, columns) > shared_codes) return false;
    std::vector<std::uint16_t> numbers(piece.codes.count * columns, UINT16_MAX);
    Codes both{std::vector<std::uint16_t>(kernel_.record_count), 0};
    for (std::size_t record = 0; record < kernel_.record_count; ++record) {
      std::uint16_t& number = numbers[piece.codes.codes[record] * columns + other.codes.codes[record]];
      if (number == UINT16_MAX) {
        if (both.count == shared_codes) return false;
        number = static_cast<std::uint16_t>(both.count++);
      }
      both.codes[record] = number;
    }
    piece.codes = std::move(both);
    piece.parts.insert(piece.parts.end(), other.parts.begin(), other.parts.end());
    return true;
  }

  Codes codes_of(const Part& part) const {
    const std::vector<std::size_t> slots = slots_of(part);
    // A leaf alone takes less time than a read from a large table.
    const bool leaf = part.end == part.begin + 1 && kernel_.program[part.begin].code == Code::leaf;
    const std::size_t most = leaf ? shared_codes : most_codes;
    Codes codes{std::vector<std::uint16_t>(kernel_.record_count), 0};
    Records records(slots.size(), most + 1);
    std::vector<double> values(slots.size());
    for (std::size_t record = 0; record < kernel_.record_count; ++record) {
      for (std::size_t s = 0; s < slots.size(); ++s) {
        values[s] = kernel_.records[record * static_cast<std::size_t>(kernel_.slots) + slots[s]];
      }
      codes.codes[record] = static_cast<std::uint16_t>(records.number(values, HashNumbers()(values)));
      if (records.count() > most) return {};
    }
    codes.count = records.count();
    return codes;
  }

  /// The slots that a part reads. What stands inside a convolution reads elements of its list.
  std::vector<std::size_t> slots_of(const Part& part) const {
    std::set<std::size_t> slots;
    for (std::size_t k = part.begin; k < part.end; ++k) {
      const Instruction& step = kernel_.program[k];
      const bool reads = step.code == Code::leaf || step.code == Code::list_leaf || step.code == Code::scale ||
                         step.code == Code::convolution;
      if (reads) slots.insert(static_cast<std::size_t>(step.slot));
      if (step.code == Code::convolution) k += static_cast<std::size_t>(step.count);
    }
    return {slots.begin(), slots.end()};
  }

  /// A term of the sum: a product in its turn, unless it has a table.
  void add_term(const Piece& term) {
    if (term.has_table() || term.parts[0]->join != Part::Join::product) return add(term, Part::Join::sum);
    for (const Piece& factor : pieces(*term.parts[0], Part::Join::product)) add(factor, Part::Join::product);
  }

  /// Adds a step that evaluates a piece, of parts that are joined so.
  void add(const Piece& piece, Part::Join join) {
    std::vector<Instruction> program;
    for (std::size_t k = 0; k < piece.parts.size(); ++k) {
      const Part& part = *piece.parts[k];
      program.insert(program.end(), kernel_.program.begin() + static_cast<std::ptrdiff_t>(part.begin),
                     kernel_.program.begin() + static_cast<std::ptrdiff_t>(part.end));
      if (k == 0) continue;
      Instruction operation;
      operation.code = join == Part::Join::product ? Code::multiply : Code::add;
      program.push_back(operation);
    }
    TableStep step;
    if (piece.has_table()) {
      step.begin = tables_.values.size();
      step.count = static_cast<std::int32_t>(piece.codes.count);
      step.column = static_cast<std::int32_t>(columns_.size());
      tabulate(program, piece.codes);
      columns_.push_back(piece.codes.codes);
    } else {
      step.begin = tables_.program.size();
      step.column = static_cast<std::int32_t>(program.size());
      tables_.program.insert(tables_.program.end(), program.begin(), program.end());
    }
    tables_.steps.push_back(step);
  }

  void tabulate(const std::vector<Instruction>& program, const Codes& codes) {
    std::vector<std::uint32_t> records(codes.count);
    for (std::size_t record = kernel_.record_count; record-- > 0;) {
      records[codes.codes[record]] = static_cast<std::uint32_t>(record);
    }
    const RecordPointers labels{kernel_.records.data(), kernel_.list_begin.data(), kernel_.list_values.data(),
                                kernel_.slots};
    const std::size_t begin = tables_.values.size();
    tables_.values.resize(begin + codes.count * codes.count);
    double* const table = tables_.values.data() + begin;
    in_parallel(codes.count, rows_at_once, [&](std::size_t from, std::size_t to) {
      for (std::size_t a = from; a < to; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
          const double value =
              run_program<double>(program.data(), static_cast<int>(program.size()), labels, records[a], records[b]);
          table[a * codes.count + b] = value;
          table[b * codes.count + a] = value;
        }
      }
    });
  }

  void lay_out_codes() {
    tables_.columns = columns_.size();
    tables_.codes.resize(kernel_.record_count * tables_.columns);
    for (std::size_t record = 0; record < kernel_.record_count; ++record) {
      for (std::size_t column = 0; column < tables_.columns; ++column) {
        tables_.codes[record * tables_.columns + column] = columns_[column][record];
      }
    }
  }

  /// Rows of a table that a thread fills at a time.
  static constexpr std::size_t rows_at_once = 8;

  const LoweredKernel& kernel_;
  AttributeTables& tables_;
  std::vector<std::vector<std::uint16_t>> columns_;
};

std::string counted(std::size_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace

AttributeTables::AttributeTables(const LoweredKernel& kernel) { Builder(kernel, *this).build(); }

std::shared_ptr<const AttributeTables> SharedTables::of(const LoweredKernel& kernel) {
  if (!tables_) tables_ = std::make_shared<const AttributeTables>(kernel);
  return tables_;
}

std::shared_ptr<const AttributeTables> tables_of(SharedTables* shared, const LoweredKernel& kernel) {
  return shared != nullptr ? shared->of(kernel) : std::make_shared<const AttributeTables>(kernel);
}

std::size_t AttributeTables::bytes() const {
  return values.size() * sizeof(double) + codes.size() * sizeof(std::uint16_t) + steps.size() * sizeof(TableStep) +
         program.size() * sizeof(Instruction);
}

std::string AttributeTables::description() const {
  const std::size_t pieces = steps.size() - columns;
  std::string of_tables = counted(columns, "table", "tables");
  std::string of_program = counted(pieces, "piece of the program", "pieces of the program");
  if (pieces == 0) return of_tables;
  return columns == 0 ? of_program : of_tables + " and " + of_program;
}

}  // namespace octile
