/* oneDNN Graph through its C API: a graph of one StaticReshape, in every memory layout that the text leaves free. */
#include "reshape_adapter.h"

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <oneapi/dnnl/dnnl_graph.h>

enum { DATA, OUTPUT }; /* the ids of the logical tensors */
#define MOST_BYTES ((size_t)1 << 30)

typedef struct program {
    dnnl_graph_compiled_partition_t compiled;
    dnnl_graph_logical_tensor_t data, output;
    bool in_place;
} program;

static dnnl_engine_t engine;
static dnnl_stream_t stream;

/* Whatever the library does not call a success is its way to say no. */
static bool accepted(ra_reply *reply, const char *function, dnnl_status_t status) {
    if (status != dnnl_success) ra_reject(reply, "%s: %s", function, dnnl_status2str(status));
    return status == dnnl_success;
}
#define CALL(function, ...) accepted(reply, #function, function(__VA_ARGS__))

static bool cannot_say(ra_reply *reply, const char *what) {
    ra_unsupported(reply, "the C API has no way to say it: %s", what);
    return false;
}

static const struct {
    const char *name;
    dnnl_data_type_t type;
} TYPES[] = {
    {"f32", dnnl_f32}, {"f16", dnnl_f16}, {"bf16", dnnl_bf16}, {"f64", dnnl_f64}, {"i32", dnnl_s32}, {"i8", dnnl_s8},
    {"u8", dnnl_u8}, {"bool", dnnl_boolean}, {"f8e5m2", dnnl_f8_e5m2}, {"f8e4m3fn", dnnl_f8_e4m3},
    {"f8e8m0", dnnl_e8m0}, {"f4e2m1", dnnl_f4_e2m1}, {"i4", dnnl_s4}, {"u4", dnnl_u4},
};
#define ALL_TYPES "f32, f16, bf16, f64, i32, i8, u8, bool, f8e5m2, f8e4m3fn, f8e8m0, f4e2m1, i4, u4"

#define OPERATORS "onednn-spec.StaticReshape-1, onednn.StaticReshape"
#define BINDINGS "attribute-static, attribute-permuted, attribute-padded, attribute-library-layout, attribute-in-place, " \
                 "attribute-permuted-in-place"

static dnnl_data_type_t data_type(const char *name) {
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (strcmp(TYPES[i].name, name) == 0) return TYPES[i].type;
    }
    return dnnl_data_type_undef;
}

static bool layout_is(const ra_request *request, const char *layout) {
    return request->layout && strcmp(request->layout, layout) == 0;
}

/* Strides from the innermost dim outward. A product past 64 bits belongs to empty data, where no stride is ever taken. */
static void fill_strides(int64_t *strides, const int64_t *dims, int rank, bool reversed, int64_t gap) {
    int64_t stride = rank == 1 ? 1 + gap : 1;
    for (int i = 0; i < rank; i++) {
        int at = reversed ? i : rank - 1 - i;
        int64_t room = i == 0 ? dims[at] + (dims[at] < INT64_MAX ? gap : 0) : dims[at];
        strides[at] = stride;
        if (room > 0) stride = stride > INT64_MAX / room ? INT64_MAX : stride * room;
    }
}

static bool describe_data(const ra_request *request, dnnl_graph_logical_tensor_t *data, ra_reply *reply) {
    dnnl_data_type_t type = data_type(request->element_type);
    if (type == dnnl_data_type_undef) return cannot_say(reply, request->element_type);
    if (request->rank > DNNL_MAX_NDIMS) return cannot_say(reply, "more than 12 dims");
    int rank = (int)request->rank;
    dnnl_dims_t dims = {0}, strides = {0};
    memcpy(dims, request->dims, request->rank * sizeof *dims);
    bool permuted = layout_is(request, "permuted") || layout_is(request, "permuted-in-place"), padded = layout_is(request, "padded");
    if (rank && (permuted || padded)) {
        fill_strides(strides, dims, rank, permuted, padded ? 1 : 0);
        return CALL(dnnl_graph_logical_tensor_init_with_strides, data, DATA, type, rank, dims, strides,
                    dnnl_graph_tensor_property_variable);
    }
    return CALL(dnnl_graph_logical_tensor_init_with_dims, data, DATA, type, rank, dims, dnnl_graph_layout_type_strided,
                dnnl_graph_tensor_property_variable);
}

/* The attribute shape, as the request has it. */
static bool set_shape(dnnl_graph_op_t op, const ra_target *target, ra_reply *reply) {
    if (target->binding == RA_ABSENT) return true;
    if (target->rank != 1) return cannot_say(reply, "a shape that is not a list");
    if (strcmp(target->element_type, "i64") == 0) {
        return CALL(dnnl_graph_op_set_attr_s64, op, dnnl_graph_op_attr_shape, target->values, target->count);
    }
    if (strcmp(target->element_type, "f32") != 0) return cannot_say(reply, "a shape of this type");
    float *values = ra_new(target->count, sizeof *values);
    for (size_t i = 0; i < target->count; i++) values[i] = (float)target->values[i];
    bool done = CALL(dnnl_graph_op_set_attr_f32, op, dnnl_graph_op_attr_shape, values, target->count);
    free(values);
    return done;
}

/* Any other attribute, by the call for the type that it has. */
static bool set_attribute(dnnl_graph_op_t op, const ra_attribute *attribute, ra_reply *reply) {
    const dnnl_graph_op_attr_t name = dnnl_graph_op_attr_special_zero;
    if (strcmp(attribute->name, "special_zero") != 0) return cannot_say(reply, attribute->name);
    const uint8_t boolean = attribute->integer != 0;
    const float number = (float)attribute->number;
    switch (attribute->kind) {
    case RA_BOOLEAN: return CALL(dnnl_graph_op_set_attr_bool, op, name, &boolean, 1);
    case RA_INTEGER: return CALL(dnnl_graph_op_set_attr_s64, op, name, &attribute->integer, 1);
    case RA_INTEGERS: return CALL(dnnl_graph_op_set_attr_s64, op, name, attribute->integers, attribute->count);
    case RA_NUMBER: return CALL(dnnl_graph_op_set_attr_f32, op, name, &number, 1);
    case RA_STRING: return CALL(dnnl_graph_op_set_attr_str, op, name, attribute->string, attribute->count);
    }
    return false;
}

/* Compiles a graph of one op with one input and one output, and asks what became of the output. */
static bool compile_op(dnnl_graph_op_t op, dnnl_graph_compiled_partition_t *compiled, const dnnl_graph_logical_tensor_t *input,
                       dnnl_graph_logical_tensor_t *output, ra_reply *reply) {
    dnnl_graph_graph_t graph = NULL;
    dnnl_graph_partition_t partition = NULL;
    const dnnl_graph_logical_tensor_t *inputs[] = {input}, *outputs[] = {output};
    size_t count = 0;
    uint8_t supported = 0;
    bool good = CALL(dnnl_graph_op_add_input, op, input) && CALL(dnnl_graph_op_add_output, op, output) &&
                CALL(dnnl_graph_graph_create, &graph, dnnl_cpu) && CALL(dnnl_graph_add_op, graph, op) &&
                CALL(dnnl_graph_graph_finalize, graph) &&
                CALL(dnnl_graph_graph_filter, graph, dnnl_graph_partition_policy_fusion) &&
                CALL(dnnl_graph_graph_get_partition_num, graph, &count);
    if (good && count != 1) ra_bug("%zu partitions of one op", count);
    good = good && CALL(dnnl_graph_graph_get_partitions, graph, 1, &partition) &&
           CALL(dnnl_graph_partition_is_supported, partition, &supported);
    if (good && !supported) ra_reject(reply, "dnnl_graph_partition_is_supported: no");
    good = good && supported && CALL(dnnl_graph_compiled_partition_create, compiled, partition) &&
           CALL(dnnl_graph_partition_compile, partition, *compiled, 1, inputs, 1, outputs, engine) &&
           CALL(dnnl_graph_compiled_partition_query_logical_tensor, *compiled, output->id, output);
    dnnl_graph_partition_destroy(partition);
    dnnl_graph_graph_destroy(graph);
    return good;
}

/* Whether input and output may share a buffer: the caller may do so only where the library says it. */
static bool offers_in_place(dnnl_graph_compiled_partition_t compiled, ra_reply *reply) {
    size_t count = 0;
    const dnnl_graph_inplace_pair_t *pairs = NULL;
    return CALL(dnnl_graph_compiled_partition_get_inplace_ports, compiled, &count, &pairs) && count > 0;
}

static void *compile(const ra_request *request, ra_reply *reply) {
    program *self = ra_new(1, sizeof *self);
    bool in_place = layout_is(request, "in-place"), permuted_in_place = layout_is(request, "permuted-in-place");
    bool library = layout_is(request, "library") || permuted_in_place;
    dnnl_graph_layout_type_t layout = library ? dnnl_graph_layout_type_any : dnnl_graph_layout_type_strided;
    dnnl_graph_op_t op = NULL;
    bool good = describe_data(request, &self->data, reply) &&
                CALL(dnnl_graph_logical_tensor_init, &self->output, OUTPUT, self->data.data_type, DNNL_GRAPH_UNKNOWN_NDIMS, layout,
                     dnnl_graph_tensor_property_variable) &&
                CALL(dnnl_graph_op_create, &op, 0, dnnl_graph_op_static_reshape, "reshape") &&
                set_shape(op, &request->target, reply);
    for (size_t i = 0; good && i < request->attribute_count; i++) good = set_attribute(op, &request->attributes[i], reply);
    good = good && compile_op(op, &self->compiled, &self->data, &self->output, reply);
    self->in_place = good && (in_place || permuted_in_place) && offers_in_place(self->compiled, reply);
    if (good && self->output.ndims > DNNL_MAX_NDIMS) ra_bug("the library speaks of %d dims", self->output.ndims);
    if (good && self->output.ndims >= 0) ra_infer(reply, (size_t)self->output.ndims, self->output.dims);
    dnnl_graph_op_destroy(op);
    return self;
}

/* Copies elements between row-major memory without gaps and memory with the strides of a logical tensor. */
static void copy_strided(const dnnl_graph_logical_tensor_t *tensor, void *strided, void *plain, size_t element, bool to_strided) {
    int64_t at[DNNL_MAX_NDIMS] = {0}, offset = 0;
    size_t count = 1;
    for (int dim = 0; dim < tensor->ndims; dim++) count *= (size_t)tensor->dims[dim];
    for (size_t i = 0; i < count; i++) {
        char *there = (char *)strided + offset * (int64_t)element, *here = (char *)plain + i * element;
        memcpy(to_strided ? there : here, to_strided ? here : there, element);
        for (int dim = tensor->ndims - 1; dim >= 0; dim--) { /* on to the next index, carrying over */
            offset += tensor->layout.strides[dim];
            if (++at[dim] < tensor->dims[dim]) break;
            offset -= at[dim] * tensor->layout.strides[dim];
            at[dim] = 0;
        }
    }
}

/* Memory for a tensor, aligned as the library likes it and filled with what is no content. */
static bool allocate(const dnnl_graph_logical_tensor_t *tensor, void **bytes, ra_reply *reply) {
    size_t size = 0;
    if (!CALL(dnnl_graph_logical_tensor_get_mem_size, tensor, &size)) return false;
    if (size > MOST_BYTES) ra_bug("a tensor of %zu bytes", size);
    size_t room = (size + 64) / 64 * 64;
    *bytes = aligned_alloc(64, room);
    if (!*bytes) ra_bug("no memory for %zu bytes", room);
    memset(*bytes, 0xa5, room);
    return true;
}

static bool execute(dnnl_graph_compiled_partition_t compiled, dnnl_graph_tensor_t input, dnnl_graph_tensor_t output,
                    ra_reply *reply) {
    const_dnnl_graph_tensor_t inputs[] = {input}, outputs[] = {output};
    return CALL(dnnl_graph_compiled_partition_execute, compiled, stream, 1, inputs, 1, outputs) && CALL(dnnl_stream_wait, stream);
}

static void run(void *compiled, const ra_tensor *data, const ra_tensor *target, ra_reply *reply) {
    program *self = compiled;
    (void)target;
    if ((int)data->rank != self->data.ndims || memcmp(data->shape, self->data.dims, data->rank * sizeof *data->shape)) {
        ra_bug("the data is not what was declared");
    }
    dnnl_graph_tensor_t input = NULL, output = NULL;
    void *from = NULL, *to = NULL;
    size_t element = data->count ? data->size / data->count : 0;
    if (element * data->count != data->size) {
        ra_unsupported(reply, "elements of less than a byte");
        return;
    }
    bool good = allocate(&self->data, &from, reply) && (self->in_place || allocate(&self->output, &to, reply));
    if (good) copy_strided(&self->data, from, (void *)data->bytes, element, true);
    if (self->in_place) to = from;
    good = good && CALL(dnnl_graph_tensor_create, &input, &self->data, engine, from) &&
           CALL(dnnl_graph_tensor_create, &output, &self->output, engine, to) &&
           execute(self->compiled, input, output, reply);
    if (good && self->output.layout_type != dnnl_graph_layout_type_strided) {
        ra_unsupported(reply, "an output of the layout %d", (int)self->output.layout_type);
    } else if (good) {
        void *bytes = ra_output(reply, data->element_type, (size_t)self->output.ndims, self->output.dims);
        copy_strided(&self->output, to, bytes, element, false);
    }
    if (output) dnnl_graph_tensor_destroy(output);
    if (input) dnnl_graph_tensor_destroy(input);
    if (to != from) free(to);
    free(from);
}

static void release(void *compiled) {
    program *self = compiled;
    if (self->compiled) dnnl_graph_compiled_partition_destroy(self->compiled);
    free(self);
}

static bool has(dnnl_cpu_isa_t isa, dnnl_cpu_isa_t wanted) { return ((unsigned)isa & (unsigned)wanted) == (unsigned)wanted; }

/* The library computes in these types only on a CPU with instructions for them. */
static void say_what_the_cpu_lacks(dnnl_cpu_isa_t isa) {
    bool converts = has(isa, dnnl_cpu_isa_avx2_vnni_2);
    if (!converts && !has(isa, dnnl_cpu_isa_avx512_core_fp16)) {
        ra_unavailable(OPERATORS, "f16", BINDINGS, "oneDNN computes in f16 only on a CPU with AVX512-FP16 or AVX-NE-CONVERT");
    }
    if (!converts && !has(isa, dnnl_cpu_isa_avx512_core)) {
        ra_unavailable(OPERATORS, "bf16", BINDINGS, "oneDNN computes in bf16 only on a CPU with AVX-512 or AVX-NE-CONVERT");
    }
}

int main(void) {
    ra_hide_stdout();
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) ra_bug("there is no CPU engine");
    if (dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) != dnnl_success) ra_bug("there is no stream");
    /* What it does depends on the build, and on the instructions that it finds. */
    char version[128];
    const dnnl_version_t *parts = dnnl_version();
    dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    say_what_the_cpu_lacks(isa);
    const char *instructions = dnnl_cpu_isa2str(isa);
    if (strncmp(instructions, "cpu_isa_", 8) == 0) instructions += 8;
    unsigned runtime = parts->cpu_runtime;
    const char *build = runtime == DNNL_RUNTIME_SYCL ? "SYCL" : runtime == DNNL_RUNTIME_OMP ? "OpenMP" : "another runtime";
    snprintf(version, sizeof version, "%d.%d.%d (%s, %s)", parts->major, parts->minor, parts->patch, build, instructions);
    ra_infers();
    const ra_supports supports[] = {
        {OPERATORS, ALL_TYPES, BINDINGS},
        {NULL, NULL, NULL},
    };
    return ra_serve(&(ra_adapter){"onednn", version, "none", false, supports, compile, run, release});
}
