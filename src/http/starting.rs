//! What the public listener says while the database is not ready: 503 `busy`, to everybody, and that the connection ends.

use std::net::TcpListener;
use std::rc::Rc;
use std::sync::Arc;

use actix_web::dev::Server;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};

use crate::clock::Clock;
use crate::domain::refusal_reason::RefusalReason;
use crate::http::call::X_REQUEST_ID;
use crate::http::envelope::{self, RequestIds};
use crate::http::error::ApiError;

/// A listener on one thread of its own that refuses everything. Await it, or spawn it and stop it by its handle.
pub fn server(listener: TcpListener, clock: Arc<dyn Clock>) -> std::io::Result<Server> {
    let app = move || {
        let (clock, ids) = (Arc::clone(&clock), Rc::new(RequestIds::default()));
        App::new().default_service(web::to(move |_: HttpRequest| {
            let response = refuse(&ids, clock.as_ref());
            async move { response }
        }))
    };
    Ok(HttpServer::new(app).workers(1).disable_signals().shutdown_timeout(1).listen(listener)?.run())
}

fn refuse(ids: &RequestIds, clock: &dyn Clock) -> HttpResponse {
    let request_id = ids.mint(clock.now_ms(), clock);
    let error = ApiError::busy(RefusalReason::Starting, "the service is starting", 1);
    let mut response = envelope::error(&error, request_id);
    response.headers_mut().insert(X_REQUEST_ID, request_id.header_value());
    response.head_mut().set_connection_type(actix_http::ConnectionType::Close);
    response
}
