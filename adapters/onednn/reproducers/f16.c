/* sh run.sh sycl f16.c; sh run.sh openmp f16.c; and ONEDNN_MAX_CPU_ISA=AVX2 before it for bf16 */
#include "reshape.h"

int main(void) {
    const int64_t dims[] = {2, 3}, shape[] = {3, 2};
    uint16_t from[6] = {0}, to[6];
    printf("text:   f16 and bf16 are listed, so [3, 2] and [3, 2]\n");
    reshape(dnnl_f16, 2, dims, 2, shape, from, to);
    reshape(dnnl_bf16, 2, dims, 2, shape, from, to);
    return 0;
}
