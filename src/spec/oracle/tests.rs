//! What the operators of the table do not exercise: rules that a later operator could have.
