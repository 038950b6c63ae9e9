//! A job from its submission to its end, for both products: what the states carry, who may see them, how long they are
//! kept, and that nothing of what was submitted outlives the result.

use bookkeeping_suite::domain::job::Product;
use serde_json::{Value, json};

use crate::support::client::keys;
use crate::support::gate::{Tell, gate};
use crate::support::product::{JobProduct as _, everywhere, for_both_products};
use crate::support::program::files;
use crate::support::server::{ALL_SCOPES, START_TEXT, Setup, TestServer};
use crate::support::until;

everywhere! {
    fn what_was_submitted_is_gone_once_there_is_a_result(database, product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).on(&database).engine(work).start();
        let (_, key) = server.submitter();
        // Random text does not compress, so that what is stored can be looked for byte by byte.
        let descriptions: Vec<String> = (0..40).map(|_| uuid::Uuid::new_v4().to_string()).collect();
        let id = server.submit(&key, product.describing(&descriptions));
        assert_eq!(gate.started(), id);
        let job = bookkeeping_suite::domain::ids::JobId(id.clone());
        let part = || server.with_store(async |store| store.reader.payload_part(&job, 0).await.unwrap());
        let stored = part().expect("kept while the job runs");
        assert!(stored.len() > 600, "{}", stored.len());
        gate.tell(Tell::Complete);
        server.ended(&key, &id);
        assert_eq!(part(), None);
        // Not in a free page and not in the write-ahead log either.
        let folder = server.folder();
        server.stop();
        let piece = &stored[stored.len() / 2..stored.len() / 2 + 64];
        for file in files(folder.path()) {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!bytes.windows(piece.len()).any(|window| window == piece), "still in {}", file.display());
        }
    }

    fn a_large_submission_and_its_large_result_come_through_whole(database, product) {
        let server = Setup::of(product).on(&database).start();
        let person = server.person_with(100_000, 0, false);
        let key = server.key(&person, &product.scopes());
        // Over a megabyte even when compressed: several parts on the way in and out.
        let unique = || uuid::Uuid::new_v4().to_string();
        let mut descriptions: Vec<String> = (0..2_200).map(|_| (0..13).map(|_| unique()).collect()).collect();
        // And megabytes that compress to next to nothing.
        descriptions.extend(vec!["the same again ".repeat(30); 9_000]);
        let id = server.submit(&key, product.describing(&descriptions));
        let job = server.ended(&key, &id);
        assert_eq!(job["credits_charged"], 11_200);
        assert!(product.described(&job["result"]) == descriptions, "rows are lost, changed or in another order");
        assert_eq!(server.credits(&key), (88_800, 0));
    }
}

for_both_products! {
    fn the_state_grows_with_the_job_and_carries_nothing_early(product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).engine(work).start();
        let (_, key) = server.submitter();
        let first = server.submit(&key, product.costing(5));
        assert_eq!(gate.started(), first);
        let second = server.submit(&key, product.costing(1));
        let queued = server.poll(&key, &second).expect(200);
        assert_eq!(queued, json!({ product.id_field(): second, "status": "queued", "created_at": START_TEXT }));
        let processing = server.poll(&key, &first).expect(200);
        assert_eq!(keys(&processing), product.state_keys(&["progress"]));
        assert_eq!(processing["status"], "processing");
        assert_eq!(keys(&processing["progress"]), ["rows_done", "rows_total"]);
        assert_eq!(processing["progress"]["rows_done"], 0);
        assert_eq!(processing["progress"]["rows_total"], product.rows_total(5));
        for rows_done in [2, 5] {
            gate.tell(Tell::Progress(rows_done));
            until("the progress shows", || {
                (server.poll(&key, &first).value()["progress"]["rows_done"] == rows_done).then_some(())
            });
        }
        // Progress never falls.
        gate.tell(Tell::Progress(1));
        server.advance_s(30);
        gate.tell(Tell::Complete);
        assert_eq!(gate.started(), second);
        let done = server.poll(&key, &first).expect(200);
        let times = (&done["created_at"], &done["completed_at"]);
        assert_eq!(times, (&json!(START_TEXT), &json!("2026-03-10T12:00:30.000Z")));
        gate.tell(Tell::Complete);
        server.ended(&key, &second);
    }

    fn a_job_is_seen_by_its_owner_with_the_scope_and_by_the_key_that_made_it(product) {
        let server = TestServer::start_of(product);
        let person = server.person();
        let [read, write] = product.scopes();
        let creator = server.key(&person, &[write]);
        let reader = server.key(&person, &[read]);
        let others = ALL_SCOPES.into_iter().filter(|scope| *scope != read).collect::<Vec<_>>();
        let blind = server.key(&person, &others);
        let (_, stranger) = server.submitter();
        let id = server.submit(&creator, product.costing(1));
        server.ended(&creator, &id);
        let text = server.poll(&creator, &id).text();
        assert_eq!(server.poll(&reader, &id).text(), text);
        server.poll(&blind, &id).refused(403, "forbidden");
        let foreign = server.poll(&stranger, &id).refused(404, "not_found");
        let path = format!("{}/{id}", product.path());
        server.client.get(&path).send().refused(401, "unauthorized");
        server.client.get(&path).session(&person).send().refused(401, "unauthorized");
        // It is no job of the other product either, whoever asks there.
        for other in Product::ALL.into_iter().filter(|other| *other != product) {
            let key = server.key(&person, &other.scopes());
            server.client.get(&format!("{}/{id}", other.path())).key(&key).send().refused(404, "not_found");
        }
        // Unknown reads the same as foreign; so does anything that cannot be an id.
        let (too_long, longest) = ("r".repeat(65), "r".repeat(64));
        for unknown in [
            "rec_0",
            "x",
            "cod_0",
            "%00",
            "%FF",
            "%2e%2e",
            "rec_%F0%9F%A7%BE",
            &id[..id.len() - 1],
            &longest,
            &too_long,
            &id.to_uppercase(),
        ] {
            assert_eq!(server.poll(&stranger, unknown).refused(404, "not_found"), foreign, "{unknown}");
            assert_eq!(server.poll(&reader, unknown).refused(404, "not_found"), foreign, "{unknown}");
        }
    }

    fn a_revoked_creator_key_polls_no_more_and_the_owner_still_does(product) {
        let server = TestServer::start_of(product);
        let person = server.person();
        let [read, write] = product.scopes();
        let creator = server.key(&person, &[write]);
        let id = server.submit(&creator, product.costing(1));
        server.ended(&creator, &id);
        server.client.delete(&format!("/api/v1/keys/{}", creator.id)).session(&person).send().expect(200);
        server.poll(&creator, &id).refused(401, "unauthorized");
        let reader = server.key(&person, &[read]);
        server.poll(&reader, &id).expect(200);
    }

    fn results_are_kept_for_the_retention_and_then_gone(product) {
        let setup = Setup::of(product);
        let server = setup.clone().start();
        let (_, key) = server.submitter();
        let id = server.submit(&key, product.costing(2));
        server.ended(&key, &id);
        server.advance_s(30 * 86_400 - 60);
        server.poll(&key, &id).expect(200);
        // House is kept when the service starts and every few seconds afterwards.
        let folder = server.folder();
        server.stop();
        let server = setup.clone().folder(folder.clone()).start();
        server.poll(&key, &id).expect(200);
        server.advance_s(120);
        server.stop();
        let server = setup.folder(folder).start();
        until("the job is deleted", || (server.poll(&key, &id).status == 404).then_some(()));
        let job = bookkeeping_suite::domain::ids::JobId(id);
        let left = server.with_store(async |store| store.reader.result_part(&job, 0).await.unwrap());
        assert_eq!(left, None);
        // What it cost stays on record (the fixture's `check` compares charges with movements).
        assert_eq!(server.credits(&key), (1_000, 0), "April's allocation");
    }

    fn polling_needs_no_body_and_submitting_is_not_polling(product) {
        let server = TestServer::start_of(product);
        let (_, key) = server.submitter();
        let id = server.submit(&key, product.costing(1));
        server.ended(&key, &id);
        server
            .client
            .post(&format!("{}/{id}", product.path()))
            .key(&key)
            .json(&Value::Null)
            .send()
            .refused(405, "method_not_allowed");
        server.client.get(product.path()).key(&key).send().refused(405, "method_not_allowed");
    }
}
