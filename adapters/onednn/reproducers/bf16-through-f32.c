/* OpenMP build, on a CPU with AVX512_BF16 (and not with ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI): every bit pattern of bf16, reshaped. */
#include "reshape.h"

int main(void) {
    const int64_t dims[] = {256, 256}, shape[] = {128, 512};
    static uint16_t from[65536], to[65536];
    for (int i = 0; i < 65536; i++) from[i] = (uint16_t)i;
    if (refused(dnnl_bf16, 2, dims, 2, shape, from, to)) return puts("not reproduced: refused"), 0;
    int wrong = 0, first = 0;
    for (int i = 65535; i >= 0; i--) {
        if (to[i] != from[i]) wrong++, first = i;
    }
    if (wrong == 0) puts("not reproduced: the same elements");
    if (wrong != 0) printf("reproduced: %d of 65536 elements differ; %04x became %04x\n", wrong, from[first], to[first]);
    return 0;
}
