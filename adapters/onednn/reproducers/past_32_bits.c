/* sh run.sh openmp past_32_bits.c; of the two builds, the newer one counts in 64 bits */
#include "reshape.h"

int main(void) {
    /* In 32 bits the other dims multiply to 0, and a -1 could be anything. */
    const int64_t empty[] = {0}, beside[] = {-1, 65536, 65536};
    float from[6] = {0}, to[6];
    printf("text:   [0, 65536, 65536]\n");
    reshape(dnnl_f32, 1, empty, 3, beside, from, to);

    /* 2 times 2147483651 is 2^32+6, which in 32 bits is the six elements of the data. */
    const int64_t dims[] = {6}, shape[] = {2, 2147483651};
    printf("text:   not the data's count, so a status that says no\n");
    reshape(dnnl_f32, 1, dims, 2, shape, from, to);
    return 0;
}
