//! Bindings: how a case reaches a backend. Real backends take different code paths for each.

use crate::names::{columns, named_enum};

named_enum! {
    /// Where the target shape comes from.
    pub enum TargetSource, "target source" {
        /// An attribute of the node.
        Attribute = "attribute",
        /// A constant of the model.
        Constant = "constant",
        /// An input whose values are known only when the model runs.
        Runtime = "runtime",
    }
}

named_enum! {
    /// Where the elements lie in memory. The texts leave it free, so the logical content must be the same in all.
    pub enum Layout, "layout" {
        /// Row-major and without gaps, in separate buffers: the layout that every backend has.
        RowMajor = "row-major",
        /// The data's strides are those of its dims in another order.
        Permuted = "permuted",
        /// The data's strides leave gaps.
        Padded = "padded",
        /// The library chooses the output's layout.
        Library = "library",
        /// The output takes the data's own buffer.
        InPlace = "in-place",
        /// The data's strides are permuted, the library chooses the output's layout, and the output takes the data's
        /// own buffer where the library offers that.
        PermutedInPlace = "permuted-in-place",
    }
}

columns! {
    Row of Binding {
        /// Where the target comes from.
        pub source: TargetSource,
        /// Whether the data dims are open until the run.
        pub dynamic: bool,
        /// The memory layout.
        pub layout: Layout,
    }
}

const STATIC: bool = false;
const DYNAMIC: bool = true;

named_enum! {
    /// Target source × whether the data dims are declared × memory layout.
    #[allow(missing_docs)]
    pub enum Binding: Row, "binding" {
        AttributeStatic = "attribute-static" => row(TargetSource::Attribute, STATIC, Layout::RowMajor),
        AttributeDynamic = "attribute-dynamic" => row(TargetSource::Attribute, DYNAMIC, Layout::RowMajor),
        ConstantStatic = "constant-static" => row(TargetSource::Constant, STATIC, Layout::RowMajor),
        ConstantDynamic = "constant-dynamic" => row(TargetSource::Constant, DYNAMIC, Layout::RowMajor),
        RuntimeStatic = "runtime-static" => row(TargetSource::Runtime, STATIC, Layout::RowMajor),
        RuntimeDynamic = "runtime-dynamic" => row(TargetSource::Runtime, DYNAMIC, Layout::RowMajor),
        AttributePermuted = "attribute-permuted" => row(TargetSource::Attribute, STATIC, Layout::Permuted),
        AttributePadded = "attribute-padded" => row(TargetSource::Attribute, STATIC, Layout::Padded),
        AttributeLibraryLayout = "attribute-library-layout" =>
            row(TargetSource::Attribute, STATIC, Layout::Library),
        AttributeInPlace = "attribute-in-place" => row(TargetSource::Attribute, STATIC, Layout::InPlace),
        AttributePermutedInPlace = "attribute-permuted-in-place" =>
            row(TargetSource::Attribute, STATIC, Layout::PermutedInPlace),
        /// A call of a library, which knows nothing before it.
        Eager = "eager" => row(TargetSource::Runtime, DYNAMIC, Layout::RowMajor),
        EagerPermuted = "eager-permuted" => row(TargetSource::Runtime, DYNAMIC, Layout::Permuted),
        EagerPadded = "eager-padded" => row(TargetSource::Runtime, DYNAMIC, Layout::Padded),
    }
}

impl Binding {
    /// Whether a compiler knows everything that the text asks about the shape, and the layout is the ordinary one.
    pub(crate) const fn declares_everything(self) -> bool {
        !self.dynamic()
            && matches!(
                self.source(),
                TargetSource::Attribute | TargetSource::Constant
            )
            && matches!(self.layout(), Layout::RowMajor)
    }

    /// In words: `the target is a constant; the dims of the data are declared`.
    pub(crate) fn description(self) -> String {
        let source = match self.source() {
            TargetSource::Attribute => "the target is an attribute",
            TargetSource::Constant => "the target is a constant",
            TargetSource::Runtime => "the target is an input",
        };
        let dims = match self.dynamic() {
            true => "not declared",
            false => "declared",
        };
        let layout = match self.layout() {
            Layout::RowMajor => "",
            Layout::Permuted => "; the strides of the data are permuted",
            Layout::Padded => "; the strides of the data leave gaps",
            Layout::Library => "; the library chooses the layout of the output",
            Layout::InPlace => "; the output takes the buffer of the data",
            Layout::PermutedInPlace => {
                "; the strides of the data are permuted, the library chooses the layout of the output, and the output takes \
                the data's buffer where the library offers that"
            }
        };
        format!("{source}; the dims of the data are {dims}{layout}")
    }
}
