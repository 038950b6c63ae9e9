//! Every field of a body in every wrong way: absent, null, of another type, out of bounds; and keys nobody knows.

use serde_json::{Map, Value, json};

use super::session::Session;

/// A place in a body: keys and positions.
type Place = Vec<Value>;

impl Session {
    /// Sends the body once as it is and once for each way in which one of its fields can be wrong, all as dry runs.
    pub fn fields(&mut self, method: &str, path: &str, body: &Value) {
        let path = format!("{path}?dry_run=true");
        self.ask(method, &path, Some(body));
        self.wrong_fields(method, &path, body);
    }

    /// The same without the right one and without the dry run, where there is none.
    pub fn wrong_fields(&mut self, method: &str, path: &str, body: &Value) {
        for wrong in wrong_bodies(body) {
            self.ask(method, path, Some(&wrong));
        }
    }
}

/// The body with one thing wrong at a time.
pub fn wrong_bodies(body: &Value) -> Vec<Value> {
    let mut places = Vec::new();
    collect(body, &mut Vec::new(), &mut places);
    let mut bodies = vec![json!([]), json!({}), with_key(body, &Vec::new())];
    for (index, place) in places.iter().enumerate() {
        let value = at(body, place).clone();
        let name = place.iter().rev().find_map(Value::as_str).unwrap_or_default().to_owned();
        for wrong in wrong_values(&name, &value, index) {
            let mut changed = body.clone();
            *at_mut(&mut changed, place) = wrong;
            bodies.push(changed);
        }
        if value.is_object() {
            bodies.push(with_key(body, place));
        }
        // The empty body says which fields it needs; an inner object has to be asked for each.
        if let (Some(Value::String(key)), true) = (place.last(), place.len() > 1) {
            let mut changed = body.clone();
            let parent = at_mut(&mut changed, &place[..place.len() - 1]);
            parent.as_object_mut().map(|fields| fields.remove(key));
            bodies.push(changed);
        }
    }
    bodies
}

/// All places of a body. Of a list, only the first element.
fn collect(value: &Value, place: &mut Place, places: &mut Vec<Place>) {
    let children: Vec<Value> = match value {
        Value::Object(fields) => fields.keys().map(|key| json!(key)).collect(),
        Value::Array(values) if !values.is_empty() => vec![json!(0)],
        _ => Vec::new(),
    };
    for child in children {
        place.push(child);
        places.push(place.clone());
        collect(&at(value, &place[place.len() - 1..]).clone(), place, places);
        place.pop();
    }
}

fn at<'a>(value: &'a Value, place: &[Value]) -> &'a Value {
    place.iter().fold(value, |value, step| match step {
        Value::String(key) => &value[key],
        step => &value[usize::try_from(step.as_u64().expect("a position")).expect("small")],
    })
}

fn at_mut<'a>(value: &'a mut Value, place: &[Value]) -> &'a mut Value {
    place.iter().fold(value, |value, step| match step {
        Value::String(key) => &mut value[key],
        step => &mut value[usize::try_from(step.as_u64().expect("a position")).expect("small")],
    })
}

/// The body with a key nobody knows in the object at this place.
fn with_key(body: &Value, place: &[Value]) -> Value {
    let mut changed = body.clone();
    let fields: Option<&mut Map<String, Value>> = at_mut(&mut changed, place).as_object_mut();
    fields.map(|fields| fields.insert("unknown_key".to_owned(), json!(1)));
    changed
}

/// What may not stand in a field that holds this: another type, null, and one value out of bounds, not the same for all.
fn wrong_values(name: &str, value: &Value, index: usize) -> Vec<Value> {
    let one_of = |choices: &[Value]| choices[index % choices.len()].clone();
    match value {
        Value::String(text) if text.len() == 10 && text.starts_with("20") => {
            vec![
                json!(20_260_301),
                Value::Null,
                one_of(&[json!("2026-02-30"), json!("1/3/2026"), json!("2026-03-01T00:00:00Z")]),
            ]
        }
        Value::String(_) if is_money(name) => {
            vec![json!(true), Value::Null, one_of(&[json!("1.00005"), json!("-1"), json!("£5"), json!(" 1"), json!(0)])]
        }
        Value::String(_) => {
            vec![json!(7), Value::Null, one_of(&[json!(""), json!("x".repeat(300)), json!("a\u{0}b"), json!("  ")])]
        }
        Value::Number(_) if name.ends_with("id") || name.ends_with("ids") => {
            vec![json!("1"), Value::Null, one_of(&[json!(999_999), json!(0), json!(1.5), json!(-1)])]
        }
        Value::Number(_) if is_money(name) => {
            vec![json!([]), Value::Null, one_of(&[json!(0), json!(-1e18), json!(0.001)])]
        }
        Value::Number(_) => vec![json!("x"), Value::Null, one_of(&[json!(-1), json!(1000.5)])],
        Value::Bool(_) => vec![json!("yes"), Value::Null],
        Value::Array(_) => vec![json!({}), Value::Null, json!([])],
        Value::Object(_) => vec![json!([7]), Value::Null],
        Value::Null => Vec::new(),
    }
}

fn is_money(name: &str) -> bool {
    ["amount", "debit", "credit", "price", "quantity", "percent", "rate", "cis_suffered"]
        .iter()
        .any(|part| name.ends_with(part))
}
