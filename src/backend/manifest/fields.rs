//! The fields of `adapter.yaml`, as data: the reader takes them, and the schema lists them.

use crate::yaml::Field;

/// The fields of a manifest.
pub(super) const MANIFEST: &[Field] = &[
    Field::required("name", "The name of the folder."),
    Field::required("about", "What the adapter connects, in a sentence."),
    Field::optional("issues", "Where to report faults of the backend."),
    Field::optional("install", "What to install."),
    Field::required("command", "The program to start, and its arguments."),
    Field::optional(
        "reproduce",
        "What runs the reproducer of a cause, without this suite.",
    ),
    Field::optional("environment", "Environment variables of the program."),
    Field::required(
        "model",
        "The model that a `compile` brings: none, onnx or openvino-ir.",
    ),
    Field::optional("infer_only", "Whether the backend only infers shapes."),
    Field::optional(
        "infers",
        "Whether it tells at the compilation which shape it infers, also of data that is too large to be made.",
    ),
    Field::optional(
        "concurrent_runs",
        "Whether several threads may run one compiled model at once.",
    ),
    Field::optional(
        "only_similar",
        "Whether it is a function that is merely similar, and violates no clause.",
    ),
    Field::optional("limits", "What cannot be passed to the backend."),
    Field::optional(
        "sample",
        "The part of what it claims that it is asked, such as 1/16; all without it.",
    ),
    Field::required("supports", "What the backend claims to support."),
    Field::optional(
        "configurations",
        "The same installation with other settings, each under its name.",
    ),
];

/// The fields of a configuration.
pub(super) const CONFIGURATION: &[Field] = &[
    Field::required("about", "What is special about it, in a sentence."),
    Field::optional("environment", "More environment variables."),
    Field::optional("model", "The model that a `compile` brings."),
    Field::optional("supports", "What is supported, instead of the manifest's."),
];

/// The fields of `install`.
pub(super) const INSTALL: &[Field] = &[
    Field::optional("python", "Python packages, pinned."),
    Field::optional("commands", "Commands that install the rest, in order."),
];

/// The fields of an entry of `supports`.
pub(super) const SUPPORTS: &[Field] = &[
    Field::required("operators", "Families, single operators, or ranges."),
    Field::required("element_types", "Element types, or `all` of each operator."),
    Field::required("bindings", "Bindings, or `all` of each operator."),
    Field::optional("attributes", "The only values that an attribute may have."),
    Field::optional("limits", "What cannot be passed under this entry."),
];

/// The fields of `limits`.
pub(super) const LIMITS: &[Field] = &[
    Field::optional("rank", "The highest rank of data and target."),
    Field::optional("data_rank", "The highest rank of the data."),
    Field::optional(
        "target_ranks",
        "The ranks of the target itself: 1 is a list, 0 a scalar.",
    ),
    Field::optional("target_types", "The element types of the target."),
    Field::optional("attributes", "The attributes that a node can carry."),
    Field::optional("target_values", "The lowest and the highest target value."),
    Field::optional(
        "empty_data_ranks",
        "The ranks that data without elements may have.",
    ),
    Field::optional("data_dim", "The longest dim of the data."),
    Field::optional("data_bytes", "The most bytes of the data."),
    Field::optional("strings", "What strings must be."),
    Field::optional("surroundings", "What may stand around the node."),
    Field::optional(
        "memory_mib",
        "The most resident memory of the process, in MiB.",
    ),
];
