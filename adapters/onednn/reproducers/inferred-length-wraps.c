/* SYCL build: the length of a -1 is inferred from a count of 2^64 elements, which 64 bits hold as 0. */
#include "reshape.h"

int main(void) {
    const int64_t half = INT64_C(1) << 32, dims[] = {half, half}, shape[] = {-1, half};
    if (refused(dnnl_f32, 2, dims, 2, shape, NULL, NULL)) return puts("not reproduced: refused"), 0;
    const char *word = first_dim == half ? "not reproduced" : "reproduced";
    printf("%s: the -1 becomes %lld\n", word, (long long)first_dim);
}
