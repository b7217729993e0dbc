#include "blocks.hpp"

#include <cstdlib>
#include <cstring>

namespace attach::pooled {

used_blocks::node*& used_blocks::bucket(driver::device_pointer pointer) {
    return buckets[((pointer >> 9) * 0x9e3779b97f4a7c15u >> 20) & (size - 1)];
}

// Takes a node out of its list; the node behind it takes its place.
used_blocks::node** used_blocks::drop(node** at) {
    node* gone = *at;
    *at = gone->next;
    gone->next = spare;
    spare = gone;
    --count;
    return at;
}

bool used_blocks::grow() {
    const std::size_t old_size = size;
    node** old = buckets;
    const std::size_t wanted = size ? size * 2 : 1024;
    auto* larger = static_cast<node**>(std::calloc(wanted, sizeof(node*)));
    if (!larger) return size != 0;
    buckets = larger;
    size = wanted;
    for (std::size_t i = 0; i < old_size; ++i)
        for (node* row = old[i]; row;) {
            node* next = row->next;
            node*& head = bucket(row->held.pointer);
            row->next = head;
            head = row;
            row = next;
        }
    std::free(old);
    return true;
}

void used_blocks::add(const block& made) {
    if (count >= size && !grow()) return;
    node* row = spare;
    if (row)
        spare = row->next;
    else
        row = static_cast<node*>(std::malloc(sizeof(node)));
    if (!row) return;
    node*& head = bucket(made.pointer);
    *row = {made, head};
    head = row;
    ++count;
}

bool used_blocks::remove(driver::device_pointer pointer, block& removed) {
    if (!size) return false;
    for (node** at = &bucket(pointer); *at; at = &(*at)->next)
        if ((*at)->held.pointer == pointer) {
            removed = (*at)->held;
            drop(at);
            return true;
        }
    return false;
}

void kept_blocks::add(const block& freed) {
    blocks[count] = freed;
    __atomic_store_n(&count, count + 1, __ATOMIC_RELAXED);
}

std::size_t kept_blocks::bytes_of(driver::device device) const {
    std::size_t sum = 0;
    for (int i = 0; i < count; ++i)
        if (blocks[i].device == device) sum += blocks[i].bytes;
    return sum;
}

void kept_blocks::close_gap(int at) {
    std::memmove(&blocks[at], &blocks[at + 1],
                 static_cast<std::size_t>(count - at - 1) * sizeof(block));
    __atomic_store_n(&count, count - 1, __ATOMIC_RELAXED);
}

}  // namespace attach::pooled
