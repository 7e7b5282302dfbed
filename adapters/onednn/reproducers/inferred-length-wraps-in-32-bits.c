/* OpenMP build: the length of a -1 is inferred from a count of 2^31 elements, which 32 bits do not hold; without the -1 it is taken. */
#include "reshape.h"

int main(void) {
    const int64_t dims[] = {65536, 32768}, whole[] = {2097152, 1024}, shape[] = {-1, 1024};
    if (refused(dnnl_f32, 2, dims, 2, whole, NULL, NULL)) return puts("not reproduced: refused without a -1, too"), 0;
    const char *word = refused(dnnl_f32, 2, dims, 2, shape, NULL, NULL) ? "reproduced: refused" : "not reproduced: taken";
    printf("%s: [65536, 32768] to [-1, 1024]\n", word);
}
