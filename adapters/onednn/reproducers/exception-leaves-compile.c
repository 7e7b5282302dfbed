/* SYCL build (and the older build): an exception leaves dnnl_graph_partition_compile, for a node that is valid and for one
   that is not. */
#include "reshape.h"

int main(void) {
    /* Seven permuted dims become one, in the layout that the library chooses. With six dims, or with
       dnnl_graph_layout_type_strided, the same is computed, and right.

       Other ways to the same: the element [1] to {274177, 67280421310721}, which multiply to 2^64+1; in 3.13.2 data of
       [2^31, 2^31] to {-1}; in 3.7.2, whose counts are of 32 bits, [6] to {2, 2147483651}, which multiply to 2^32+6. */
    enum { RANK = 7 };
    const int64_t dims[RANK] = {2, 2, 2, 2, 2, 2, 2}, strides[RANK] = {1, 2, 4, 8, 16, 32, 64}, shape[] = {128};
    float from[128] = {0}, to[128];
    need_engine();
    puts("reproduced if the process ends here");
    int said_no = refused_in(dnnl_graph_layout_type_any, strides, dnnl_f32, RANK, dims, 1, shape, from, to);
    puts(said_no ? "not reproduced: refused" : "not reproduced: accepted");
    return 0;
}
