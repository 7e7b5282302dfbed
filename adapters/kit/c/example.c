/* A complete adapter: the Reshape of ONNX 14 in plain C. cc -std=c11 -Wall -Wextra -Werror -pedantic -o example example.c */
#include "reshape_adapter.h"

typedef struct { int64_t target[64]; size_t rank; bool literal; } node;

static void *compile(const ra_request *request, ra_reply *reply) {
    const ra_target *target = &request->target;
    const ra_attribute *allowzero = ra_find(request, "allowzero");
    bool list = target->element_type && strcmp(target->element_type, "i64") == 0 && target->rank == 1 && target->count <= 64;
    if (!list) ra_reject(reply, "the target is not a list of up to 64 values of i64");
    if (allowzero && allowzero->kind != RA_INTEGER) ra_reject(reply, "allowzero is not an integer");
    if (request->attribute_count > (allowzero != NULL)) ra_reject(reply, "an attribute besides allowzero");
    node *self = ra_new(1, sizeof *self);
    self->rank = target->count;
    self->literal = allowzero && allowzero->integer;
    if (list && target->values) memcpy(self->target, target->values, target->count * sizeof *target->values);
    return self;
}

static void run(void *compiled, const ra_tensor *data, const ra_tensor *target, ra_reply *reply) {
    const node *self = compiled;
    const int64_t *values = target ? target->bytes : self->target;
    int64_t shape[64], *inferred = NULL, total = (int64_t)data->count, product = 1;
    bool zero = false, good = true;
    for (size_t i = 0; i < self->rank; i++) {
        shape[i] = values[i] || self->literal ? values[i] : i < data->rank ? data->shape[i] : -2;
        zero |= values[i] == 0 && self->literal;
        good &= shape[i] >= -1 && !(shape[i] == -1 && inferred);
        if (shape[i] == -1) inferred = &shape[i];
        else if (good) product = shape[i] > 0 && product > INT64_MAX / shape[i] ? INT64_MAX : product * shape[i];
    }
    good &= !inferred || (!zero && product > 0);
    if (inferred && product) product *= *inferred = total / product;
    if (!good || product != total) ra_reject(reply, "the target does not fit the data");
    else memcpy(ra_output(reply, data->element_type, self->rank, shape), data->bytes, data->size);
}

int main(void) {
    const ra_supports all = {"onnx.Reshape-14", "f32, i64", "constant-static, constant-dynamic, runtime-static, runtime-dynamic"};
    ra_window(16);
    return ra_serve(&(ra_adapter){"example", "1", "none", false, (const ra_supports[]){all, {0}}, compile, run, free});
}
