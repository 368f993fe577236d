// Programs as values: read, checked, written.
#include <tenfold/program.hpp>

#include "base/input_file.hpp"
#include "program/text/checks.hpp"

namespace tenfold {

const std::vector<std::string> &program::ranges() const noexcept { return state_->names.ranges; }
const std::vector<program_tensor> &program::tensors() const noexcept {
    return state_->names.tensors;
}
std::string program::to_string() const { return program_impl::text_of(state_->text); }

program parse_program(std::string_view text) {
    program_impl::tree parsed = program_impl::parse_tree(text);
    program_impl::symbols names = program_impl::check(parsed);
    return internals::from<program>(std::make_shared<internals::state_of<program>>(
        internals::state_of<program>{std::move(parsed), std::move(names)}));
}

program read_program(const std::string &path) {
    const base::input_file file(path);
    const std::string text = file.start(file.size());
    try {
        return parse_program(text);
    } catch (const error &problem) {
        throw error(problem.code(), "'" + path + "', " + problem.what(), problem.details());
    }
}

} // namespace tenfold
