//! The connections of the operators' listener. There are few, and the oldest make room for new ones: whoever opens many and asks nothing
//! uses up neither the descriptors that are kept for operators nor their patience.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::net::TcpListener;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_http::{HttpService, KeepAlive, Protocol};
use actix_service::{IntoServiceFactory as _, ServiceFactoryExt as _, fn_service, map_config};
use actix_web::App;
use actix_web::body::BoxBody;
use actix_web::dev::{AppConfig, Server, ServiceFactory, ServiceRequest, ServiceResponse};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Connections that are open at once, well within the descriptors that are kept back.
const CONNECTIONS_MAX: usize = 24;
/// How long a connection rests between requests, and how long the head of one may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A listener on one thread of its own. Await it, or spawn it and stop it by its handle.
pub(super) fn server<F, T>(listener: TcpListener, app: F) -> io::Result<Server>
where
    F: Fn() -> App<T> + Clone + Send + 'static,
    T: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<BoxBody>,
            Error = actix_web::Error,
            InitError = (),
        > + 'static,
{
    let address = listener.local_addr()?;
    let builder = Server::build().workers(1).disable_signals().shutdown_timeout(1);
    let server = builder.listen("operators", listener, move || {
        let app = app().into_factory().map_err(|error: actix_web::Error| error.error_response());
        let http = HttpService::<Connection, _, _>::build()
            .keep_alive(KeepAlive::Timeout(PATIENCE))
            .client_request_timeout(PATIENCE)
            .local_addr(address)
            .finish(map_config(app, |()| AppConfig::default()));
        let open = Rc::<OpenConnections>::default();
        fn_service(move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            std::future::ready(Ok((open.admit(stream), Protocol::Http1, peer)))
        })
        .and_then(http)
    })?;
    Ok(server.run())
}

/// What is open, the oldest first.
#[derive(Default)]
struct OpenConnections(RefCell<VecDeque<Weak<Admitted>>>);

impl OpenConnections {
    fn admit(&self, stream: TcpStream) -> Connection {
        let mut open = self.0.borrow_mut();
        open.retain(|connection| connection.strong_count() > 0);
        while open.len() >= CONNECTIONS_MAX {
            if let Some(oldest) = open.pop_front().and_then(|connection| connection.upgrade()) {
                oldest.cut();
            }
        }
        let admitted = Rc::<Admitted>::default();
        open.push_back(Rc::downgrade(&admitted));
        Connection { stream, admitted }
    }
}

/// Whether a connection is to end, and how it hears of that.
#[derive(Default)]
struct Admitted {
    is_cut: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Admitted {
    fn cut(&self) {
        self.is_cut.set(true);
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }
}

/// A socket that pretends to have ended when it is to make room.
struct Connection {
    stream: TcpStream,
    admitted: Rc<Admitted>,
}

impl Connection {
    fn remember(&self, context: &Context<'_>) {
        *self.admitted.waker.borrow_mut() = Some(context.waker().clone());
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.admitted.is_cut.get() {
            return Poll::Ready(Ok(()));
        }
        self.remember(context);
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if written.is_pending() && self.admitted.is_cut.get() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        self.remember(context);
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
