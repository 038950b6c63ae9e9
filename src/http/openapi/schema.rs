//! Short words for JSON schemas.

use serde_json::Value;
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Object, Ref, RefOr, Schema};

/// A schema or a reference to one.
pub type Any = RefOr<Schema>;

/// A key of an object.
pub struct Field {
    name: &'static str,
    schema: Any,
    required: bool,
}

impl Field {
    /// The key.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Makes it the first key of an object.
    pub fn put_first(self, object: &mut Object) {
        if self.required {
            object.required.insert(0, self.name.to_owned());
        }
        let others = std::mem::take(&mut object.properties);
        object.properties.insert(self.name.to_owned(), self.schema);
        object.properties.extend(others);
    }
}

/// A key that is always there.
pub fn required(name: &'static str, schema: impl Into<Any>) -> Field {
    Field { name, schema: schema.into(), required: true }
}

/// A key that may be absent.
pub fn optional(name: &'static str, schema: impl Into<Any>) -> Field {
    Field { name, schema: schema.into(), required: false }
}

/// A key that may be absent or null.
pub fn maybe(name: &'static str, schema: impl Into<Object>) -> Field {
    optional(name, nullable(schema))
}

/// A key with an array that may be absent or null.
pub fn maybe_array(name: &'static str, schema: ArrayBuilder) -> Field {
    let kinds: SchemaType = [Type::Array, Type::Null].into_iter().collect();
    optional(name, schema.schema_type(kinds).build())
}

/// An object that may get more keys in later versions: what answers are.
pub fn object(description: &str, fields: Vec<Field>) -> Object {
    build(description, fields).build()
}

/// An object with exactly these keys: what strict requests are.
pub fn strict(description: &str, fields: Vec<Field>) -> Object {
    build(description, fields).additional_properties(Some(AdditionalProperties::FreeForm(false))).build()
}

fn build(description: &str, fields: Vec<Field>) -> ObjectBuilder {
    let start = ObjectBuilder::new().schema_type(Type::Object).description(Some(description));
    fields.into_iter().fold(start, |object, field| {
        let object = object.property(field.name, field.schema);
        if field.required { object.required(field.name) } else { object }
    })
}

/// A schema kept under `components/schemas`.
pub fn named(name: &str) -> Any {
    RefOr::Ref(Ref::from_schema_name(name))
}

/// An array.
pub fn array(items: impl Into<Any>) -> ArrayBuilder {
    ArrayBuilder::new().items(items.into())
}

/// Text with bounds in characters.
pub fn text(min: usize, max: usize) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).min_length(Some(min)).max_length(Some(max))
}

/// Text with bounds in characters and without NUL, as every request has it.
pub fn plain(min: usize, max: usize) -> ObjectBuilder {
    text(min, max).pattern(Some("^[^\\u0000]*$"))
}

/// A name: one line that is not blank.
pub fn label(max: usize) -> ObjectBuilder {
    text(1, max).pattern(Some("^(?=.*\\S)[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]*$"))
}

/// The same, or empty, which is no name.
pub fn label_or_empty(max: usize) -> ObjectBuilder {
    text(0, max).pattern(Some("^(?:|(?=.*\\S)[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]*)$"))
}

/// A code or number: one line without blanks before or after.
pub fn mark(max: usize) -> ObjectBuilder {
    text(1, max).pattern(Some("^(?!\\s)(?!.*\\s$)[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]*$"))
}

/// What codes or numbers begin with, if with anything.
pub fn prefix(max: usize) -> ObjectBuilder {
    text(0, max).pattern(Some("^(?!\\s)[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]*$"))
}

/// Any text.
pub fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// One of a closed list.
pub fn choice(values: &[&str]) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(values.iter().copied()))
}

/// A whole number of at least this.
pub fn integer(min: isize) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(min))
}

/// An identifier of a person, key, organisation or anything in the books.
pub fn id() -> ObjectBuilder {
    integer(1).maximum(Some(isize::MAX)).format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
}

/// A number.
pub fn number() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Number)
}

/// True or false.
pub fn boolean() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean)
}

/// A moment, RFC 3339.
pub fn moment() -> ObjectBuilder {
    string().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
}

/// A calendar date, `YYYY-MM-DD`.
pub fn date() -> ObjectBuilder {
    string().format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)))
}

/// The same, or null.
pub fn nullable(schema: impl Into<Object>) -> Object {
    let mut schema = schema.into();
    schema.schema_type = match schema.schema_type {
        SchemaType::Type(kind) => [kind, Type::Null].into_iter().collect(),
        SchemaType::Array(kinds) => kinds.into_iter().chain([Type::Null]).collect(),
        any @ SchemaType::AnyValue => any,
    };
    if let Some(values) = &mut schema.enum_values {
        values.push(Value::Null);
    }
    schema
}

/// One of several shapes.
pub fn one_of(shapes: Vec<Any>) -> Schema {
    Schema::OneOf(shapes.into_iter().fold(OneOfBuilder::new(), OneOfBuilder::item).build())
}
