//! Mutants: what is remembered from one run to the next.

use crate::verdict::mutant::behavior::Memory;
use crate::verdict::mutant::behavior::{Mutant, mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "first-target-stays",
        "keeps the first target that a model was run with",
        |b| b.memory = Memory::FirstTarget,
    ),
    mutant(
        "stale-elements",
        "gives the elements of the previous call",
        |b| b.memory = Memory::LastData,
    ),
    mutant(
        "first-output-repeated",
        "gives the first output of a model in every run",
        |b| b.memory = Memory::FirstOutput,
    ),
    mutant(
        "refusal-gives-the-previous-output",
        "gives a model's previous output where it has to refuse a run",
        |b| b.memory = Memory::LastOutput,
    ),
    mutant(
        "output-of-equal-size-keeps-its-shape",
        "keeps the shape of a model's previous output where the next one has as many elements",
        |b| b.memory = Memory::LastShape,
    ),
    mutant(
        "target-resolved-in-place",
        "writes the shape of the first output over the target of a model",
        |b| b.memory = Memory::ResolvedTarget,
    ),
    mutant(
        "first-dims-copied",
        "copies zeros from the dims of the first data that a model was run with",
        |b| b.memory = Memory::FirstDims,
    ),
    mutant(
        "first-inferred-length-stays",
        "keeps the length that the first run of a model inferred",
        |b| b.memory = Memory::FirstLength,
    ),
    mutant(
        "refused-run-breaks-the-model",
        "refuses every run of a model after one that it had to refuse",
        |b| b.memory = Memory::Refusal,
    ),
    mutant(
        "output-buffer-reused",
        "writes each output of a model over the one before",
        |b| b.memory = Memory::Buffer,
    ),
    mutant(
        "elements-shared-by-threads",
        "gives the elements of another run at the same time that has as many",
        |b| b.memory = Memory::ElementsBeside,
    ),
    mutant(
        "target-shared-by-threads",
        "takes the target of another run at the same time",
        |b| b.memory = Memory::TargetBeside,
    ),
    mutant(
        "shape-shared-by-threads",
        "gives the output shape of another run at the same time that has as many elements",
        |b| b.memory = Memory::ShapeBeside,
    ),
];
