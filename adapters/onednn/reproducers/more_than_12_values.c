/* sh run.sh sycl more_than_12_values.c; sh run.sh openmp more_than_12_values.c */
#include "reshape.h"

int main(void) {
    /* Memory is overwritten within dnnl_graph_partition_compile; AddressSanitizer sees it from 13 values on (a memcpy of
       104 bytes to where 96 are left). With up to 24 an exception ends the process before the damage shows. */
    enum { VALUES = 64 };
    const int64_t dims[] = {6};
    int64_t shape[VALUES];
    for (int i = 0; i < VALUES; i++) shape[i] = i == VALUES - 1 ? 6 : 1;
    float from[6] = {0}, to[6];
    printf("text:   %d dims; the library holds %d, so a status that says no would do\n", VALUES, DNNL_MAX_NDIMS);
    reshape(dnnl_f32, 1, dims, VALUES, shape, from, to);
    return 0;
}
