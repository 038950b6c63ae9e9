//! The progress socket: what happens to a person's jobs, as it happens.
//!
//! The token comes in `Authorization` or as the second of two subprotocols (`bearer, <jwt>`), never in the query. A page
//! of another origin is refused. A reader that falls too far behind is cut off rather than buffered for. A session has a bounded number
//! of sockets, which end with it.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, web};
use actix_ws::{CloseCode, CloseReason, Item, Message, MessageStream, ProtocolError, Session};
use dashmap::DashMap;
use futures_util::StreamExt as _;
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::actors::job_board::JobEvent;
use crate::actors::job_runner::Stopping;
use crate::domain::ids::{JobId, UserId};
use crate::domain::job::JobStatus;
use crate::http::call;
use crate::http::call::{Call, Presented};
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::server::ReadPermit;
use crate::session::Session as WebSession;

const SUBPROTOCOL: &str = "bearer";
/// How often it is looked whether the session has ended, and the database is read where several processes may work on the person's jobs.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// How long a reader may take to make room for a message.
const SEND_WAIT: Duration = Duration::from_secs(5);
/// The longest message that is waited for: clients have nothing to say here.
const MESSAGE_BYTES_MAX: usize = 4096;
/// A person may have so many times the sockets of one session open.
const SESSIONS_OF_PERSON: u64 = 4;
/// How often an idle connection is pinged.
const PING_EVERY: Duration = Duration::from_secs(20);

/// Sockets that are open, by session and by person.
#[derive(Default)]
pub struct OpenSockets(Arc<DashMap<Holder, u64>>);

/// Who has sockets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Holder {
    Session(String),
    Person(UserId),
}

/// One of them; no longer counted when it is dropped.
struct OpenSocket {
    sockets: Arc<DashMap<Holder, u64>>,
    holder: Holder,
}

impl OpenSockets {
    /// Counts one more socket of a session, of which there may be so many; of a person's sessions together, a few times as many.
    fn open(&self, session: &WebSession, max: u64) -> Result<[OpenSocket; 2], ApiError> {
        // A token of an earlier version names no session: then the person counts as one.
        let of_session = session.id.clone().unwrap_or_else(|| session.user_id.to_string());
        let of_session = self.count(Holder::Session(of_session), max, "session")?;
        let of_person = max.saturating_mul(SESSIONS_OF_PERSON);
        Ok([of_session, self.count(Holder::Person(session.user_id), of_person, "person")?])
    }

    fn count(&self, holder: Holder, max: u64, whose: &str) -> Result<OpenSocket, ApiError> {
        let mut count = self.0.entry(holder.clone()).or_insert(0);
        if *count >= max {
            return Err(ApiError::limit_reached(format!("a {whose} may have {max} progress sockets open"), max));
        }
        *count += 1;
        Ok(OpenSocket { sockets: Arc::clone(&self.0), holder })
    }
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        if let Some(mut count) = self.sockets.get_mut(&self.holder) {
            *count = count.saturating_sub(1);
        }
        self.sockets.remove_if(&self.holder, |_, count| *count == 0);
    }
}

/// The parts of a message that has not ended, which are counted and thrown away.
#[derive(Default)]
struct Unfinished(usize);

impl Unfinished {
    /// Counts a part; an error when the message is longer than any that is waited for.
    fn take(&mut self, part: &Item) -> Result<(), CloseReason> {
        self.0 = match part {
            Item::FirstText(bytes) | Item::FirstBinary(bytes) => bytes.len(),
            Item::Continue(bytes) => self.0 + bytes.len(),
            Item::Last(_) => 0,
        };
        if self.0 > MESSAGE_BYTES_MAX { Err(too_long()) } else { Ok(()) }
    }
}

fn too_long() -> CloseReason {
    CloseReason { code: CloseCode::Size, description: Some("nothing so long is expected".to_owned()) }
}

/// `GET /app/v1/progress`.
pub async fn socket(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let products = std::sync::Arc::clone(call.state());
    if let Some(origin) = call.header("origin")
        && products.base_url.get().is_none_or(|base_url| origin != origin_of(base_url))
    {
        return Err(ApiError::forbidden("pages of another origin may not open this socket"));
    }
    let (request, mut payload) = call.into_upgrade()?;
    let (token, by_subprotocol) = token(&request).ok_or_else(ApiError::session_required)?;
    let web_session = products.sessions.read(&token, products.clock.as_ref()).map_err(|_| ApiError::invalid_token())?;
    let permit = request.conn_data::<Rc<ReadPermit>>().cloned();
    let stream = web::Payload::from_request(&request, &mut payload).await.map_err(ApiError::internal)?;
    let (mut response, session, messages) = actix_ws::handle(&request, stream).map_err(|error| {
        let mut issues = crate::domain::problem::Issues::default();
        issues.field("headers", "Upgrade", format!("must open a WebSocket: {error}"));
        ApiError::validation(&issues)
    })?;
    if by_subprotocol {
        response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
    }
    let counted = products.sockets.open(&web_session, products.limits.max_sockets_per_session)?;
    // Listening begins before the open jobs are read, so that nothing falls between the two.
    let events = products.actors.board.listen(web_session.user_id);
    actix_web::rt::spawn(async move {
        let mut messages = messages.max_frame_size(MESSAGE_BYTES_MAX);
        let ending = serve(&products, &web_session, session.clone(), events, &mut messages).await;
        drop(counted);
        // The other side may be gone already, which is what was wanted.
        drop(tokio::time::timeout(SEND_WAIT, session.close(ending)).await);
        // Who closes a WebSocket ends the connection, too (RFC 6455, 7.1.1): nothing that comes after matters.
        if let Some(permit) = permit {
            permit.hang_up();
        }
    });
    Ok(response)
}

fn token(request: &HttpRequest) -> Option<(String, bool)> {
    if let Presented::One(token) = call::bearer(request.headers()) {
        return Some((token.to_owned(), false));
    }
    let offered = request.headers().get(header::SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    let mut names = offered.split(',').map(str::trim);
    if names.next() != Some(SUBPROTOCOL) {
        return None;
    }
    names.next().map(|token| (token.to_owned(), true))
}

fn origin_of(base_url: &str) -> &str {
    let after_scheme = base_url.find("://").map_or(0, |at| at + 3);
    let path = base_url.get(after_scheme..).and_then(|rest| rest.find('/'));
    path.and_then(|at| base_url.get(..after_scheme + at)).unwrap_or(base_url)
}

fn message(event: &JobEvent) -> String {
    json!({
        "type": "job",
        "product": event.product.as_str(),
        "id": event.id,
        "status": event.status.as_str(),
        "rows_done": event.rows_done,
        "rows_total": event.rows_total,
    })
    .to_string()
}

/// Sends one message; a reader that takes none for too long is given up, as one that has gone.
async fn send(session: &mut Session, event: &JobEvent) -> Result<(), actix_ws::Closed> {
    tokio::time::timeout(SEND_WAIT, session.text(message(event))).await.unwrap_or(Err(actix_ws::Closed))
}

async fn serve(
    products: &Products,
    web_session: &WebSession,
    mut session: Session,
    mut events: Receiver<JobEvent>,
    messages: &mut MessageStream,
) -> Option<CloseReason> {
    let user_id = web_session.user_id;
    let mut sent: Vec<(JobId, JobStatus)> = Vec::new();
    if send_changes(products, user_id, &mut session, &mut sent).await.is_err() {
        return None;
    }
    let mut polls = tokio::time::interval(POLL_EVERY);
    let mut pings = tokio::time::interval(PING_EVERY);
    let mut stopping = products.actors.stopping();
    let mut unfinished = Unfinished::default();
    loop {
        tokio::select! {
            // A socket never ends of itself; left open it would use up the grace of everybody else.
            _ = stopping.wait_for(|stopping| *stopping != Stopping::No) => return Some(CloseCode::Away.into()),
            event = events.recv() => match event {
                Ok(event) => {
                    sent.retain(|(id, _)| *id != event.id);
                    if !event.status.is_final() {
                        sent.push((event.id.clone(), event.status));
                    }
                    send(&mut session, &event).await.ok()?;
                }
                Err(RecvError::Lagged(_)) => {
                    let reason = Some("too many messages behind".to_owned());
                    return Some(CloseReason { code: CloseCode::Policy, description: reason });
                }
                Err(RecvError::Closed) => return Some(CloseCode::Away.into()),
            },
            _ = polls.tick() => {
                if web_session.ends_at_ms <= products.clock.now_ms() {
                    let reason = Some("the session has ended".to_owned());
                    return Some(CloseReason { code: CloseCode::Policy, description: reason });
                }
                if products.shared_database {
                    send_changes(products, user_id, &mut session, &mut sent).await.ok()?;
                }
            }
            _ = pings.tick() => tokio::time::timeout(SEND_WAIT, session.ping(b"")).await.ok()?.ok()?,
            incoming = messages.next() => match incoming {
                Some(Ok(Message::Ping(bytes))) => tokio::time::timeout(SEND_WAIT, session.pong(&bytes)).await.ok()?.ok()?,
                Some(Ok(Message::Close(reason))) => return reason,
                Some(Ok(Message::Continuation(part))) => if let Err(reason) = unfinished.take(&part) {
                    return Some(reason);
                },
                Some(Ok(_)) => {}
                Some(Err(ProtocolError::Overflow)) => return Some(too_long()),
                Some(Err(_)) | None => return None,
            },
        }
    }
}

/// Sends every open job whose status has changed since it was `sent`, and those that have ended elsewhere.
async fn send_changes(
    products: &Products,
    user_id: UserId,
    session: &mut Session,
    sent: &mut Vec<(JobId, JobStatus)>,
) -> Result<(), actix_ws::Closed> {
    let Ok(open) = products.reader.open_jobs(user_id).await else { return Ok(()) };
    for job in &open {
        if sent.iter().any(|(id, status)| *id == job.id && *status == job.status) {
            continue;
        }
        sent.retain(|(id, _)| *id != job.id);
        sent.push((job.id.clone(), job.status));
        let total = u64::try_from(job.rows_total).unwrap_or_default();
        let (rows_done, rows_total) = products.actors.board.running(&job.id).map_or((0, total), |job| job.rows());
        let event = JobEvent { product: job.product, id: job.id.clone(), status: job.status, rows_done, rows_total };
        send(session, &event).await?;
    }
    let ended: Vec<JobId> =
        sent.iter().filter(|(id, _)| !open.iter().any(|job| job.id == *id)).map(|(id, _)| id.clone()).collect();
    sent.retain(|(id, _)| !ended.contains(id));
    for id in ended {
        for product in crate::domain::job::Product::ALL {
            if let Ok(Some(job)) = products.reader.find_visible(product, &id, user_id).await {
                let rows_total = u64::try_from(job.rows_total).unwrap_or_default();
                let event = JobEvent { product, id: id.clone(), status: job.status, rows_done: rows_total, rows_total };
                send(session, &event).await?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        assert_eq!(origin_of("https://books.example.com/app"), "https://books.example.com");
        assert_eq!(origin_of("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
    }
}
