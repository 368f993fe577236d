#include "apps/tenfold/checked_file.hpp"
#include "base/input_file.hpp"
#include "distributed/files/checkpoint_format.hpp"

namespace tenfold::apps_impl {

using namespace dist_impl;

std::vector<checked_tensor> check_checkpoint(const std::string &name) {
    const base::input_file file(name);
    const index_t header =
        checkpoint_header_size(name, file.start(checkpoint_prefix_size), file.size());
    const checkpoint_layout layout = parse_checkpoint_header(name, file.start(header), file.size());
    std::vector<checked_tensor> found;
    for (const checkpoint_layout::entry &entry : layout.entries) {
        const index_t element = size_of(entry.tensor.type);
        const file_blocks blocks = entry.blocks(layout.block_size);
        std::vector<char> memory(static_cast<std::size_t>(blocks.largest() * element));
        index_t bytes = 0;
        for (index_t block = 0; block < blocks.count(); ++block) {
            const index_t size = tenfold::layout(blocks.box(block).extents).size() * element;
            const index_t offset = entry.data_offset + blocks.begin(block) * element;
            std::uint32_t expected = 0;
            file.read(entry.checksum_offset + block * static_cast<index_t>(sizeof expected),
                      &expected, sizeof expected);
            file.read(offset, memory.data(), size);
            check_block(name, entry.tensor.name, offset, memory.data(), size, expected);
            bytes += size;
        }
        found.push_back({entry.tensor.name, std::string(tenfold::name(entry.tensor.type)),
                         entry.tensor.extents, true, bytes});
    }
    return found;
}

} // namespace tenfold::apps_impl
