//! A proxy on loopback that adds the credential to requests: for clients that cannot be told one.

use std::{
    io::{BufRead, BufReader, Read, Write, copy},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, ensure};

/// How long either side may be silent.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest head of a request.
const HEAD_MAX_BYTES: u64 = 64 * 1024;

/// Serves until the process ends; where it listens. Its own address in `Host` and `Origin` becomes that of the server, as a
/// proxy that is known to its server would have it; every other value passes as it is. One request a connection.
pub(super) fn start(server: SocketAddr, key: &str) -> Result<SocketAddr> {
    ensure!(server.ip().is_loopback(), "{server} is not a loopback address");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot listen")?;
    let address = listener.local_addr()?;
    let key = key.to_owned();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let key = key.clone();
            thread::spawn(move || {
                if let Err(error) = pass(client, address, server, &key) {
                    eprintln!("the proxy for clients without a key: {error:#}");
                }
            });
        }
    });
    Ok(address)
}

fn pass(client: TcpStream, own: SocketAddr, server: SocketAddr, key: &str) -> Result<()> {
    client.set_read_timeout(Some(PATIENCE))?;
    let mut requests = BufReader::new(client.try_clone()?).take(HEAD_MAX_BYTES);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if requests.read_line(&mut head)? == 0 {
            ensure!(head.is_empty(), "a request that ends in its head");
            return Ok(());
        }
    }
    let mut upstream = TcpStream::connect_timeout(&server, PATIENCE)?;
    upstream.set_read_timeout(Some(PATIENCE))?;
    upstream.write_all(head_for(&head, own, server, key).as_bytes())?;
    requests.set_limit(u64::MAX);
    let mut onward = upstream.try_clone()?;
    // Ends when the client has nothing more to say or the answer is through.
    let sending = thread::spawn(move || copy(&mut requests, &mut onward));
    let mut back = &client;
    copy(&mut upstream, &mut back)?;
    // A client that left before is not told anything.
    let _ = client.shutdown(Shutdown::Both);
    let _ = sending.join();
    Ok(())
}

/// The head of a request as the server is to see it.
fn head_for(head: &str, own: SocketAddr, server: SocketAddr, key: &str) -> String {
    let (own, server) = (own.to_string(), server.to_string());
    let mut lines = head.trim_end().lines();
    let mut passed = format!("{}\r\n", lines.next().unwrap_or_default());
    for line in lines {
        let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
        match name.as_str() {
            "connection" | "authorization" => {}
            "host" | "origin" => passed.push_str(&format!("{}\r\n", line.replace(&own, &server))),
            _ => passed.push_str(&format!("{line}\r\n")),
        }
    }
    format!("{passed}Connection: close\r\nAuthorization: Bearer {key}\r\n\r\n")
}

#[cfg(test)]
mod tests {
    use super::head_for;

    #[test]
    fn a_head_gets_the_key_and_the_address_of_the_server() {
        let (own, server) = ("127.0.0.1:81".parse().unwrap(), "127.0.0.1:82".parse().unwrap());
        let head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:81\r\nOrigin: http://127.0.0.1:81\r\nConnection: keep-alive\r\nX: 127.0.0.1:81\r\n\r\n";
        let passed = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:82\r\nOrigin: http://127.0.0.1:82\r\nX: 127.0.0.1:81\r\n\
                      Connection: close\r\nAuthorization: Bearer k\r\n\r\n";
        assert_eq!(head_for(head, own, server, "k"), passed);
        assert!(head_for("GET / HTTP/1.1\r\nhost: evil\r\n\r\n", own, server, "k").contains("host: evil\r\n"));
    }
}
