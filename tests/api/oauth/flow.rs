//! Register, authorise, consent, token, call, refresh, revoke: the whole way, once.

use serde_json::json;

use super::*;
use crate::mcp;
use crate::support::client::keys;
use crate::support::database::on_both_databases;
use crate::support::server::Setup;

on_both_databases! {
    fn a_client_is_registered_allowed_and_works_until_it_is_revoked(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        let organisation = server.organisation(&person, "Larkspur Ltd");
        let other = server.organisation(&person, "Other Ltd");
        let organisations = [organisation];
        let ticks = Ticks { scopes: &["books:read", "books:write"], organisations: Some(&organisations) };
        let client_id = client_at(&server, REDIRECT_URI);
        let code = code_for(&server, &person, &client_id, &ticks);
        let tokens = token(&server, &redemption(&client_id, &code)).expect(200);
        assert_eq!(keys(&tokens), ["access_token", "expires_in", "refresh_token", "scope", "token_type"]);
        assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(3_600)));
        assert_eq!(tokens["scope"], "books:read books:write");
        let connected = Connected::of(&client_id, &tokens);
        let key = connected.key();
        // REST.
        let me = server.client.get("/api/v1/me").key(&key).send().expect(200);
        assert_eq!(me["user_id"], person.user_id);
        assert_eq!(me["scopes"], json!(["books:read", "books:write"]));
        let listed = server.client.get("/api/v1/books/organisations").key(&key).send().expect(200);
        assert_eq!(listed["data"].as_array().unwrap().len(), 1);
        let inside = |id: i64| server.client.get(&format!("/api/v1/books/organisations/{id}/accounts")).key(&key).send();
        inside(organisation).expect(200);
        inside(other).refused(403, "forbidden");
        // The tool server.
        let who = mcp::given(&server, &key, "whoami", &json!({}));
        assert_eq!(who["connection"], json!({ "kind": "oauth", "name": "Test agent" }));
        assert_eq!(who["restricted_to"], json!([organisation]));
        assert_eq!(mcp::given(&server, &key, "books_status", &json!({}))["organisation"]["id"], organisation);
        // Refreshed, the old refresh token is replaced.
        let next = Connected::of(&client_id, &refresh(&server, &client_id, &connected.refresh).expect(200));
        assert_ne!(next.access, connected.access);
        assert_ne!(next.refresh, connected.refresh);
        assert_eq!((super::me(&server, &next.access), super::me(&server, &connected.access)), (200, 200));
        // Revoked by the client: REST and tools at once.
        let revoked = form(&server, "/oauth/revoke", &[("client_id", &client_id), ("token", &next.refresh)]).send_plain();
        assert_eq!(revoked.status, 200, "{revoked}");
        for access in [&next.access, &connected.access] {
            assert_eq!(super::me(&server, access), 401);
            let refused = mcp::message(&server, &ApiKey { plaintext: access.clone(), ..key.clone() }, &json!({})).send();
            refused.refused(401, "unauthorized");
        }
        refused(&refresh(&server, &client_id, &next.refresh), 400, "invalid_grant");
    }

    fn what_is_connected_is_listed_and_ended_by_its_person(database) {
        let server = Setup::new().on(&database).start();
        let (person, stranger) = (server.person(), server.person());
        let organisation = server.organisation(&person, "Larkspur Ltd");
        let connected =
            connect(&server, &person, &Ticks { scopes: &["books:read"], organisations: Some(&[organisation]) });
        let list = |person: &Person| server.client.get("/app/v1/connections").session(person).send().expect(200);
        let listed = list(&person);
        let [connection] = listed["connections"].as_array().unwrap().as_slice() else { panic!("{listed}") };
        assert_eq!(connection["client_name"], "Test agent");
        assert_eq!(connection["client_id"], connected.client_id);
        assert_eq!(connection["redirect_host"], "agent.example");
        assert_eq!(connection["scopes"], json!(["books:read"]));
        assert_eq!(connection["organisations"], json!([organisation]));
        assert!(connection["revoked_at"].is_null());
        assert_eq!(list(&stranger)["connections"], json!([]));
        let path = format!("/app/v1/connections/{}", connection["id"]);
        server.client.delete(&path).session(&stranger).send().refused(404, "not_found");
        server.client.delete(&path).send().refused(401, "unauthorized");
        server.client.delete(&path).key(&connected.key()).send().refused(401, "invalid_token");
        assert_eq!(super::me(&server, &connected.access), 200);
        assert!(!list(&person)["connections"][0]["last_used_at"].is_null());
        let revoked = server.client.delete(&path).session(&person).send().expect(200);
        assert_eq!(keys(&revoked["revoked"]), ["id", "revoked_at"]);
        assert_eq!(super::me(&server, &connected.access), 401);
        server.client.delete(&path).session(&person).send().refused(404, "not_found");
        assert!(!list(&person)["connections"][0]["revoked_at"].is_null());
    }
}
