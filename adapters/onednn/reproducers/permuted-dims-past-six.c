/* SYCL build (and the older build): seven permuted dims become one, in the layout that the library chooses. */
#include "reshape.h"

int main(void) {
    /* With six dims, or with dnnl_graph_layout_type_strided, the same is computed, and right. */
    enum { RANK = 7 };
    const int64_t dims[RANK] = {2, 2, 2, 2, 2, 2, 2}, strides[RANK] = {1, 2, 4, 8, 16, 32, 64}, shape[] = {128};
    float from[128] = {0}, to[128];
    puts("reproduced if the process ends here");
    return refused_in(dnnl_graph_layout_type_any, strides, dnnl_f32, RANK, dims, 1, shape, from, to);
}
