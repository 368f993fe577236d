// Parses values as users write them on command lines. Each function throws usage_error that quotes
// the option and the text and says what is allowed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::apps_impl {

/// "0.5", "-2", "1.5+0.5i", "i", "(1.5,0.5)".
scalar parse_scalar(const std::string &option, const std::string &text);

/// An integer of at least `least`.
int parse_count(const std::string &option, const std::string &text, int least = 1);

/// An integer from 1 to 4096.
int parse_threads(const std::string &option, const std::string &text);

/// An integer with an optional KiB, MiB or GiB.
byte_count parse_size(const std::string &option, const std::string &text);

data_type parse_type(const std::string &option, const std::string &text);
/// The same, and also bf16, f16 and the types of integers.
data_type parse_input_type(const std::string &option, const std::string &text);
algorithm parse_algorithm_name(const std::string &option, const std::string &text);
backend parse_backend_name(const std::string &option, const std::string &text);
/// Seconds, more than 0 and at most 600.
double parse_duration(const std::string &option, const std::string &text);
tuning parse_tuning_level(const std::string &option, const std::string &text);

/// Extents by label, in the order in which they were written.
using labelled_extents = std::vector<std::pair<std::string, index_t>>;

/// "a=48,b=36", or "occ=10,virt=40"; a label at most once.
labelled_extents parse_extents(const std::string &option, const std::string &text);

/// "48,36".
std::vector<index_t> parse_integers(const std::string &what, const std::string &text);

} // namespace tenfold::apps_impl
