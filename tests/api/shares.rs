//! What everybody shares is shared: nobody takes all places of a queue, and who waits takes turns.

use serde_json::json;

use crate::support::gate::{Tell, gate};
use crate::support::product::{JobProduct as _, everywhere};
use crate::support::server::{Setup, TestServer};

/// Refusals for a reason, as `/metrics` counts them.
fn refused(server: &TestServer, reason: &str) -> u64 {
    let text = server.operators().get("/metrics").send_plain().text();
    let name = format!("http_refused_total{{reason=\"{reason}\"}} ");
    let counted = text.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok());
    counted.unwrap_or_default()
}

everywhere! {
    fn another_persons_job_starts_after_the_one_that_runs(database, product) {
        let (mut gate, work) = gate(product);
        let server = Setup::of(product).on(&database).engine(work).start();
        let ((_, greedy), (_, modest)) = (server.submitter(), server.submitter());
        let of_greedy: Vec<String> = (0..12).map(|_| server.submit(&greedy, product.costing(1))).collect();
        assert_eq!(gate.started(), of_greedy[0]);
        let of_modest = [server.submit(&modest, product.costing(1)), server.submit(&modest, product.costing(1))];
        for next in [&of_modest[0], &of_greedy[1], &of_modest[1], &of_greedy[2], &of_greedy[3]] {
            gate.tell(Tell::Complete);
            assert_eq!(&gate.started(), next);
        }
        gate.open();
        server.ended(&greedy, &of_greedy[11]);
    }

    fn beyond_their_share_a_person_is_told_so_while_others_are_served(database, product) {
        let (mut gate, work) = gate(product);
        let setup = Setup::of(product).on(&database).engine(work);
        let server = setup.settings(|settings| settings.queue_capacity_jobs = Some(16)).start();
        let ((_, greedy), (_, modest)) = (server.submitter(), server.submitter());
        let mut accepted = vec![server.submit(&greedy, product.costing(1))];
        gate.started();
        // A quarter of the places; the running job does not count.
        accepted.extend((0..4).map(|_| server.submit(&greedy, product.costing(1))));
        for _ in 0..3 {
            let answer = server.submission(&greedy, product.costing(1));
            assert_eq!(answer.details(503, "busy"), json!({ "reason": "queue_share" }));
            assert!(answer.number("retry-after") >= 1);
        }
        assert_eq!((refused(&server, "queue_share"), refused(&server, "queue_full")), (3, 0));
        let theirs = server.submit(&modest, product.costing(1));
        gate.tell(Tell::Complete);
        assert_eq!(gate.started(), theirs);
        gate.tell(Tell::Complete);
        gate.started();
        accepted.push(server.submit(&greedy, product.costing(1)));
        server.submission(&greedy, product.costing(1)).refused(503, "busy");
        gate.open();
        for id in &accepted {
            server.ended(&greedy, id);
        }
        assert_eq!(server.credits(&greedy), (994, 0));
    }
}
