// Keyword arguments that set members of a struct.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <tenfold/error.hpp>

#include "numpy_api.hpp"

namespace tenfold::python {

/// By name, what a value is done with.
template <class T> using setters_of = std::map<std::string, std::function<void(T &, py::handle)>>;

/// Sets what `given` says. Throws TypeError for other names, which the message lists, and for
/// values of other types; `what` is the word for a member.
template <class T> void set_by_keywords(T &members, const py::dict &given,
                                        const setters_of<T> &setters, const std::string &what) {
    for (const auto &[key, value] : given) {
        const auto name = py::cast<std::string>(key);
        const auto setter = setters.find(name);
        if (setter == setters.end()) {
            std::string known;
            for (const auto &one : setters)
                known += (known.empty() ? "" : ", ") + one.first;
            throw py::type_error("there is no " + what + " '" + name + "'; there are " + known);
        }
        try {
            setter->second(members, value);
        } catch (const py::cast_error &) {
            throw py::type_error(what + " '" + name + "' cannot be " +
                                 py::cast<std::string>(py::repr(value)));
        }
    }
}

/// The enumerator that a text names. Throws errc::invalid_argument.
template <class Parse> auto enumerator(py::handle value, const std::string &what, Parse parse) {
    const auto text = py::cast<std::string>(value);
    const auto found = parse(text);
    if (!found)
        throw error(errc::invalid_argument, what + "='" + text + "' is not known");
    return *found;
}

} // namespace tenfold::python
