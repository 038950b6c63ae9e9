//! Codes and refresh tokens whose exchange is carried out twice, because nobody knows whether the first time was committed, and the
//! rows of connections that have ended.

use bookkeeping_suite::domain::caller::{Scope, ScopeSet};
use bookkeeping_suite::domain::oauth::lifetimes::Lifetimes;
use bookkeeping_suite::domain::oauth::proof_key::Challenge;
use bookkeeping_suite::domain::oauth::token::TokenHash;
use bookkeeping_suite::store::{
    CodeRedemption, Consent, ConsentOutcome, ExchangeRefusal, NewClient, NewRequest, NewTokens, RefreshExchange,
};
use sea_orm::ConnectionTrait as _;

use super::fixture::{START_MS, StoreFixture, store_suite};

store_suite![an_exchange_that_is_carried_out_twice_is_no_replay, what_is_left_of_ended_connections_is_deleted,];

const CLIENT: &str = "client_of_the_test";
const VERIFIER: &str = "a-verifier-that-is-long-enough-for-the-standard-0123456789";
const REDIRECT_URI: &str = "https://agent.example/callback";

fn scopes() -> ScopeSet {
    [Scope::BooksRead, Scope::BooksWrite].into_iter().collect()
}

fn tokens(number: u8) -> NewTokens {
    NewTokens {
        access: TokenHash([number; 32]),
        refresh: TokenHash([number + 100; 32]),
        lifetimes: Lifetimes::new(3_600, 60, 60),
    }
}

/// A code that a person sent to the client.
async fn code(bed: &StoreFixture, number: u8) -> TokenHash {
    let writer = &bed.store.writer;
    let user = bed.user(1, 0).await;
    let challenge = Challenge::of_verifier(VERIFIER).unwrap();
    let request = TokenHash([number + 50; 32]);
    let begun = NewRequest {
        hash: request,
        client_id: CLIENT.to_owned(),
        user_id: user,
        session: "session".to_owned(),
        redirect_uri: REDIRECT_URI.to_owned(),
        state: None,
        scopes: scopes(),
        challenge: challenge.as_str().to_owned(),
        resource: "http://127.0.0.1/mcp".to_owned(),
        expires_at_ms: START_MS + 600_000,
    };
    writer.begin_oauth_request(begun).await.unwrap();
    let code = TokenHash([number; 32]);
    let consent = Consent {
        request,
        user_id: user,
        session: "session".to_owned(),
        scopes: scopes(),
        organisations: None,
        allow_overage: false,
        client_name: "Test agent".to_owned(),
        code,
    };
    let outcome = writer.allow_oauth_request(consent).await.unwrap();
    assert!(matches!(outcome, ConsentOutcome::Allowed(..)));
    code
}

async fn register(bed: &StoreFixture) {
    let client = NewClient {
        id: CLIENT.to_owned(),
        name: None,
        uri: None,
        redirect_uris: vec![REDIRECT_URI.to_owned()],
        auth_method: "none",
        secret: None,
        scopes: scopes(),
    };
    bed.store.writer.register_client(client).await.unwrap();
}

fn redemption(code: TokenHash, tokens: NewTokens) -> CodeRedemption {
    let challenge = Challenge::of_verifier(VERIFIER).unwrap();
    CodeRedemption { code, client_id: CLIENT.to_owned(), redirect_uri: None, challenge, tokens }
}

fn refreshing(refresh: TokenHash, tokens: NewTokens) -> RefreshExchange {
    RefreshExchange { refresh, client_id: CLIENT.to_owned(), scopes: None, tokens }
}

async fn count(bed: &StoreFixture, table: &str) -> i64 {
    let connection = sea_orm::Database::connect(&bed.url).await.unwrap();
    let sql = format!("select count(*) from {table}");
    let query = sea_orm::Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(query).await.unwrap().unwrap();
    connection.close().await.unwrap();
    row.try_get_by_index(0).unwrap()
}

async fn an_exchange_that_is_carried_out_twice_is_no_replay(bed: &StoreFixture) {
    register(bed).await;
    let writer = &bed.store.writer;
    let code = code(bed, 1).await;
    let first = writer.redeem_code(redemption(code, tokens(1))).await.unwrap().unwrap();
    bed.clock.advance_ms(90_000);
    let again = writer.redeem_code(redemption(code, tokens(1))).await.unwrap().unwrap();
    assert_eq!(again, first, "the same tokens, also when the code has ended since");
    let refresh = tokens(1).refresh;
    let first = writer.refresh_tokens(refreshing(refresh, tokens(2))).await.unwrap().unwrap();
    bed.clock.advance_ms(90_000);
    let again = writer.refresh_tokens(refreshing(refresh, tokens(2))).await.unwrap().unwrap();
    assert_eq!(again, first);
    assert!(!again.is_sibling, "it did not come back");
    assert_eq!((count(bed, "oauth_access_token").await, count(bed, "oauth_refresh_token").await), (2, 2));
    assert_eq!(count(bed, "oauth_refresh_token where siblings > 0").await, 0);
    // With tokens of its own each is a replay.
    let reused = writer.refresh_tokens(refreshing(refresh, tokens(3))).await.unwrap();
    assert!(matches!(reused, Err(ExchangeRefusal::Reused(_))), "{reused:?}");
    assert_eq!(count(bed, "oauth_grant where revoke_reason = 'refresh_reuse'").await, 1);
    let late = writer.refresh_tokens(refreshing(refresh, tokens(2))).await.unwrap();
    assert_eq!(late, Err(ExchangeRefusal::Invalid), "nothing is given again of a connection that has ended");
    let code = self::code(bed, 2).await;
    writer.redeem_code(redemption(code, tokens(4))).await.unwrap().unwrap();
    let reused = writer.redeem_code(redemption(code, tokens(5))).await.unwrap();
    assert!(matches!(reused, Err(ExchangeRefusal::Reused(_))), "{reused:?}");
    let late = writer.redeem_code(redemption(code, tokens(4))).await.unwrap();
    assert_eq!(late, Err(ExchangeRefusal::Invalid));
}

async fn what_is_left_of_ended_connections_is_deleted(bed: &StoreFixture) {
    register(bed).await;
    let writer = &bed.store.writer;
    let (one, other) = (code(bed, 1).await, code(bed, 2).await);
    for (code, number) in [(one, 1), (other, 3)] {
        writer.redeem_code(redemption(code, tokens(number))).await.unwrap().unwrap();
        writer.refresh_tokens(refreshing(tokens(number).refresh, tokens(number + 1))).await.unwrap().unwrap();
    }
    while writer.delete_expired_oauth().await.unwrap() {}
    assert_eq!((count(bed, "oauth_refresh_token").await, count(bed, "oauth_code").await), (4, 2), "all may come back");
    let reused = writer.redeem_code(redemption(one, tokens(9))).await.unwrap();
    assert!(matches!(reused, Err(ExchangeRefusal::Reused(_))), "{reused:?}");
    while writer.delete_expired_oauth().await.unwrap() {}
    assert_eq!((count(bed, "oauth_refresh_token").await, count(bed, "oauth_code").await), (2, 1));
    assert_eq!(count(bed, "oauth_grant").await, 2, "the history names it");
    let late = writer.redeem_code(redemption(one, tokens(10))).await.unwrap();
    assert_eq!(late, Err(ExchangeRefusal::Invalid));
}
