/* One StaticReshape by the C API and nothing else. */
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <oneapi/dnnl/dnnl_graph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(function, ...)                                                                \
    do {                                                                                   \
        dnnl_status_t status = function(__VA_ARGS__);                                      \
        if (status != dnnl_success) {                                                      \
            printf("oneDNN: %s says %s\n", #function, dnnl_status2str(status));            \
            return 1;                                                                      \
        }                                                                                  \
    } while (0)

/* The first dim of the output, as it was inferred. */
static int64_t first_dim;
static dnnl_engine_t engine;

/* Makes the engine. Without one, nothing can be said about the cause: the exit code is 2, and no line begins with a result. */
static inline void need_engine(void) {
    if (engine) return;
    dnnl_status_t status = dnnl_engine_create(&engine, dnnl_cpu, 0);
    if (status == dnnl_success) return;
    printf("could not look: dnnl_engine_create says %s. The SYCL build needs an OpenCL driver of the CPU, which "
           "OCL_ICD_FILENAMES names.\n", dnnl_status2str(status));
    exit(2);
}

/* Says which call said no, if any did; the caller says the result. Without strides the data is row-major. Without a place
   for the output nothing is run. */
static inline int refused_in(dnnl_graph_layout_type_t layout, const int64_t *strides, dnnl_data_type_t type, int rank,
                             const int64_t *dims, size_t count, const int64_t *shape, void *from, void *to) {
    const dnnl_version_t *version = dnnl_version();
    const char *instructions = dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa());
    printf("oneDNN: %d.%d.%d, %s\n", version->major, version->minor, version->patch, instructions);
    fflush(stdout); /* before anything aborts */
    need_engine();
    dnnl_stream_t stream;
    CALL(dnnl_stream_create, &stream, engine, dnnl_stream_default_flags);

    dnnl_graph_logical_tensor_t data, output;
    dnnl_dims_t all = {0}, steps = {0};
    memcpy(all, dims, (size_t)rank * sizeof *dims);
    if (strides) {
        memcpy(steps, strides, (size_t)rank * sizeof *strides);
        CALL(dnnl_graph_logical_tensor_init_with_strides, &data, 0, type, rank, all, steps, dnnl_graph_tensor_property_variable);
    } else {
        CALL(dnnl_graph_logical_tensor_init_with_dims, &data, 0, type, rank, all, dnnl_graph_layout_type_strided,
             dnnl_graph_tensor_property_variable);
    }
    CALL(dnnl_graph_logical_tensor_init, &output, 1, type, DNNL_GRAPH_UNKNOWN_NDIMS, layout, dnnl_graph_tensor_property_variable);
    dnnl_graph_op_t op;
    const uint8_t special_zero = 0;
    CALL(dnnl_graph_op_create, &op, 0, dnnl_graph_op_static_reshape, "reshape");
    CALL(dnnl_graph_op_add_input, op, &data);
    CALL(dnnl_graph_op_add_output, op, &output);
    CALL(dnnl_graph_op_set_attr_s64, op, dnnl_graph_op_attr_shape, shape, count);
    CALL(dnnl_graph_op_set_attr_bool, op, dnnl_graph_op_attr_special_zero, &special_zero, 1);

    dnnl_graph_graph_t graph;
    dnnl_graph_partition_t partition;
    uint8_t supported;
    CALL(dnnl_graph_graph_create, &graph, dnnl_cpu);
    CALL(dnnl_graph_add_op, graph, op);
    CALL(dnnl_graph_graph_finalize, graph);
    CALL(dnnl_graph_graph_filter, graph, dnnl_graph_partition_policy_fusion);
    CALL(dnnl_graph_graph_get_partitions, graph, 1, &partition);
    CALL(dnnl_graph_partition_is_supported, partition, &supported);
    if (!supported) {
        puts("oneDNN: the partition is not supported on this machine");
        return 1;
    }
    dnnl_graph_compiled_partition_t compiled;
    const dnnl_graph_logical_tensor_t *inputs[] = {&data}, *outputs[] = {&output};
    CALL(dnnl_graph_compiled_partition_create, &compiled, partition);
    CALL(dnnl_graph_partition_compile, partition, compiled, 1, inputs, 1, outputs, engine);
    CALL(dnnl_graph_compiled_partition_query_logical_tensor, compiled, 1, &output);
    printf("oneDNN: [");
    for (int i = 0; i < output.ndims; i++) printf(i ? ", %lld" : "%lld", (long long)output.dims[i]);
    printf("]\n");
    first_dim = output.dims[0];
    if (!to) return 0; /* only compiled */

    dnnl_graph_tensor_t input_tensor, output_tensor;
    CALL(dnnl_graph_tensor_create, &input_tensor, &data, engine, from);
    CALL(dnnl_graph_tensor_create, &output_tensor, &output, engine, to);
    const_dnnl_graph_tensor_t input_list[] = {input_tensor}, output_list[] = {output_tensor};
    CALL(dnnl_graph_compiled_partition_execute, compiled, stream, 1, input_list, 1, output_list);
    CALL(dnnl_stream_wait, stream);
    return 0;
}

/* The same with row-major data and output. */
static inline int refused(dnnl_data_type_t type, int rank, const int64_t *dims, size_t count, const int64_t *shape,
                          void *from, void *to) {
    return refused_in(dnnl_graph_layout_type_strided, NULL, type, rank, dims, count, shape, from, to);
}
