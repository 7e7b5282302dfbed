/* sh run.sh openmp bf16_denormals.c; shows on a CPU with AVX512_BF16, and not with ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI */
#include "reshape.h"

int main(void) {
    const int64_t dims[] = {256, 256}, shape[] = {128, 512};
    static uint16_t from[65536], to[65536];
    for (int i = 0; i < 65536; i++) from[i] = (uint16_t)i;
    printf("text:   the same elements\n");
    reshape(dnnl_bf16, 2, dims, 2, shape, from, to);
    int wrong = 0;
    for (int i = 0; i < 65536; i++) {
        if (to[i] == from[i]) continue;
        if (wrong % 64 == 0) printf("oneDNN: %04x became %04x\n", from[i], to[i]);
        wrong++;
    }
    printf("oneDNN: %d of 65536 elements differ\n", wrong);
    return 0;
}
