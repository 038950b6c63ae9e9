//! OpenAPI and the documentation page.

use actix_web::HttpResponse;
use bookkeeping_suite::http::call::Call;
use bookkeeping_suite::http::error::ApiError;
use bookkeeping_suite::http::openapi;
use bookkeeping_suite::http::route_table::{Access, BodyRule, Route, RouteTable};
use bookkeeping_suite::http::routes;
use serde_json::Value;

use super::support::{Setup, exchange, start_routes};

fn document() -> Value {
    serde_json::from_str(&openapi::document_json(&routes::routes(), Some("https://books.example"))).unwrap()
}

async fn nothing(_: Call<()>) -> Result<HttpResponse, ApiError> {
    Err(ApiError::not_found())
}

/// The real table with handlers that need no products behind them.
fn table() -> Vec<Route<()>> {
    let mut table: Vec<Route<()>> = Vec::from(routes::documentation());
    let described = table.iter().map(|route| route.path).collect::<Vec<_>>();
    for route in routes::routes().into_iter().filter(|route| !described.contains(&route.path)) {
        let bare = Route::new(route.method, route.path, route.operation_id, route.access, nothing).body(route.body);
        table.push(match route.doc {
            Some(doc) => bare.doc(doc),
            None => bare,
        });
    }
    table
}

/// What a reference leads to, or the value itself.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(target) => document.pointer(&target[1..]).unwrap_or_else(|| panic!("{target} leads nowhere")),
        None => value,
    }
}

/// Whether a schema has an example, or the record it wraps in `data`, or each item of it.
fn has_example(document: &Value, schema: &Value) -> bool {
    let schema = resolved(document, schema);
    let inner = [schema.pointer("/properties/data"), schema.get("items")];
    schema["example"].is_object() || inner.into_iter().flatten().any(|inner| has_example(document, inner))
}

#[test]
fn the_document_is_openapi_3_1_and_the_same_bytes_every_time() {
    let first = openapi::document_json(&table(), None);
    assert_eq!(first, openapi::document_json(&table(), None));
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["servers"][0]["url"], "https://books.example");
    let without: Value = serde_json::from_str(&first).unwrap();
    assert!(without.get("servers").is_none());
    for (key, value) in without.as_object().unwrap() {
        assert_eq!(&document[key], value, "{key} does not depend on the base URL");
    }
}

#[test]
fn every_public_route_is_documented_and_nothing_else_is() {
    let document = document();
    let mut expected: Vec<(String, String, String)> = table()
        .iter()
        .filter(|route| route.path.starts_with("/api/v1/"))
        .map(|route| (route.path.to_owned(), route.method.as_str().to_lowercase(), route.operation_id.to_owned()))
        .collect();
    let mut found: Vec<(String, String, String)> = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            found.push((path.clone(), method.clone(), operation["operationId"].as_str().unwrap().to_owned()));
        }
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn no_route_is_given_twice_and_operation_ids_are_unique() {
    let routes = table();
    for (index, route) in routes.iter().enumerate() {
        for other in &routes[index + 1..] {
            assert_ne!(route.operation_id, other.operation_id);
            assert!(route.path != other.path || route.method != other.method, "{}", route.path);
        }
    }
}

#[test]
fn every_operation_states_its_answers_headers_and_credentials() {
    let document = document();
    for route in table().iter().filter(|route| route.doc.is_some()) {
        let operation = &document["paths"][route.path][route.method.as_str().to_lowercase()];
        assert!(operation["summary"].as_str().unwrap().len() > 5);
        assert!(operation["description"].as_str().unwrap().len() > 20);
        assert_eq!(operation["tags"].as_array().unwrap().len(), 1);
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = resolved(&document, parameter);
            // The page fills an `example` in; what may be left out is left out.
            let stands = ["example", "x-example"].map(|name| parameter.get(name).is_some());
            assert_eq!(stands, [parameter["required"] == true, parameter["required"] != true], "{parameter}");
        }
        let schemes = operation["security"].as_array().unwrap().len();
        let expected = match route.access {
            Access::Public => 0,
            Access::Session => 1,
            // A key in either header, or a token.
            _ => 3,
        };
        assert_eq!(schemes, expected, "{}", route.operation_id);
        let responses = operation["responses"].as_object().unwrap();
        for (status, response) in responses {
            let response = resolved(&document, response);
            let is_file = response["content"]["application/pdf"]["schema"].is_object();
            let content = &response["content"]["application/json"];
            assert!(is_file || content["schema"].is_object(), "{} {status}", route.operation_id);
            let has_own = content["example"].is_object() || content["examples"].is_object();
            let has_example = has_own || has_example(&document, &content["schema"]);
            assert!(is_file || has_example, "{} {status}", route.operation_id);
            assert_eq!(response["headers"]["X-Request-Id"]["$ref"], "#/components/headers/RequestId");
            assert_eq!(response["headers"].get("Retry-After").is_some(), status == "429" || status == "503");
            assert_eq!(response["headers"].get("WWW-Authenticate").is_some(), status == "401");
            if status.starts_with('2') && route.access != Access::Public {
                assert!(response["headers"].get("RateLimit-Remaining").is_some());
            }
        }
        let wanted: &[&str] = match route.access {
            Access::Public => &["500"],
            Access::Session => &["401", "429", "500"],
            Access::AnyKey => &["401", "429", "500"],
            _ => &["401", "403", "429", "500"],
        };
        for status in wanted {
            assert!(responses.contains_key(*status), "{} {status}", route.operation_id);
        }
        if operation.get("requestBody").is_some() {
            assert_eq!(
                operation["requestBody"]["required"],
                !matches!(route.body, BodyRule::OptionalJson | BodyRule::NoKeys)
            );
            for status in ["400", "408", "413", "415", "503"] {
                assert!(responses.contains_key(status), "{} {status}", route.operation_id);
            }
        }
        let placeholders = route.path.matches('{').count();
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let in_path = parameters.iter().filter(|parameter| resolved(&document, parameter)["in"] == "path");
        assert_eq!(in_path.count(), placeholders);
    }
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk(value: &Value, visit: &mut dyn FnMut(&str)) {
        match value {
            Value::Object(entries) => {
                if let Some(target) = entries.get("$ref").and_then(Value::as_str) {
                    visit(target);
                }
                entries.values().for_each(|value| walk(value, visit));
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
            _ => {}
        }
    }
    let document = document();
    let mut count = 0;
    walk(&document, &mut |target| {
        count += 1;
        assert!(document.pointer(&target[1..]).is_some(), "{target}");
    });
    assert!(count > 100);
}

/// Keys that are left out of an answer at times; every other key is always there, null or not.
const SOMETIMES_ABSENT: [(&str, &[&str]); 14] = [
    ("SuggestionAllocation", &["cis_suffered", "credit_note_id", "invoice_id"]),
    ("BankImport", &["suggest"]),
    ("CodedTransaction", &["alternatives", "reason", "settles", "transfer_pair"]),
    ("CodingJob", &["completed_at", "credits_charged", "error", "progress", "result"]),
    ("CodingJobFailure", &["details"]),
    (
        "CodingResult",
        &[
            "account_name",
            "batch_consistency",
            "fallback",
            // Where the request has a history.
            "history",
            "history_account_unknown",
            "history_payees_matched",
            "history_rows",
            "history_vat_code_unknown",
            "invoice_settlement",
            "merchant",
            "refund",
            "semantic",
            "transfer",
            "universal_pattern",
        ],
    ),
    ("Error", &["details"]),
    ("Import", &["results", "suggest"]),
    ("ImportSuggest", &["coding_job_id", "error"]),
    ("Reconciliation", &["completed_at", "credits_charged", "error", "progress", "result"]),
    ("ReconciliationFailure", &["details"]),
    ("ReconciliationResult", &["difference", "explanations", "matched", "other_row", "other_rows"]),
    ("RecordedVatReturn", &["adjustments", "entries"]),
    ("VatReturn", &["entries"]),
];

/// The objects of answers inside a schema; those of requests take no other keys.
fn answer_objects<'a>(schema: &'a Value, found: &mut Vec<&'a Value>) {
    match schema {
        Value::Object(entries) => {
            if schema["properties"].is_object() && schema["additionalProperties"] != false {
                found.push(schema);
            }
            entries.values().for_each(|value| answer_objects(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| answer_objects(item, found)),
        _ => {}
    }
}

#[test]
fn answers_have_every_key_and_examples_show_them_all() {
    let document = document();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let absent = SOMETIMES_ABSENT.iter().find(|(known, _)| known == name).map_or(&[][..], |(_, keys)| keys);
        let mut objects = Vec::new();
        answer_objects(schema, &mut objects);
        for object in objects {
            let required = object["required"].as_array().cloned().unwrap_or_default();
            for key in keys(&object["properties"]) {
                // What every envelope may leave out, and what this answer may.
                let is_optional = ["dry_run", "total"].contains(&key.as_str()) || absent.contains(&key.as_str());
                assert!(is_optional || required.contains(&key.as_str().into()), "{name}.{key} is not required");
            }
            if object["example"].is_object() {
                assert_eq!(keys(&object["example"]), keys(&object["properties"]), "{name}");
            }
        }
    }
}

#[test]
fn no_value_fits_both_shapes_of_one_that_may_be_null() {
    let text = openapi::document_json(&table(), None);
    let document: Value = serde_json::from_str(&text).unwrap();
    let mut count = 0;
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let properties = schema["properties"].as_object().into_iter().flatten();
        for (key, shapes) in properties.filter_map(|(key, property)| Some((key, property["oneOf"].as_array()?))) {
            let may_be_null = |shape: &&Value| match &resolved(&document, shape)["type"] {
                Value::Array(kinds) => kinds.contains(&"null".into()),
                kind => kind == "null",
            };
            assert!(shapes.iter().filter(may_be_null).count() < 2, "{name}.{key}");
            count += 1;
        }
    }
    assert!(count > 5);
}

#[test]
fn strict_requests_are_closed_and_bounded() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    for name in ["CreateKey", "ReconciliationRequest", "StatementRow"] {
        assert_eq!(schemas[name]["additionalProperties"], false, "{name}");
    }
    assert_eq!(schemas["CreateKey"]["properties"]["name"]["minLength"], 1);
    assert_eq!(schemas["CreateKey"]["properties"]["name"]["maxLength"], 120);
    assert_eq!(schemas["CreateKey"]["properties"]["scopes"]["uniqueItems"], true);
    assert_eq!(schemas["StatementRow"]["properties"]["description"]["maxLength"], 500);
    let options = &schemas["ReconciliationRequest"]["properties"]["options"];
    assert_eq!(options["additionalProperties"], false);
    assert_eq!(options["properties"]["allowedDateDifferenceInDays"]["maximum"], 30);
}

#[test]
fn the_document_and_the_page_are_served_without_a_network() {
    let server = start_routes(Setup::default(), table());
    let get = |path: &str| exchange(server.address, &format!("GET {path}"), "");
    let answer = get("/openapi.json");
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.json()["servers"][0]["url"], format!("http://{}", server.address));
    let answer = get("/docs");
    assert_eq!((answer.status, answer.header("location")), (308, "/docs/"));
    let page = get("/docs/");
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/html"));
    let html = String::from_utf8(page.body).unwrap();
    assert!(!html.contains("https://") && !html.contains("http://"), "{html}");
    for (file, kind) in [
        ("swagger-ui.css", "text/css"),
        ("swagger-ui-bundle.js", "text/javascript"),
        ("swagger-ui-standalone-preset.js", "text/javascript"),
        ("swagger-initializer.js", "text/javascript"),
        ("favicon-32x32.png", "image/png"),
    ] {
        let answer = get(&format!("/docs/{file}"));
        assert_eq!(answer.status, 200, "{file}");
        assert!(answer.header("content-type").starts_with(kind), "{file}: {}", answer.header("content-type"));
        assert!(!answer.body.is_empty());
    }
    let initializer = String::from_utf8(get("/docs/swagger-initializer.js").body).unwrap();
    assert!(initializer.contains("/openapi.json") && !initializer.contains("petstore"), "{initializer}");
    assert!(initializer.contains("\"persistAuthorization\": true"), "{initializer}");
    assert_eq!(get("/docs/nothing.js").checked().1, "not_found");
    assert_eq!(get("/docs/../Cargo.toml").checked().1, "not_found");
}

#[test]
fn allow_lists_the_methods_of_every_path_of_the_table() {
    let prepared = RouteTable::new(table());
    let server = start_routes(Setup::default(), table());
    for (path, allow) in prepared.allowed() {
        let path = path
            .replace("{id}", "1")
            .replace("{contactId}", "1")
            .replace("{organisationId}", "1")
            .replace("{file*}", "x");
        let missing = ["PATCH", "PUT", "DELETE"].into_iter().find(|method| !allow.contains(method)).unwrap();
        let answer = exchange(server.address, &format!("{missing} {path}"), "");
        assert_eq!(answer.checked(), (405, "method_not_allowed".to_owned()), "{path}");
        assert_eq!(answer.header("allow"), allow);
    }
}

#[test]
fn large_public_texts_come_compressed_to_those_who_take_that() {
    let server = start_routes(Setup::default(), table());
    for path in ["/openapi.json", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/docs/"] {
        let plain = exchange(server.address, &format!("GET {path}"), "");
        assert_eq!((plain.status, plain.header("content-encoding")), (200, ""), "{path}");
        for _ in 0..2 {
            let packed = exchange(server.address, &format!("GET {path}\nAccept-Encoding: br, gzip;q=0.8"), "");
            assert_eq!((packed.status, packed.header("content-encoding")), (200, "gzip"), "{path}");
            assert_eq!(packed.header("content-type"), plain.header("content-type"), "{path}");
            assert_eq!(packed.header("vary"), "Accept-Encoding", "{path}");
            assert!(2 * packed.body.len() < plain.body.len() + 400, "{path}: {} bytes", packed.body.len());
            let mut unpacked = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed.body[..]), &mut unpacked).unwrap();
            assert!(unpacked == plain.body, "{path}");
        }
    }
}
