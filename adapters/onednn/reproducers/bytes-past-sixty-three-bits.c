/* SYCL build: data of 2^62 elements of four bytes, whose dims and count 64 bits hold. */
#include "reshape.h"

int main(void) {
    const int64_t dims[] = {INT64_C(1) << 31, INT64_C(1) << 31}, shape[] = {-1};
    puts("reproduced if the process ends here");
    return refused(dnnl_f32, 2, dims, 1, shape, NULL, NULL);
}
