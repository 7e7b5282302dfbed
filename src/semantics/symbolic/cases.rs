//! The cases in which counts agree.

use super::term::{Condition, How, Name, Term, without_common};

/// When counts agree, for positive dims: never (`None`), or if all conditions hold. There is at most one.
pub(super) type Relation = Option<Vec<Condition>>;

/// When the count of the lengths is that of the data or, with a length to infer, divides it.
pub(super) fn relation(lengths: Term, data: Term, infers: bool) -> Relation {
    if lengths.factor == 0 || data.factor == 0 {
        let agree = data.factor == 0 && (infers || lengths.factor == 0);
        return agree.then(Vec::new);
    }
    let (lengths, data) = without_common(lengths, data);
    let one = Term::from(1);
    // The numbers have no common divisor, so unknown dims have to make up for one that is not 1.
    let lacks = |of: &Term, number: &Term| of.names.is_empty() && number.factor != 1;
    if lacks(&data, &lengths) || !infers && lacks(&lengths, &data) {
        return None;
    }
    if lengths == data || infers && lengths == one {
        return Some(Vec::new());
    }
    Some(vec![match infers && data != one {
        true => Condition(lengths, How::Divides, data),
        false if lengths.names.is_empty() => Condition(data, How::Equals, lengths),
        false => Condition(lengths, How::Equals, data),
    }])
}

/// What a relation says if one more dim is 0; `None` if it does not say so clearly.
fn at_zero(relation: &Relation, name: &Name) -> Option<Relation> {
    let Some([Condition(one, how, other)]) = relation.as_deref() else {
        return Some(relation.clone());
    };
    match (one.names.contains(name), other.names.contains(name)) {
        (false, false) => Some(relation.clone()),
        (false, true) if *how == How::Divides => Some(Some(Vec::new())),
        (true, false) if *how == How::Equals && other.names.is_empty() => Some(None),
        _ => None,
    }
}

/// The cases in which the relation for the zeros among the dims holds. A relation is given for each choice of zeros, in
/// which each name has a bit.
pub(super) fn cases(names: &[&Name], relations: &[Relation]) -> Vec<Vec<Condition>> {
    if relations.iter().all(Option::is_none) {
        return Vec::new();
    }
    let [mut positive, mut zero] = [Vec::new(), Vec::new()];
    for (at, name) in names.iter().enumerate().rev() {
        let half = |bit: usize| {
            let all = relations.iter().enumerate();
            let half = all.filter(|(choice, _)| choice >> at & 1 == bit);
            half.map(|(_, relation)| relation.clone()).collect()
        };
        (positive, zero) = (half(0), half(1));
        let mut both = positive.iter().zip(&zero);
        if both.all(|(positive, zero)| at_zero(positive, name).as_ref() == Some(zero)) {
            return cases(&[&names[..at], &names[at + 1..]].concat(), &positive);
        }
    }
    let Some((name, rest)) = names.split_first() else {
        return relations.iter().flatten().cloned().collect();
    };
    let with = |how: How, half: &[Relation]| {
        let condition = Condition((*name).clone().into(), how, Term::from(0));
        let cases = cases(rest, half).into_iter();
        cases.map(move |case| [vec![condition.clone()], case].concat())
    };
    let positive = with(How::Exceeds, &positive);
    positive.chain(with(How::Equals, &zero)).collect()
}
