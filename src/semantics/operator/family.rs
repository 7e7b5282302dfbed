//! The families of operators: one row for each specification.

use crate::names::{Joined, columns, named_enum};

/// The project that publishes the text of a family, and the file format in which the field keeps models; `None` if it is
/// called without a model.
struct Row(&'static str, Option<ModelFiles>);

named_enum! {
    /// The specification of an operator: the part of its name before the dot.
    pub enum Family: Row, "family" {
        /// ONNX, domain `ai.onnx`.
        Onnx = "onnx" => Row("ONNX", Some(ModelFiles::Onnx)),
        /// OpenVINO opset.
        Openvino = "openvino" => Row("OpenVINO", Some(ModelFiles::OpenvinoIr)),
        /// The oneDNN Graph specification.
        OnednnSpec = "onednn-spec" => Row("oneDNN", Some(ModelFiles::OnednnGraph)),
        /// The oneDNN developer guide.
        Onednn = "onednn" => Row("oneDNN", Some(ModelFiles::OnednnGraph)),
        /// The Array API standard.
        ArrayApi = "array-api" => Row("the Array API standard", None),
    }
}

columns! {
    Format of ModelFiles {
        /// Whether this program writes surroundings in it.
        pub(crate) has_surroundings: bool,
        /// The first version of the operators in which Add broadcasts.
        pub(crate) broadcasts_since: u32,
    }
}

named_enum! {
    /// The file format in which the field keeps models with operators of a family.
    pub(crate) enum ModelFiles: Format, "model format" {
        /// An ONNX ModelProto.
        Onnx = "onnx" => Format { has_surroundings: true, broadcasts_since: 7 },
        /// OpenVINO's IR.
        OpenvinoIr = "openvino-ir" => Format { has_surroundings: true, broadcasts_since: 0 },
        /// oneDNN's graph JSON.
        OnednnGraph = "onednn-graph" => Format { has_surroundings: false, broadcasts_since: 0 },
    }
}

impl Family {
    /// The file format in which the field keeps models; `None` if it is called without a model.
    pub(crate) fn models(self) -> Option<ModelFiles> {
        self.row().1
    }

    /// The projects that publish the texts: `ONNX, OpenVINO and oneDNN`.
    pub(crate) fn titles() -> String {
        let mut titles: Vec<_> = Self::ALL.iter().map(|family| family.row().0).collect();
        titles.dedup();
        match titles.as_slice() {
            [others @ .., last] if !others.is_empty() => {
                format!("{} and {last}", others.iter().joined(", "))
            }
            _ => titles.concat(),
        }
    }
}

/// A version as texts write it: a number, or a year and a month such as `2021.12`, which is read as 202112.
pub(crate) fn version(text: &str) -> Option<u32> {
    let Some((year, month)) = text.split_once('.') else {
        return text.parse().ok();
    };
    let is_month = month.len() == 2 && month.bytes().all(|byte| byte.is_ascii_digit());
    let (year, month) = (year.parse::<u32>().ok()?, month.parse::<u32>().ok()?);
    is_month.then(|| year.checked_mul(100)?.checked_add(month))?
}
