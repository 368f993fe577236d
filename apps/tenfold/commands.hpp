// The subcommands of `tenfold`. Each one reads its own arguments and returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace tenfold::apps_impl {

int contract_command(const std::vector<std::string> &arguments);
int explain_command(const std::vector<std::string> &arguments);
int transpose_command(const std::vector<std::string> &arguments);
int check_command(const std::vector<std::string> &arguments);
int calibrate_command(const std::vector<std::string> &arguments);
int info_command(const std::vector<std::string> &arguments);

} // namespace tenfold::apps_impl
