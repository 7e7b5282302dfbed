/* sh run.sh sycl past_64_bits.c; sh run.sh openmp past_64_bits.c */
#include "reshape.h"

int main(void) {
    /* 274177 times 67280421310721 is 2^64+1, which in 64 bits is the one element of the data. */
    const int64_t dims[] = {1}, shape[] = {274177, 67280421310721};
    float from[1] = {1}, to[1];
    printf("text:   not the data's count, so a status that says no\n");
    reshape(dnnl_f32, 1, dims, 2, shape, from, to);
    return 0;
}
