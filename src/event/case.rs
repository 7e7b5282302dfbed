//! The cases of a run, with the clauses and questions that they refer to. They are complete, so that a report needs
//! only the stream.

use crate::semantics::operator::{ClauseOf, Level, Question};

records! {
    /// A case, with what reports show of it.
    pub(crate) struct CaseRecord {
        /// Its name.
        pub case: String,
        /// The file that declares it.
        pub file: String,
        /// The line of its beginning, from 1.
        pub line: usize,
        /// What it cites: rules, or ids of clauses.
        pub covers: Vec<String>,
        /// What it tests, for each operator.
        pub operators: Vec<CaseOperator>,
    }

    /// A case as one operator has it.
    pub(crate) struct CaseOperator {
        /// The operator.
        pub operator: String,
        /// The strictest level of the clauses that it tests.
        pub level: Level,
        /// The ids of these clauses, such as `onnx.Reshape-14/zero-copies`.
        pub clauses: Vec<String>,
        /// The request, in a line, without the element type: `[2, 3] to [0, -1], allowzero=1`.
        pub asks: String,
        /// What the text says, in a line: a shape, `rejected: …` or `open (…): …`.
        pub expects: String,
    }

    /// A clause that a case of the run tests.
    pub(crate) struct ClauseRecord {
        /// The id, such as `onnx.Reshape-14/zero-copies`.
        pub id: String,
        /// How binding it is.
        pub level: Level,
        /// The rules that it states. Clauses of several operators share a rule.
        pub rules: Vec<String> = "Vec::is_empty",
        /// The statement, in our own words.
        #[serde(rename = "says")]
        pub description: String,
        /// Its section of the document.
        pub section: Option<String> = "Option::is_none",
        /// Its document.
        pub document: Option<String> = "Option::is_none",
    }

    /// A question that a text leaves open for a case of the run.
    pub(crate) struct QuestionRecord {
        /// The id, such as `below-minus-one`.
        pub id: String,
        /// The question, in a sentence.
        pub asks: String,
        /// What a reasonable reader could allow.
        pub allowed: String,
        /// What the reference does, and why.
        pub choice: String,
        /// Where the texts leave it open.
        pub debated: String,
    }
}

/// What the text says about a case for an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected<'a> {
    Shape,
    /// A rejection, for the reasons with these ids.
    Rejected(Vec<&'a str>),
    /// The text leaves it open.
    Open,
}

impl CaseOperator {
    /// The meaning of `expects`.
    pub(crate) fn expected(&self) -> Expected<'_> {
        match self.expects.strip_prefix("rejected: ") {
            Some(reasons) => Expected::Rejected(reasons.split(", ").collect()),
            None if self.expects.starts_with("open (") => Expected::Open,
            None => Expected::Shape,
        }
    }

    /// The question that the text leaves open; `None` if the text decides the case.
    pub(crate) fn question(&self) -> Option<&str> {
        Some(self.expects.strip_prefix("open (")?.split_once(')')?.0)
    }
}

impl ClauseRecord {
    /// The operator whose text contains it.
    pub(crate) fn operator(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }
}

impl From<&ClauseOf> for ClauseRecord {
    fn from(of: &ClauseOf) -> Self {
        Self {
            id: of.to_string(),
            level: of.clause.level,
            rules: of.clause.rules().map(|rule| rule.to_string()).collect(),
            description: of.clause.description.to_owned(),
            section: Some(of.clause.section.to_owned()),
            document: Some(of.operator.document.to_owned()),
        }
    }
}

/// The id, the level, and the statement.
impl std::fmt::Display for ClauseRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}): {}", self.id, self.level, self.description)
    }
}

impl From<Question> for QuestionRecord {
    fn from(question: Question) -> Self {
        Self {
            id: question.name().to_owned(),
            asks: question.asks().to_owned(),
            allowed: question.allowed().to_owned(),
            choice: question.choice().to_owned(),
            debated: question.debated().to_owned(),
        }
    }
}
