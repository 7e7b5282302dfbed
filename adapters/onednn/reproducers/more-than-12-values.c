/* SYCL build (and the older build): 64 values in the attribute shape, where the library holds DNNL_MAX_NDIMS = 12. */
#include "reshape.h"

int main(void) {
    /* Memory is overwritten within dnnl_graph_partition_compile; AddressSanitizer sees it from 13 values on (a memcpy of
       104 bytes to where 96 are left). With up to 27 an exception ends the process before the damage shows. */
    enum { VALUES = 64 };
    const int64_t dims[] = {6};
    int64_t shape[VALUES];
    for (int i = 0; i < VALUES; i++) shape[i] = i == VALUES - 1 ? 6 : 1;
    float from[6] = {0}, to[6];
    need_engine();
    puts("reproduced if the process ends here");
    int said_no = refused(dnnl_f32, 1, dims, VALUES, shape, from, to);
    puts(said_no ? "not reproduced: refused" : "not reproduced: accepted");
    return 0;
}
