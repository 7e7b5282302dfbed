/* How to connect a backend written in C or C++, or with a C API, to reshape-conformance.
 *
 * An adapter is a program that speaks the protocol (docs/protocol.md). This file, included once, speaks it: C11 or
 * C++17, POSIX, and nothing besides libc. The author writes three functions and passes them to ra_serve:
 *
 *     #include "reshape_adapter.h"
 *
 *     static void *compile(const ra_request *request, ra_reply *reply) {
 *         mine *program = mine_build(request->rank, request->dims, request->target.values);
 *         if (!program) ra_reject(reply, "%s", mine_error());      // rejected
 *         return program;                                          // passed to run and release
 *     }
 *     static void run(void *program, const ra_tensor *data, const ra_tensor *target, ra_reply *reply) {
 *         void *output = ra_output(reply, data->element_type, mine_rank(program), mine_dims(program));
 *         if (mine_run(program, data->bytes, output)) ra_reject(reply, "%s", mine_error());
 *     }
 *     static void release(void *program) { mine_free(program); }
 *
 *     int main(void) {
 *         const ra_supports supports[] = {{"onnx.Reshape-14", "f32, i64", "constant-static, runtime-static"}, {0}};
 *         const ra_adapter adapter = {"mine", "1.0", "none", false, supports, compile, run, release};
 *         return ra_serve(&adapter);
 *     }
 *
 * A shim has three answers:
 * - `ra_reject`: the backend rejected the request. Use it only after a call of the backend failed. `ra_reject_internal`
 *   means that it ran into an error, instead of checking the request and refusing it.
 * - `ra_unsupported`: the backend has no way to do this, although `supports` claims it.
 * - `ra_bug`: a fault of the adapter itself. It ends the process, which is reported as a crash.
 *
 * What the backend prints on stdout goes to stderr. Every size in a message is bounded; a message that breaks the
 * protocol ends the process. example.c next to this file is a complete adapter. */
#ifndef RESHAPE_ADAPTER_H
#define RESHAPE_ADAPTER_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__GNUC__)
#define RAI_LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define RAI_LIKE_PRINTF(text, first)
#endif

/* ---- the public interface ------------------------------------------------------------------------------------- */

/* A declared dim that is unknown before the run. */
#define RA_UNKNOWN ((int64_t)-1)

/* A tensor as the protocol sends it: little-endian, row-major, sub-byte elements packed. `bytes` is aligned to 16. */
typedef struct ra_tensor {
    const char *element_type;
    size_t rank;
    const int64_t *shape;
    size_t count; /* number of elements */
    const void *bytes;
    size_t size; /* in bytes */
} ra_tensor;

typedef enum ra_kind { RA_INTEGER, RA_INTEGERS, RA_BOOLEAN, RA_NUMBER, RA_STRING } ra_kind;

/* An attribute of the node. Fields of other kinds are zero. */
typedef struct ra_attribute {
    const char *name;
    ra_kind kind;
    int64_t integer; /* for a boolean 0 or 1 */
    double number;
    const char *string; /* ends with a NUL, and may contain others: see `count` */
    const int64_t *integers;
    size_t count; /* number of integers, or of the string's bytes */
} ra_attribute;

typedef enum ra_binding { RA_ATTRIBUTE, RA_CONSTANT, RA_RUNTIME, RA_ABSENT } ra_binding;

/* Where the target shape comes from. */
typedef struct ra_target {
    ra_binding binding;
    const char *element_type; /* NULL for RA_ABSENT */
    size_t rank;              /* of the target tensor itself: 1 for a list */
    const int64_t *shape;
    const int64_t *values; /* NULL for a runtime target. Read the values of a u64 target as uint64_t */
    size_t count;
} ra_target;

/* A part of the model, in the format that the adapter declared. */
typedef struct ra_bytes {
    const void *bytes; /* NULL if it is absent */
    size_t size;
} ra_bytes;

/* The argument of `compile`. It is valid until `compile` returns. */
typedef struct ra_request {
    const char *op; /* such as onnx.Reshape-14 */
    const char *element_type;
    size_t rank;
    const int64_t *dims; /* of the data; RA_UNKNOWN for undeclared dims */
    const char *layout;  /* of the data in memory; NULL for row-major */
    bool infer_only;     /* nothing will run: the data is too large to materialize; only after ra_infers */
    ra_target target;
    const ra_attribute *attributes;
    size_t attribute_count;
    ra_bytes model, xml, bin; /* `model` with "onnx", the other two with "openvino-ir" */
} ra_request;

typedef struct ra_reply ra_reply;

/* One entry of the capabilities: names separated by commas. */
typedef struct ra_supports {
    const char *operators, *element_types, *bindings;
} ra_supports;

typedef struct ra_adapter {
    const char *name, *version;
    const char *model; /* "none", "onnx" or "openvino-ir" */
    bool infer_only;   /* then `compile` calls ra_infer, and `run` is never called */
    const ra_supports *supports; /* the last entry is {0} */
    void *(*compile)(const ra_request *request, ra_reply *reply);
    void (*run)(void *compiled, const ra_tensor *data, const ra_tensor *target, ra_reply *reply);
    void (*release)(void *compiled); /* called for what `compile` returned, rejected or not, unless it is NULL */
} ra_adapter;

/* Answers the runner until it sends `bye`. Returns the exit code of main. */
static inline int ra_serve(const ra_adapter *adapter);

/* Redirects stdout to stderr. ra_serve does it too; call it first if the backend is used before ra_serve. */
static inline void ra_hide_stdout(void);

/* Before ra_serve, optional: the part of `supports` that this machine cannot do, and why. The strings must stay valid. */
static inline void ra_unavailable(const char *operators, const char *element_types, const char *bindings, const char *reason);

/* Before ra_serve, optional: what the adapter cannot pass to the backend, as a JSON object such as "{\"rank\": 8}". The
 * runner skips such trials. docs/adapters.md has all limits. The string must stay valid. */
static inline void ra_limits(const char *json);

/* Before ra_serve, optional: `compile` calls ra_infer even for data that is too large to materialize. */
static inline void ra_infers(void);

/* Before ra_serve, optional: the number of requests that the runner may send before the first answer; 1 by default. */
static inline void ra_window(size_t requests);

static inline void ra_reject(ra_reply *reply, const char *format, ...) RAI_LIKE_PRINTF(2, 3);
static inline void ra_reject_internal(ra_reply *reply, const char *format, ...) RAI_LIKE_PRINTF(2, 3);
static inline void ra_unsupported(ra_reply *reply, const char *format, ...) RAI_LIKE_PRINTF(2, 3);
static inline void ra_bug(const char *format, ...) RAI_LIKE_PRINTF(1, 2);

/* In `compile`, optional: the output shape that the backend inferred. */
static inline void ra_infer(ra_reply *reply, size_t rank, const int64_t *dims);

/* In `run`: returns the zeroed bytes of the output, to be filled. For strings use ra_output_of_size. */
static inline void *ra_output(ra_reply *reply, const char *element_type, size_t rank, const int64_t *shape);
static inline void *ra_output_of_size(ra_reply *reply, const char *element_type, size_t rank, const int64_t *shape, size_t size);

/* In `run`, instead of ra_output: sends the `size` bytes of an output from the backend's own memory. After the next run of
 * the model, the kit checks that they have not changed. If the backend's documentation says that a run overwrites the
 * previous output, copy the output into ra_output instead. The bytes must stay readable until the kit calls `release` with
 * `owner`, after that run or when the model is released. */
static inline void ra_output_of_owner(ra_reply *reply, const char *element_type, size_t rank, const int64_t *shape,
                                      const void *bytes, size_t size, void *owner, void (*release)(void *owner));

/* In `run`, instead of ra_output: the backend returned this shape without its elements. */
static inline void ra_claim(ra_reply *reply, const char *element_type, size_t rank, const int64_t *shape);

/* Zeroed memory for `count` items of `size` bytes, never NULL. Free it with `free`. */
static inline void *ra_new(size_t count, size_t size);

/* The attribute of this name, or NULL. */
static inline const ra_attribute *ra_find(const ra_request *request, const char *name);

/* ---- the implementation -------------------------------------------------------------------------------------------- */

#define RAI_MOST_LINE ((size_t)1 << 20)
#define RAI_MOST_DEPTH 64

typedef enum { RAI_COMPILED, RAI_RESHAPED, RAI_REJECTED, RAI_UNSUPPORTED } rai_answer;

/* An output in the backend's own memory, which is checked again. */
typedef struct rai_kept {
    const unsigned char *bytes;
    size_t size;
    uint64_t checksum;
    void *owner;
    void (*release)(void *owner); /* NULL if nothing is kept */
} rai_kept;

struct ra_reply {
    rai_answer answer;
    rai_kept kept;
    bool earlier_changed; /* the output of the previous run */
    char message[4096];
    bool has_shape; /* an output, or an inferred shape */
    const char *element_type;
    bool internal; /* a rejection by an error of the backend */
    bool claimed; /* a shape without its elements */
    size_t rank;
    int64_t *shape;
    unsigned char *bytes;
    size_t size;
};

static inline void ra_bug(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("adapter: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static inline void *ra_new(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) ra_bug("no memory for %zu times %zu bytes", count, size);
    return memory;
}

static inline void *rai_resize(void *memory, size_t size) {
    memory = realloc(memory, size ? size : 1);
    if (!memory) ra_bug("no memory for %zu bytes", size);
    return memory;
}

/* A text that grows. */
typedef struct rai_text {
    char *bytes;
    size_t size, room;
} rai_text;

static inline void rai_add(rai_text *text, const void *bytes, size_t size) {
    if (size > text->room - text->size) {
        text->room = 2 * (text->size + size);
        text->bytes = (char *)rai_resize(text->bytes, text->room);
    }
    if (size) memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

static inline void rai_say(rai_text *text, const char *words) { rai_add(text, words, strlen(words)); }

static inline void rai_print(rai_text *text, const char *format, ...) RAI_LIKE_PRINTF(2, 3);
static inline void rai_print(rai_text *text, const char *format, ...) {
    char piece[256];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof piece) ra_bug("a piece of %d bytes", size);
    rai_add(text, piece, (size_t)size);
}

/* The number of bytes of the first UTF-8 character; 0 if it is invalid. */
static inline size_t rai_character(const char *start, size_t room) {
    const unsigned char *byte = (const unsigned char *)start;
    if (!room || byte[0] < 0x80) return room ? 1 : 0;
    size_t size = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    if (byte[0] < 0xc2 || byte[0] > 0xf4 || size > room) return 0;
    for (size_t i = 1; i < size; i++) {
        if ((byte[i] & 0xc0) != 0x80) return 0;
    }
    bool overlong = (byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xf0 && byte[1] < 0x90);
    bool surrogate = byte[0] == 0xed && byte[1] > 0x9f, beyond = byte[0] == 0xf4 && byte[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : size;
}

/* A text as a JSON string. Bytes that are not UTF-8 become question marks: a backend's message may contain any bytes. */
static inline void rai_quote(rai_text *text, const char *string, size_t size) {
    rai_say(text, "\"");
    for (size_t at = 0; at < size;) {
        unsigned char byte = (unsigned char)string[at];
        size_t length = rai_character(string + at, size - at);
        if (byte == '"' || byte == '\\') rai_print(text, "\\%c", byte);
        else if (byte < 0x20) rai_print(text, "\\u%04x", byte);
        else if (!length) rai_say(text, "?");
        else rai_add(text, string + at, length);
        at += length ? length : 1;
    }
    rai_say(text, "\"");
}

/* "a, b" as ["a","b"]. */
static inline void rai_quote_names(rai_text *text, const char *names) {
    const char *separator = "[";
    while (*names) {
        names += strspn(names, ", ");
        size_t size = strcspn(names, ",");
        if (!size) break;
        rai_say(text, separator);
        rai_quote(text, names, size);
        separator = ",";
        names += size;
    }
    if (*separator == '[') rai_say(text, separator);
    rai_say(text, "]");
}

static inline void rai_list(rai_text *text, const int64_t *dims, size_t rank, bool unknown) {
    rai_say(text, "[");
    for (size_t i = 0; i < rank; i++) {
        if (i) rai_say(text, ",");
        if (unknown && dims[i] == RA_UNKNOWN) rai_say(text, "null");
        else rai_print(text, "%lld", (long long)dims[i]);
    }
    rai_say(text, "]");
}

/* ---- JSON: a line becomes a tree of values that point into it ---- */

typedef enum { RAI_NULL, RAI_FALSE, RAI_TRUE, RAI_NUMBER, RAI_STRING, RAI_LIST, RAI_OBJECT } rai_type;

typedef struct rai_value {
    rai_type type;
    const char *name; /* within an object */
    const char *text; /* of a string, followed by a NUL */
    size_t count;     /* the string's bytes, or the list's values */
    bool whole, negative; /* a number without fraction and exponent, within 64 bits, is `magnitude` and a sign */
    uint64_t magnitude;
    double number;
    struct rai_value *first, *next;
} rai_value;

typedef struct rai_parser {
    char *at, *end; /* *end is NUL */
    rai_value *values;
    size_t used, room;
} rai_parser;

static inline void rai_space(rai_parser *parser) {
    while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\r') parser->at++;
}

static inline bool rai_take(rai_parser *parser, char wanted) {
    rai_space(parser);
    if (*parser->at != wanted) return false;
    parser->at++;
    return true;
}

static inline void rai_need(rai_parser *parser, char wanted) {
    if (!rai_take(parser, wanted)) ra_bug("not JSON: '%c' is missing", wanted);
}

/* The four hex digits of a \u escape. */
static inline uint32_t rai_hex(rai_parser *parser) {
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *digit = *parser->at ? strchr(digits, *parser->at) : NULL;
        if (!digit) ra_bug("not JSON: an escape without its digits");
        code = code << 4 | (uint32_t)((digit - digits) % 16);
        parser->at++;
    }
    return code;
}

/* Writes a character as UTF-8, which is never longer than its escape. */
static inline char *rai_put(char *to, uint32_t code) {
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)(((0xf80 >> more) & 0xff) | code >> 6 * more);
    while (more--) *to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return to;
}

static inline uint32_t rai_escape(rai_parser *parser) {
    const char *letters = "\"\\/bfnrt", *meanings = "\"\\/\b\f\n\r\t";
    char letter = *parser->at;
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (!found && letter != 'u') ra_bug("not JSON: an unknown escape");
    parser->at++;
    if (found) return (unsigned char)meanings[found - letters];
    uint32_t code = rai_hex(parser);
    if (code < 0xd800 || code > 0xdfff) return code;
    if (code > 0xdbff || parser->at[0] != '\\' || parser->at[1] != 'u') ra_bug("not JSON: half a character");
    parser->at += 2;
    uint32_t low = rai_hex(parser);
    if (low < 0xdc00 || low > 0xdfff) ra_bug("not JSON: half a character");
    return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

/* A string is decoded in place; the NUL takes the place of its closing quote, or of something before that. */
static inline const char *rai_string(rai_parser *parser, size_t *size) {
    rai_need(parser, '"');
    char *start = parser->at, *to = start;
    while (*parser->at != '"') {
        size_t length = rai_character(parser->at, (size_t)(parser->end - parser->at));
        if (!length || (unsigned char)*parser->at < 0x20) ra_bug("not JSON: an invalid string");
        if (*parser->at == '\\') {
            parser->at++;
            to = rai_put(to, rai_escape(parser));
        } else {
            memmove(to, parser->at, length);
            to += length;
            parser->at += length;
        }
    }
    parser->at++;
    *to = 0;
    *size = (size_t)(to - start);
    return start;
}

static inline size_t rai_digits(rai_parser *parser) {
    size_t count = strspn(parser->at, "0123456789");
    if (!count) ra_bug("not JSON: a number without digits");
    parser->at += count;
    return count;
}

static inline void rai_number(rai_parser *parser, rai_value *value) {
    const char *start = parser->at;
    value->type = RAI_NUMBER;
    value->negative = *parser->at == '-';
    parser->at += value->negative;
    const char *digit = parser->at;
    if (rai_digits(parser) > 1 && *digit == '0') ra_bug("not JSON: a number that starts with 0");
    value->whole = true;
    for (; digit < parser->at; digit++) {
        uint64_t worth = (uint64_t)(*digit - '0');
        if (value->magnitude > (UINT64_MAX - worth) / 10) value->whole = false;
        else value->magnitude = value->magnitude * 10 + worth;
    }
    if (*parser->at == '.') {
        parser->at++;
        rai_digits(parser);
        value->whole = false;
    }
    if (*parser->at == 'e' || *parser->at == 'E') {
        parser->at++;
        parser->at += *parser->at == '+' || *parser->at == '-';
        rai_digits(parser);
        value->whole = false;
    }
    value->number = strtod(start, NULL);
}

static inline rai_value *rai_parse(rai_parser *parser, int depth) {
    if (depth > RAI_MOST_DEPTH) ra_bug("a message of more than %d levels", RAI_MOST_DEPTH);
    if (parser->used == parser->room) ra_bug("a message of more values than it has room for");
    rai_value *value = &parser->values[parser->used++], **next = &value->first;
    rai_space(parser);
    char first = *parser->at;
    if (first == '{' || first == '[') {
        char last = first == '{' ? '}' : ']';
        value->type = first == '{' ? RAI_OBJECT : RAI_LIST;
        parser->at++;
        if (rai_take(parser, last)) return value;
        do {
            const char *name = NULL;
            if (value->type == RAI_OBJECT) {
                size_t size;
                name = rai_string(parser, &size);
                rai_need(parser, ':');
            }
            *next = rai_parse(parser, depth + 1);
            (*next)->name = name;
            next = &(*next)->next;
            value->count++;
        } while (rai_take(parser, ','));
        rai_need(parser, last);
    } else if (first == '"') {
        value->type = RAI_STRING;
        value->text = rai_string(parser, &value->count);
    } else if (first == '-' || (first >= '0' && first <= '9')) {
        rai_number(parser, value);
    } else {
        const char *words[] = {"null", "false", "true"};
        int word = first == 'n' ? 0 : first == 'f' ? 1 : 2;
        if (strncmp(parser->at, words[word], strlen(words[word])) != 0) ra_bug("not JSON: an invalid value");
        value->type = (rai_type)word;
        parser->at += strlen(words[word]);
    }
    return value;
}

static inline const rai_value *rai_field(const rai_value *object, const char *name) {
    for (const rai_value *field = object->type == RAI_OBJECT ? object->first : NULL; field; field = field->next) {
        if (strcmp(field->name, name) == 0 && field->type != RAI_NULL) return field;
    }
    return NULL;
}

static inline const rai_value *rai_typed(const rai_value *object, const char *name, rai_type type) {
    const rai_value *field = rai_field(object, name);
    if (!field || field->type != type) ra_bug("no '%s' of the right type in a message", name);
    return field;
}

static inline const char *rai_word(const rai_value *object, const char *name) {
    return rai_typed(object, name, RAI_STRING)->text;
}

static inline uint64_t rai_count(const rai_value *object, const char *name) {
    const rai_value *field = rai_typed(object, name, RAI_NUMBER);
    if (!field->whole || field->negative) ra_bug("'%s' is not a count", name);
    return field->magnitude;
}

/* Integers of 64 bits, signed or (for target values) unsigned, with room for at least one. Free them with `free`. */
static inline int64_t *rai_integers(const rai_value *list, bool signs, bool large, bool nulls) {
    int64_t *integers = (int64_t *)ra_new(list->count, sizeof *integers), *to = integers;
    for (const rai_value *value = list->first; value; value = value->next) {
        uint64_t most = value->negative ? (uint64_t)1 << 63 : large ? UINT64_MAX : INT64_MAX;
        bool unknown = nulls && value->type == RAI_NULL;
        bool fits = value->type == RAI_NUMBER && value->whole && (signs || !value->negative) && value->magnitude <= most;
        if (!unknown && !fits) ra_bug("a list with something else than integers within 64 bits");
        uint64_t bits = unknown ? UINT64_MAX : value->negative ? 0 - value->magnitude : value->magnitude;
        memcpy(to++, &bits, sizeof bits);
    }
    return integers;
}

/* ---- tensors ---- */

/* The bits of one element; 0 for strings. An unknown type ends the process. */
static inline unsigned rai_bits(const char *element_type) {
    static const struct {
        unsigned bits;
        const char *names;
    } types[] = {{0, " string "}, {2, " i2 u2 "}, {4, " f4e2m1 i4 u4 "},
                 {8, " i8 u8 bool f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0 "}, {16, " f16 bf16 i16 u16 "},
                 {32, " f32 i32 u32 "}, {64, " f64 i64 u64 complex64 "}, {128, " complex128 "}};
    char padded[16];
    int size = snprintf(padded, sizeof padded, " %s ", element_type);
    bool one_word = size < (int)sizeof padded && !strchr(element_type, ' ');
    for (size_t i = 0; one_word && i < sizeof types / sizeof *types; i++) {
        if (strstr(types[i].names, padded)) return types[i].bits;
    }
    ra_bug("unknown element type '%.40s'", element_type);
    return 0;
}

/* The most bytes of a payload, as the runner states. */
static inline size_t *rai_most_payload(void) {
    static size_t most = (size_t)256 << 20;
    return &most;
}

/* The number of elements of a shape, if that many fit into a payload. */
static inline size_t rai_elements(size_t rank, const int64_t *shape) {
    size_t elements = 1;
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] < 0) ra_bug("a tensor with a dim of %lld: an output without elements is for ra_claim", (long long)shape[i]);
        if (shape[i] == 0) elements = 0;
    }
    for (size_t i = 0; elements && i < rank; i++) {
        size_t most = *rai_most_payload();
        if ((uint64_t)shape[i] > 8 * (uint64_t)most / elements) ra_bug("a tensor of more than %zu bytes", most);
        elements *= (size_t)shape[i];
    }
    return elements;
}

/* The bytes of a tensor of this shape. The lengths of strings must add up to `size`. */
static inline size_t rai_size(const char *element_type, size_t rank, const int64_t *shape, const unsigned char *bytes,
                              size_t size) {
    size_t elements = rai_elements(rank, shape), at = 0;
    unsigned bits = rai_bits(element_type);
    if (bits) return (size_t)(((uint64_t)elements * bits + 7) / 8);
    for (size_t i = 0; i < elements; i++) {
        if (size - at < 4) ra_bug("strings of more bytes than there are");
        size_t length = bytes[at] | (size_t)bytes[at + 1] << 8 | (size_t)bytes[at + 2] << 16 | (size_t)bytes[at + 3] << 24;
        at += 4;
        if (size - at < length) ra_bug("strings of more bytes than there are");
        at += length;
    }
    return at;
}

static inline ra_bytes rai_part(const rai_value *part, ra_bytes payload) {
    uint64_t offset = rai_count(part, "offset"), length = rai_count(part, "length");
    if (offset > payload.size || length > payload.size - offset) ra_bug("a part that ends beyond its payload");
    ra_bytes bytes = {(const unsigned char *)payload.bytes + offset, (size_t)length};
    return bytes;
}

static inline ra_tensor rai_tensor(const rai_value *part, ra_bytes payload) {
    const rai_value *shape = rai_typed(part, "shape", RAI_LIST);
    ra_bytes from = rai_part(part, payload);
    void *bytes = ra_new(from.size, 1); /* a copy, so that it is aligned */
    if (from.size) memcpy(bytes, from.bytes, from.size);
    const int64_t *dims = rai_integers(shape, false, false, false);
    ra_tensor tensor = {rai_word(part, "element_type"), shape->count, dims, rai_elements(shape->count, dims), bytes, from.size};
    size_t size = rai_size(tensor.element_type, tensor.rank, tensor.shape, (const unsigned char *)bytes, tensor.size);
    if (size != tensor.size) ra_bug("a tensor of %zu bytes that needs %zu", tensor.size, size);
    return tensor;
}

static inline void rai_free_tensor(ra_tensor *tensor) {
    free((void *)tensor->shape);
    free((void *)tensor->bytes);
}

/* ---- the functions of the public interface ---- */

static inline void rai_refuse(ra_reply *reply, rai_answer answer, const char *format, va_list arguments) {
    reply->answer = answer;
    vsnprintf(reply->message, sizeof reply->message, format, arguments);
}

static inline void ra_reject(ra_reply *reply, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    rai_refuse(reply, RAI_REJECTED, format, arguments);
    va_end(arguments);
}

static inline void ra_reject_internal(ra_reply *reply, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    rai_refuse(reply, RAI_REJECTED, format, arguments);
    va_end(arguments);
    reply->internal = true;
}

static inline void ra_unsupported(ra_reply *reply, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    rai_refuse(reply, RAI_UNSUPPORTED, format, arguments);
    va_end(arguments);
}

static inline void ra_infer(ra_reply *reply, size_t rank, const int64_t *dims) {
    free(reply->shape);
    reply->has_shape = true;
    reply->rank = rank;
    reply->shape = (int64_t *)ra_new(rank, sizeof *dims);
    if (rank) memcpy(reply->shape, dims, rank * sizeof *dims);
}

static inline void *ra_output_of_size(ra_reply *reply, const char *element_type, size_t rank, const int64_t *shape, size_t size) {
    if (size > *rai_most_payload()) ra_bug("an output of %zu bytes", size);
    ra_infer(reply, rank, shape);
    free(reply->bytes);
    reply->element_type = element_type;
    reply->size = size;
    reply->bytes = (unsigned char *)ra_new(size, 1);
    return reply->bytes;
}

static inline void *ra_output(ra_reply *reply, const char *element_type, size_t rank, const int64_t *shape) {
    return ra_output_of_size(reply, element_type, rank, shape, rai_size(element_type, rank, shape, NULL, 0));
}

/* FNV-1a, which any changed byte changes. */
static inline uint64_t rai_checksum(const unsigned char *bytes, size_t size) {
    uint64_t checksum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) checksum = (checksum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return checksum;
}

static inline void rai_let_go(rai_kept *kept) {
    if (kept->release) kept->release(kept->owner);
    memset(kept, 0, sizeof *kept);
}

static inline void ra_output_of_owner(ra_reply *reply, const char *element_type, size_t rank, const int64_t *shape,
                                      const void *bytes, size_t size, void *owner, void (*release)(void *owner)) {
    void *copy = ra_output_of_size(reply, element_type, rank, shape, size);
    if (size) memcpy(copy, bytes, size);
    rai_let_go(&reply->kept);
    rai_kept kept = {(const unsigned char *)bytes, size, rai_checksum((const unsigned char *)copy, size), owner, release};
    reply->kept = kept;
}

static inline void ra_claim(ra_reply *reply, const char *element_type, size_t rank, const int64_t *shape) {
    ra_infer(reply, rank, shape);
    reply->element_type = element_type;
    reply->claimed = true;
}

static inline const ra_attribute *ra_find(const ra_request *request, const char *name) {
    for (size_t i = 0; i < request->attribute_count; i++) {
        if (strcmp(request->attributes[i].name, name) == 0) return &request->attributes[i];
    }
    return NULL;
}

/* ---- messages ---- */

typedef struct rai_wire {
    int input, output;
    unsigned char read[1 << 16]; /* unread input: from `at` to `end` */
    size_t at, end;
    rai_text line, payload, pending; /* `pending` is not yet written */
} rai_wire;

/* More bytes, or false at the end of the input. */
static inline bool rai_refill(rai_wire *wire) {
    ssize_t count;
    do count = read(wire->input, wire->read, sizeof wire->read);
    while (count < 0 && errno == EINTR);
    if (count < 0) ra_bug("cannot read: %s", strerror(errno));
    wire->at = 0;
    wire->end = (size_t)count;
    return count > 0;
}

/* A line, with a NUL in place of its end. False if the input ended before it began. */
static inline bool rai_read_line(rai_wire *wire) {
    wire->line.size = 0;
    for (;;) {
        if (wire->at == wire->end && !rai_refill(wire)) {
            if (wire->line.size) ra_bug("the input ended within a line");
            return false;
        }
        const unsigned char *start = wire->read + wire->at;
        const unsigned char *end = (const unsigned char *)memchr(start, '\n', wire->end - wire->at);
        size_t size = end ? (size_t)(end - start) : wire->end - wire->at;
        if (size > RAI_MOST_LINE - wire->line.size) ra_bug("a line of more than %zu bytes", RAI_MOST_LINE);
        rai_add(&wire->line, start, size);
        wire->at += size;
        if (end) {
            wire->at++;
            rai_add(&wire->line, "", 1);
            return true;
        }
    }
}

/* Allocates only for bytes that arrive. */
static inline ra_bytes rai_read_payload(rai_wire *wire, uint64_t size) {
    if (size > *rai_most_payload()) ra_bug("a payload of more than %zu bytes", *rai_most_payload());
    wire->payload.size = 0;
    while (wire->payload.size < size) {
        if (wire->at == wire->end && !rai_refill(wire)) ra_bug("the input ended within a payload");
        size_t missing = (size_t)size - wire->payload.size, there = wire->end - wire->at;
        size_t taken = missing < there ? missing : there;
        rai_add(&wire->payload, wire->read + wire->at, taken);
        wire->at += taken;
    }
    ra_bytes payload = {wire->payload.bytes, wire->payload.size};
    return payload;
}

static inline void rai_flush(rai_wire *wire) {
    for (size_t at = 0; at < wire->pending.size;) {
        ssize_t count = write(wire->output, wire->pending.bytes + at, wire->pending.size - at);
        if (count < 0 && errno != EINTR) ra_bug("cannot write: %s", strerror(errno));
        at += count > 0 ? (size_t)count : 0;
    }
    wire->pending.size = 0;
}

/* The protocol's own file descriptors, after stdin and stdout are redirected. */
static inline int *rai_files(void) {
    static int files[2] = {-1, -1};
    return files;
}

static inline void ra_hide_stdout(void) {
    int *files = rai_files();
    if (files[0] >= 0) return;
    files[0] = dup(0);
    files[1] = dup(1);
    int nothing = open("/dev/null", O_RDONLY);
    if (files[0] < 0 || files[1] < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(2, 1) < 0) {
        ra_bug("cannot move stdin and stdout: %s", strerror(errno));
    }
    close(nothing);
}

/* The entries of ra_unavailable: four words each. */
typedef struct rai_notes {
    const char *words[32][4];
    size_t count;
} rai_notes;

static inline rai_notes *rai_unavailable(void) {
    static rai_notes notes;
    return &notes;
}

static inline void ra_unavailable(const char *operators, const char *element_types, const char *bindings, const char *reason) {
    rai_notes *notes = rai_unavailable();
    if (notes->count == sizeof notes->words / sizeof *notes->words) ra_bug("too many calls of ra_unavailable");
    const char **words = notes->words[notes->count++];
    words[0] = operators, words[1] = element_types, words[2] = bindings, words[3] = reason;
}

static inline bool *rai_infers(void) {
    static bool infers;
    return &infers;
}

static inline void ra_infers(void) { *rai_infers() = true; }

static inline const char **rai_limits(void) {
    static const char *limits = "{}";
    return &limits;
}

static inline void ra_limits(const char *json) { *rai_limits() = json; }

static inline size_t *rai_window(void) {
    static size_t window = 1;
    return &window;
}

static inline void ra_window(size_t requests) { *rai_window() = requests; }

/* An entry of the capabilities, left open for further fields. */
static inline void rai_entry(rai_text *reply, bool first, const char *operators, const char *element_types, const char *bindings) {
    rai_print(reply, "%s{\"operators\":", first ? "" : ",");
    rai_quote_names(reply, operators);
    rai_say(reply, ",\"element_types\":");
    rai_quote_names(reply, element_types);
    rai_say(reply, ",\"bindings\":");
    rai_quote_names(reply, bindings);
}

static inline void rai_hello(rai_text *reply, const ra_adapter *adapter, const rai_value *message) {
    const rai_value *protocol = rai_typed(message, "protocol", RAI_OBJECT);
    if (rai_count(protocol, "min") > 1 || rai_count(protocol, "max") < 1) ra_bug("the runner does not speak protocol 1");
    const rai_value *limits = rai_field(message, "limits");
    if (limits && rai_field(limits, "payload")) *rai_most_payload() = (size_t)rai_count(limits, "payload");
    rai_say(reply, "\"hello\",\"protocol\":1,\"backend\":{\"name\":");
    rai_quote(reply, adapter->name, strlen(adapter->name));
    rai_say(reply, ",\"version\":");
    rai_quote(reply, adapter->version, strlen(adapter->version));
    rai_print(reply, "},\"model\":\"%s\",\"infer_only\":%s", adapter->model, adapter->infer_only ? "true" : "false");
    rai_print(reply, ",\"window\":%zu,\"infers\":%s", *rai_window(), *rai_infers() ? "true" : "false");
    rai_say(reply, ",\"limits\":");
    rai_say(reply, *rai_limits());
    rai_say(reply, ",\"supports\":[");
    for (const ra_supports *entry = adapter->supports; entry->operators; entry++) {
        rai_entry(reply, entry == adapter->supports, entry->operators, entry->element_types, entry->bindings);
        rai_say(reply, "}");
    }
    rai_say(reply, "],\"unavailable\":[");
    for (size_t i = 0; i < rai_unavailable()->count; i++) {
        const char *const *words = rai_unavailable()->words[i];
        rai_entry(reply, i == 0, words[0], words[1], words[2]);
        rai_say(reply, ",\"reason\":");
        rai_quote(reply, words[3], strlen(words[3]));
        rai_say(reply, "}");
    }
    rai_say(reply, "]");
}

static inline void rai_attribute(ra_attribute *attribute, const rai_value *value) {
    attribute->name = value->name;
    attribute->count = value->count;
    if (value->type == RAI_STRING) {
        attribute->kind = RA_STRING;
        attribute->string = value->text;
    } else if (value->type == RAI_LIST) {
        attribute->kind = RA_INTEGERS;
        attribute->integers = rai_integers(value, true, false, false);
    } else if (value->type == RAI_TRUE || value->type == RAI_FALSE) {
        attribute->kind = RA_BOOLEAN;
        attribute->integer = value->type == RAI_TRUE;
    } else if (value->type == RAI_NUMBER && value->whole && value->magnitude <= (uint64_t)INT64_MAX + value->negative) {
        attribute->kind = RA_INTEGER;
        uint64_t bits = value->negative ? 0 - value->magnitude : value->magnitude;
        memcpy(&attribute->integer, &bits, sizeof bits);
    } else if (value->type == RAI_NUMBER) {
        attribute->kind = RA_NUMBER;
        attribute->number = value->number;
    } else {
        ra_bug("the attribute '%s' has an invalid value", value->name);
    }
}

static inline ra_target rai_target(const rai_value *message) {
    static const char *const names[] = {"attribute", "constant", "runtime", "absent"};
    const char *binding = rai_word(message, "binding");
    ra_target target;
    memset(&target, 0, sizeof target);
    int found = 0;
    while (found < 4 && strcmp(binding, names[found]) != 0) found++;
    if (found == 4) ra_bug("no binding of a target is called '%.40s'", binding);
    target.binding = (ra_binding)found;
    if (target.binding == RA_ABSENT) return target;
    target.element_type = rai_word(message, "element_type");
    const rai_value *shape = rai_typed(message, target.binding == RA_RUNTIME ? "dims" : "shape", RAI_LIST);
    target.rank = shape->count;
    target.shape = rai_integers(shape, false, false, false);
    target.count = rai_elements(target.rank, target.shape);
    if (target.binding == RA_RUNTIME) return target;
    const rai_value *values = rai_typed(message, "values", RAI_LIST);
    target.values = rai_integers(values, true, true, false);
    if (values->count != target.count) ra_bug("%zu target values where the shape has %zu", values->count, target.count);
    return target;
}

/* The compiled models. A handle is an index here, counted from 1. Free entries are reused. */
typedef struct rai_handle {
    bool taken, needs_target;
    size_t target_size; /* in bytes */
    void *compiled;
    rai_kept kept; /* the output of the run before */
} rai_handle;

typedef struct rai_handles {
    rai_handle *places;
    size_t count;
} rai_handles;

static inline uint64_t rai_keep(rai_handles *handles, rai_handle handle) {
    size_t place = 0;
    while (place < handles->count && handles->places[place].taken) place++;
    if (place == handles->count) {
        handles->places = (rai_handle *)rai_resize(handles->places, ++handles->count * sizeof *handles->places);
    }
    handle.taken = true;
    handles->places[place] = handle;
    return place + 1;
}

static inline rai_handle *rai_handle_of(rai_handles *handles, const rai_value *message) {
    uint64_t handle = rai_count(message, "handle");
    bool known = handle && handle <= handles->count && handles->places[handle - 1].taken;
    if (!known) ra_bug("no such handle: %llu", (unsigned long long)handle);
    return &handles->places[handle - 1];
}

static inline void rai_release(const ra_adapter *adapter, rai_handle *handle) {
    rai_let_go(&handle->kept);
    if (handle->compiled) adapter->release(handle->compiled);
    handle->taken = false;
}

static inline rai_handle rai_compile(const ra_adapter *adapter, const rai_value *message, ra_bytes payload,
                                            ra_reply *reply) {
    ra_request request;
    memset(&request, 0, sizeof request);
    request.op = rai_word(message, "operator");
    request.element_type = rai_word(message, "element_type");
    const rai_value *dims = rai_typed(rai_typed(message, "data", RAI_OBJECT), "dims", RAI_LIST);
    request.rank = dims->count;
    request.dims = rai_integers(dims, false, false, true);
    if (rai_field(message, "layout")) request.layout = rai_word(message, "layout");
    request.infer_only = rai_field(message, "infer_only") != NULL;
    request.target = rai_target(rai_typed(message, "target", RAI_OBJECT));
    const rai_value *attributes = rai_field(message, "attributes");
    ra_attribute *attribute = (ra_attribute *)ra_new(attributes ? attributes->count : 0, sizeof *attribute);
    request.attributes = attribute;
    for (const rai_value *value = attributes ? attributes->first : NULL; value; value = value->next) {
        if (!value->name) ra_bug("attributes without names");
        rai_attribute(attribute++, value);
        request.attribute_count++;
    }
    const rai_value *model = rai_field(message, "model");
    if (model && strcmp(rai_word(model, "format"), "onnx") == 0) request.model = rai_part(model, payload);
    if (model && rai_field(model, "xml")) request.xml = rai_part(rai_field(model, "xml"), payload);
    if (model && rai_field(model, "bin")) request.bin = rai_part(rai_field(model, "bin"), payload);
    rai_handle handle = {false, request.target.binding == RA_RUNTIME, 0, NULL, {NULL, 0, 0, NULL, NULL}};
    if (handle.needs_target) handle.target_size = request.target.count * rai_bits(request.target.element_type) / 8;
    handle.compiled = adapter->compile(&request, reply);
    while (request.attribute_count) free((void *)request.attributes[--request.attribute_count].integers);
    free((void *)request.attributes);
    free((void *)request.dims);
    free((void *)request.target.shape);
    free((void *)request.target.values);
    return handle;
}

static inline void rai_run(const ra_adapter *adapter, const rai_handle *handle, const rai_value *message, ra_bytes payload,
                           ra_reply *reply) {
    const rai_value *target = rai_field(message, "target");
    ra_tensor tensors[2] = {rai_tensor(rai_typed(message, "data", RAI_OBJECT), payload), {NULL, 0, NULL, 0, NULL, 0}};
    if (target) tensors[1] = rai_tensor(target, payload);
    bool fits = target ? handle->needs_target && tensors[1].size == handle->target_size : !handle->needs_target;
    if (!fits) ra_bug("the target is not the one that was declared");
    adapter->run(handle->compiled, &tensors[0], target ? &tensors[1] : NULL, reply);
    rai_free_tensor(&tensors[0]);
    rai_free_tensor(&tensors[1]);
    if (reply->answer != RAI_RESHAPED) return;
    if (!reply->element_type) ra_bug("`run` has neither given an output nor refused");
    if (reply->claimed) return;
    size_t size = rai_size(reply->element_type, reply->rank, reply->shape, reply->bytes, reply->size);
    if (size != reply->size) ra_bug("an output of %zu bytes that needs %zu", reply->size, size);
    unsigned spare = (unsigned)(rai_elements(reply->rank, reply->shape) * rai_bits(reply->element_type) % 8);
    if (spare) reply->bytes[size - 1] &= (unsigned char)((1u << spare) - 1); /* clears the bits after the last element */
}

/* Checks the output of the previous run again, and keeps that of this one. A refused run leaves it unchanged. */
static inline void rai_look_again(rai_handle *handle, ra_reply *reply) {
    rai_kept *kept = &handle->kept;
    reply->earlier_changed = kept->release && rai_checksum(kept->bytes, kept->size) != kept->checksum;
    bool is_output = reply->answer == RAI_RESHAPED;
    if (reply->earlier_changed || is_output) rai_let_go(kept);
    if (!is_output) rai_let_go(&reply->kept);
    if (is_output) *kept = reply->kept;
}

/* The fields of a reply, except the id. */
static inline void rai_answer_to(rai_text *text, const ra_reply *reply, uint64_t handle) {
    if (reply->answer == RAI_REJECTED || reply->answer == RAI_UNSUPPORTED) {
        rai_print(text, "\"%s\",\"message\":", reply->answer == RAI_REJECTED ? "rejected" : "unsupported");
        rai_quote(text, reply->message, strlen(reply->message));
        if (reply->answer == RAI_REJECTED && reply->internal) rai_say(text, ",\"internal\":true");
    } else if (reply->answer == RAI_COMPILED) {
        rai_print(text, "\"compiled\",\"handle\":%llu", (unsigned long long)handle);
        if (reply->has_shape) rai_print(text, ",\"output_shape\":");
        if (reply->has_shape) rai_list(text, reply->shape, reply->rank, true);
    } else {
        rai_print(text, "\"reshaped\",\"output\":{\"element_type\":\"%s\",\"shape\":", reply->element_type);
        rai_list(text, reply->shape, reply->rank, false);
        if (!reply->claimed) rai_print(text, ",\"offset\":0,\"length\":%zu", reply->size);
        rai_say(text, "}");
    }
    if (reply->earlier_changed) rai_say(text, ",\"earlier_output_changed\":true");
}

/* Answers one message. False after bye. */
static inline bool rai_answer_message(const ra_adapter *adapter, rai_wire *wire, rai_handles *handles) {
    /* Every value takes at least one character, and a second one that separates it from the next. */
    rai_parser parser = {wire->line.bytes, wire->line.bytes + wire->line.size - 1, NULL, 0, wire->line.size / 2 + 1};
    parser.values = (rai_value *)ra_new(parser.room, sizeof *parser.values);
    const rai_value *message = rai_parse(&parser, 0), *more = rai_field(message, "more");
    rai_space(&parser);
    if (parser.at != parser.end) ra_bug("not JSON: something behind the message");
    const char *type = rai_word(message, "type");
    uint64_t id = rai_count(message, "id");
    ra_bytes payload = rai_read_payload(wire, rai_field(message, "payload") ? rai_count(message, "payload") : 0);
    ra_reply *reply = (ra_reply *)ra_new(1, sizeof *reply);
    rai_text *text = &wire->pending;
    rai_print(text, "{\"id\":%llu,\"type\":", (unsigned long long)id);
    if (strcmp(type, "hello") == 0) {
        rai_hello(text, adapter, message);
    } else if (strcmp(type, "compile") == 0) {
        reply->answer = RAI_COMPILED;
        rai_handle handle = rai_compile(adapter, message, payload, reply);
        rai_answer_to(text, reply, reply->answer == RAI_COMPILED ? rai_keep(handles, handle) : 0);
        if (reply->answer != RAI_COMPILED) rai_release(adapter, &handle);
    } else if (strcmp(type, "run") == 0) {
        reply->answer = RAI_RESHAPED;
        rai_handle *handle = rai_handle_of(handles, message);
        rai_run(adapter, handle, message, payload, reply);
        rai_look_again(handle, reply);
        rai_answer_to(text, reply, 0);
    } else if (strcmp(type, "release") == 0) {
        rai_release(adapter, rai_handle_of(handles, message));
        rai_print(text, "\"released\"");
    } else if (strcmp(type, "bye") == 0) {
        rai_print(text, "\"bye\"");
    } else {
        ra_bug("protocol 1 has no message of the type '%.40s'", type);
    }
    bool output = strcmp(type, "run") == 0 && reply->answer == RAI_RESHAPED && !reply->claimed && reply->size;
    if (output) rai_print(text, ",\"payload\":%zu", reply->size);
    rai_say(text, "}\n");
    if (output) rai_add(text, reply->bytes, reply->size);
    if (!more || more->type != RAI_TRUE) rai_flush(wire); /* otherwise written together with the next reply */
    bool bye = strcmp(type, "bye") == 0;
    free(reply->shape);
    free(reply->bytes);
    free(reply);
    free(parser.values);
    return !bye;
}

static inline int ra_serve(const ra_adapter *adapter) {
    ra_hide_stdout();
    rai_wire *wire = (rai_wire *)ra_new(1, sizeof *wire);
    wire->input = rai_files()[0];
    wire->output = rai_files()[1];
    rai_handles handles = {NULL, 0};
    while (rai_read_line(wire) && rai_answer_message(adapter, wire, &handles)) {
    }
    rai_flush(wire);
    for (size_t i = 0; i < handles.count; i++) {
        if (handles.places[i].taken) rai_release(adapter, &handles.places[i]);
    }
    free(handles.places);
    free(wire->line.bytes);
    free(wire->payload.bytes);
    free(wire->pending.bytes);
    free(wire);
    return 0;
}

#endif
