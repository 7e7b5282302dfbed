//! Mutants of whose memory the output is in, and of views. Only the Array API standard speaks of these.

use super::mutants;
use crate::semantics::operator::Binding;
use crate::verdict::mutant::content::{self, Content, Place};

mutants! { MEMORY;
    "copies-despite-copy-false": "copies the elements, even with copy=False" => |b| {
        b.shares = Some(false);
    },
    "shares-despite-copy-true": "shares the memory of the data, even with copy=True" => |b| {
        b.shares = Some(true);
    },
    "strided-view-read-as-contiguous": "reads a transposed view as if its elements lay row by row" => |b| {
        b.content.push(Content::Place(|p| match p.binding == Binding::EagerPermuted {
            // The order of one dim is the order in memory.
            true => content::column_major(&Place { shape: &[p.count as u64], ..*p }),
            false => Some(p.index),
        }));
    },
}
