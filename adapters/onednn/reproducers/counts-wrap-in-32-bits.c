/* OpenMP build: 2 times 2147483651 is 2^32+6, which in 32 bits is the six elements of the data. */
#include "reshape.h"

int main(void) {
    const int64_t dims[] = {6}, shape[] = {2, 2147483651};
    float from[6] = {0}, to[6];
    puts("reproduced if the process ends here");
    return refused(dnnl_f32, 1, dims, 2, shape, from, to);
}
