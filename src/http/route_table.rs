//! What a route is, and how a path finds its route.
//!
//! The table is the single source: the server answers from it (`Allow` included), the OpenAPI document is built from it,
//! metrics take their labels from it and tests walk through it.

use std::collections::HashMap;
use std::future::Future;

use actix_web::HttpResponse;
use actix_web::http::Method;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::call::Call;
use super::error::ApiError;
use super::openapi::Operation;
use super::query::decode;
use crate::actors::queue_board::Reservation;
use crate::domain::caller::{Principal, Scope};

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody; credentials are not looked at.
    Public,
    /// Any API key.
    AnyKey,
    /// An API key with this scope.
    Key(Scope),
    /// An API key with both scopes.
    Keys([Scope; 2]),
    /// An API key with this scope or the one that made the job: the handler decides, whatever the id.
    JobPoll(Scope),
    /// A web session of the first-party application.
    Session,
}

/// What a route does with a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyRule {
    /// It is ignored.
    Ignored,
    /// One JSON text is required.
    Json {
        /// A limit below the general one, for routes that serve strangers.
        max_bytes: Option<u64>,
    },
    /// One JSON text is required, a message of JSON-RPC 2.0, in whose form what is wrong with it is answered too.
    JsonRpc,
    /// Nothing or one JSON text.
    OptionalJson,
    /// Nothing or an object without keys: what is done is in the path. Anything else is refused, when it is the body's
    /// turn ([`Call::unexpected_body`]).
    NoKeys,
    /// The handler reads whatever bytes there are, and refuses them in a form of its own.
    Unchecked {
        /// A limit below the general one.
        max_bytes: u64,
    },
    /// The handler takes the connection over (WebSocket).
    Upgrade,
}

impl BodyRule {
    /// One JSON text within the general limit.
    pub const JSON: Self = Self::Json { max_bytes: None };
}

/// What a handler gives back, to be awaited on the worker it was called on.
pub type HandlerFuture = LocalBoxFuture<'static, Result<HttpResponse, ApiError>>;

/// Reserves room for what a caller asks when the head of the request is read.
pub type RoomCheck<S> = fn(&S, &Principal, Look) -> Result<Reservation, ApiError>;

/// Why somebody looks for room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// What finds none waits, and looks again.
    First,
    /// What finds none is refused, and counted as that.
    Last,
}

/// One operation.
pub struct Route<S> {
    /// The method.
    pub method: Method,
    /// The path with `{name}` for one segment and, at the end, `{name*}` for all that is left.
    pub path: &'static str,
    /// Unique name, the OpenAPI `operationId` and the metrics' label.
    pub operation_id: &'static str,
    /// Who may call it.
    pub access: Access,
    /// What it does with a body.
    pub body: BodyRule,
    /// Whether the handler has reasons of its own for a 403. It then asks for [`Call::permitted`], so that 415 comes after.
    pub permits: bool,
    /// Whether there is room for what is asked; where there is none the body is only checked. The handler decides again.
    pub room: Option<RoomCheck<S>>,
    /// Whether pages of other origins may ask it and read what it answers, where the settings let them.
    pub for_pages: bool,
    /// Its documentation; none for what is not part of the public contract.
    pub doc: Option<fn() -> Operation>,
    pub(super) handler: Box<dyn Fn(Call<S>) -> HandlerFuture + Send + Sync>,
}

impl<S: 'static> Route<S> {
    /// A route of any method.
    pub fn new<F, R>(method: Method, path: &'static str, operation_id: &'static str, access: Access, handler: F) -> Self
    where
        F: Fn(Call<S>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<HttpResponse, ApiError>> + 'static,
    {
        let body = if method == Method::GET || method == Method::DELETE { BodyRule::Ignored } else { BodyRule::JSON };
        let handler = Box::new(move |call| handler(call).boxed_local());
        let (permits, for_pages, room, doc) = (false, false, None, None);
        Self { method, path, operation_id, access, body, permits, room, for_pages, doc, handler }
    }

    /// `GET`, body ignored.
    pub fn get<F, R>(path: &'static str, operation_id: &'static str, access: Access, handler: F) -> Self
    where
        F: Fn(Call<S>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<HttpResponse, ApiError>> + 'static,
    {
        Self::new(Method::GET, path, operation_id, access, handler)
    }

    /// `POST`, JSON body required.
    pub fn post<F, R>(path: &'static str, operation_id: &'static str, access: Access, handler: F) -> Self
    where
        F: Fn(Call<S>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<HttpResponse, ApiError>> + 'static,
    {
        Self::new(Method::POST, path, operation_id, access, handler)
    }

    /// `DELETE`, body ignored.
    pub fn delete<F, R>(path: &'static str, operation_id: &'static str, access: Access, handler: F) -> Self
    where
        F: Fn(Call<S>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<HttpResponse, ApiError>> + 'static,
    {
        Self::new(Method::DELETE, path, operation_id, access, handler)
    }

    /// Another rule for the body.
    #[must_use]
    pub fn body(mut self, body: BodyRule) -> Self {
        self.body = body;
        self
    }

    /// The handler refuses with 403 too.
    #[must_use]
    pub fn permitting(mut self) -> Self {
        self.permits = true;
        self
    }

    /// What is asked needs room, which is looked for before the body is read.
    #[must_use]
    pub fn needing_room(mut self, room: RoomCheck<S>) -> Self {
        self.room = Some(room);
        self
    }

    /// Pages of other origins may ask it.
    #[must_use]
    pub fn for_pages(mut self) -> Self {
        self.for_pages = true;
        self
    }

    /// What the handler answers, to whoever may ask it.
    pub(super) fn answer(&self, call: Call<S>) -> HandlerFuture {
        (self.handler)(call)
    }

    /// Puts the operation into the OpenAPI document.
    #[must_use]
    pub fn doc(mut self, doc: fn() -> Operation) -> Self {
        self.doc = Some(doc);
        self
    }
}

/// The table, prepared for finding.
pub struct RouteTable<S> {
    routes: Vec<Route<S>>,
    paths: Vec<PathEntry>,
    literal: HashMap<&'static str, usize>,
}

struct PathEntry {
    segments: Vec<Segment>,
    tail: Option<&'static str>,
    methods: Vec<(Method, usize)>,
    allow: &'static str,
    for_pages: bool,
}

enum Segment {
    Literal(&'static str),
    Parameter(&'static str),
}

/// Path parameters, as they are written: what they name (identifiers, dates) needs no percent-encoding, and what is written otherwise
/// is something else, so that two paths never lead to one record. The rest of a path is percent-decoded.
pub(super) type Parameters = Vec<(&'static str, String)>;

/// What a method and a path lead to.
pub(super) enum RouteMatch<'a, S> {
    Route(usize, &'a Route<S>, Parameters),
    OtherMethods(&'static str),
    Nothing,
}

impl<S> RouteTable<S> {
    /// Prepares a table. A method and path given twice would be a mistake of ours: the first wins, tests refuse it.
    pub fn new(routes: Vec<Route<S>>) -> Self {
        let mut table = Self { routes: Vec::new(), paths: Vec::new(), literal: HashMap::new() };
        let mut templates: HashMap<&'static str, usize> = HashMap::new();
        for (index, route) in routes.iter().enumerate() {
            let at = *templates.entry(route.path).or_insert_with(|| {
                table.paths.push(PathEntry::new(route.path));
                table.paths.len() - 1
            });
            if let Some(entry) = table.paths.get_mut(at) {
                entry.methods.push((route.method.clone(), index));
                entry.for_pages |= route.for_pages;
            }
        }
        for (at, entry) in table.paths.iter_mut().enumerate() {
            entry.allow = allow_value(&entry.methods);
            let template = templates.iter().find(|(_, index)| **index == at).map(|(template, _)| *template);
            if entry.is_literal()
                && let Some(template) = template
            {
                table.literal.insert(template, at);
            }
        }
        table.routes = routes;
        table
    }

    /// The routes, in the order they were given; a route's position is its index everywhere.
    pub fn routes(&self) -> &[Route<S>] {
        &self.routes
    }

    /// Every path and the value of its `Allow` header.
    pub fn allowed(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        self.paths.iter().filter_map(|entry| {
            let (_, index) = entry.methods.first()?;
            Some((self.routes.get(*index)?.path, entry.allow))
        })
    }

    /// Whether pages of other origins may ask what is at a path, by whatever method. Only paths without parameters are.
    pub(super) fn is_for_pages(&self, path: &str) -> bool {
        self.literal.get(path).and_then(|at| self.paths.get(*at)).is_some_and(|entry| entry.for_pages)
    }

    pub(super) fn find(&self, method: &Method, path: &str) -> RouteMatch<'_, S> {
        if let Some(entry) = self.literal.get(path).and_then(|at| self.paths.get(*at)) {
            return self.choose(entry, method, Vec::new());
        }
        let Some(("", after_slash)) = path.split_once('/') else { return RouteMatch::Nothing };
        let found: Vec<&str> = after_slash.split('/').collect();
        if let Some(entry) = self.paths.iter().find(|entry| entry.fits(&found)) {
            return self.choose(entry, method, entry.parameters(&found));
        }
        RouteMatch::Nothing
    }

    fn choose(&self, entry: &PathEntry, method: &Method, parameters: Parameters) -> RouteMatch<'_, S> {
        // HEAD is GET without the body, which the server library leaves out.
        let wanted = if *method == Method::HEAD { &Method::GET } else { method };
        let chosen = entry.methods.iter().find(|(method, _)| method == wanted);
        match chosen.and_then(|(_, index)| Some((*index, self.routes.get(*index)?))) {
            Some((index, route)) => RouteMatch::Route(index, route, parameters),
            None => RouteMatch::OtherMethods(entry.allow),
        }
    }
}

impl PathEntry {
    fn new(template: &'static str) -> Self {
        let mut entry = Self { segments: Vec::new(), tail: None, methods: Vec::new(), allow: "", for_pages: false };
        for segment in template.split('/').skip(1) {
            let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            match name.map(|name| (name, name.strip_suffix('*'))) {
                None => entry.segments.push(Segment::Literal(segment)),
                Some((_, Some(tail))) => entry.tail = Some(tail),
                Some((name, None)) => entry.segments.push(Segment::Parameter(name)),
            }
        }
        entry
    }

    fn is_literal(&self) -> bool {
        self.tail.is_none() && self.segments.iter().all(|segment| matches!(segment, Segment::Literal(_)))
    }

    /// Whether a path leads here. What differs most is looked at first: the count of segments, and those at the end.
    fn fits(&self, found: &[&str]) -> bool {
        let own = self.segments.len();
        let counts = if self.tail.is_some() { found.len() > own } else { found.len() == own };
        counts
            && self.segments.iter().zip(found).rev().all(|(segment, found)| match segment {
                Segment::Literal(literal) => literal == found,
                Segment::Parameter(_) => !found.is_empty(),
            })
    }

    /// The parameters of a path that leads here.
    fn parameters(&self, found: &[&str]) -> Parameters {
        let named = self.segments.iter().zip(found).filter_map(|(segment, found)| match segment {
            Segment::Literal(_) => None,
            Segment::Parameter(name) => Some((*name, (*found).to_owned())),
        });
        let tail = found.get(self.segments.len()..).unwrap_or_default();
        named.chain(self.tail.map(|name| (name, decode(&tail.join("/"), false)))).collect()
    }
}

/// The value of `Allow`: a few strings, made once per process and kept for its life.
fn allow_value(methods: &[(Method, usize)]) -> &'static str {
    let mut names: Vec<&str> = methods.iter().map(|(method, _)| method.as_str()).collect();
    if names.contains(&"GET") {
        names.push("HEAD");
    }
    names.sort_unstable();
    Box::leak(names.join(", ").into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn nothing(_: Call<()>) -> Result<HttpResponse, ApiError> {
        Err(ApiError::not_found())
    }

    fn table() -> RouteTable<()> {
        RouteTable::new(vec![
            Route::get("/a", "a", Access::Public, nothing),
            Route::post("/a", "b", Access::Public, nothing),
            Route::delete("/a/{id}", "c", Access::Public, nothing),
            Route::get("/a/{id}/b/{x}", "d", Access::Public, nothing),
            Route::get("/docs/{file*}", "e", Access::Public, nothing),
        ])
    }

    fn found(method: Method, path: &str) -> String {
        match table().find(&method, path) {
            RouteMatch::Route(_, route, parameters) => format!("{} {parameters:?}", route.operation_id),
            RouteMatch::OtherMethods(allow) => allow.to_owned(),
            RouteMatch::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn paths_lead_to_routes_methods_and_parameters() {
        for (method, path, expected) in [
            (Method::GET, "/a", "a []"),
            (Method::HEAD, "/a", "a []"),
            (Method::POST, "/a", "b []"),
            (Method::PUT, "/a", "GET, HEAD, POST"),
            (Method::DELETE, "/a/7", r#"c [("id", "7")]"#),
            (Method::DELETE, "/a/%2F%20", r#"c [("id", "%2F%20")]"#),
            (Method::GET, "/a/7", "DELETE"),
            (Method::DELETE, "/a/", "nothing"),
            (Method::DELETE, "/a/7/", "nothing"),
            (Method::GET, "/a/", "nothing"),
            (Method::GET, "/a/1/b/2", r#"d [("id", "1"), ("x", "2")]"#),
            (Method::GET, "/a/1/c/2", "nothing"),
            (Method::GET, "/docs/", r#"e [("file", "")]"#),
            (Method::GET, "/docs/x/y.js", r#"e [("file", "x/y.js")]"#),
            (Method::GET, "/docs/x%20/y", r#"e [("file", "x /y")]"#),
            (Method::GET, "/docs", "nothing"),
            (Method::GET, "", "nothing"),
            (Method::GET, "//a", "nothing"),
        ] {
            assert_eq!(found(method.clone(), path), expected, "{method} {path}");
        }
    }
}
