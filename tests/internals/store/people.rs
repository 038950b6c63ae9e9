//! People, keys, organisations, and the epochs that tell other processes.

use bookkeeping_suite::domain::books::command::BooksCommand;
use bookkeeping_suite::domain::books::records::organisation::{OrganisationChange, OrganisationField};
use bookkeeping_suite::domain::caller::{KeyHash, KeyReach, Role, Scope};
use bookkeeping_suite::domain::ids::{ConnectionId, KeyId, OrganisationId, UserId};
use bookkeeping_suite::domain::ledger::organisation::VatPatch;
use bookkeeping_suite::store::{KeyCreated, KeyRow, MemberAdded, NewKey, NewUser, Reader, UserCreated};

use super::books::Books;
use super::fixture::{START_MS, StoreFixture, store_suite};

store_suite![
    an_address_belongs_to_one_person,
    keys_are_created_listed_and_revoked,
    a_restricted_key_needs_membership,
    followers_load_only_what_moved,
    organisations_are_seen_by_accepted_members,
    organisations_read_before_are_seen_as_they_are_now,
    the_first_setting_counts,
    permits_never_exceed_the_limit,
    migration_is_done_once,
];

async fn an_address_belongs_to_one_person(bed: &StoreFixture) {
    let user = |email: &str| NewUser {
        email: email.to_owned(),
        name: "Ada".to_owned(),
        password_hash: "hash".to_owned(),
        monthly_allocation: 10,
        bonus: 0,
        overage_allowed: true,
    };
    let created = bed.store.writer.create_user(user("Ada@Example.com")).await.unwrap();
    let UserCreated::Created(id) = created else { panic!("{created:?}") };
    assert_eq!(bed.store.writer.create_user(user("ada@example.COM")).await.unwrap(), UserCreated::EmailTaken);
    let found = bed.store.reader.find_user_by_email("ADA@example.com").await.unwrap().unwrap();
    assert_eq!((found.id, found.email.as_str(), found.created_at_ms), (id, "Ada@Example.com", START_MS));
    assert_eq!(bed.store.reader.find_user(id).await.unwrap().unwrap().name, "Ada");
    assert!(bed.store.reader.find_user(UserId(id.0 + 1)).await.unwrap().is_none());
    bed.assert_sound().await;
}

fn new_key(user: UserId, name: &str, organisations: Option<Vec<OrganisationId>>) -> NewKey {
    NewKey {
        user_id: user,
        name: name.to_owned(),
        prefix: format!("{name:0>12}"),
        hash: KeyHash([7; 32]),
        scopes: [Scope::ReconcileRead, Scope::BooksRead].into_iter().collect(),
        allow_overage: true,
        organisation_ids: organisations,
        live_max: None,
    }
}

async fn create_key(bed: &StoreFixture, key: NewKey) -> KeyRow {
    match bed.store.writer.create_key(key).await.unwrap() {
        KeyCreated::Created(row) => row,
        KeyCreated::UnknownOrganisation { id, .. } => panic!("unknown organisation {id}"),
        KeyCreated::TooMany { live_max } => panic!("more than {live_max} keys"),
    }
}

async fn keys_are_created_listed_and_revoked(bed: &StoreFixture) {
    let (user, stranger) = (bed.user(1, 0).await, bed.user(1, 0).await);
    let (first, second) =
        (create_key(bed, new_key(user, "a", None)).await, create_key(bed, new_key(user, "b", None)).await);
    let listed = bed.store.reader.list_keys(user).await.unwrap();
    assert_eq!(listed.iter().map(|key| key.id).collect::<Vec<_>>(), [second.id, first.id]);
    assert!(listed[1].hash.matches(&first.hash));
    assert_eq!((listed[1].scopes, listed[1].reach.clone()), (first.scopes, KeyReach::All));

    let first_id = ConnectionId::Key(first.id);
    let used = vec![(first_id, START_MS + 5), (first_id, START_MS + 3)];
    bed.store.writer.flush_last_used(used).await.unwrap();
    assert_eq!(bed.store.reader.list_keys(user).await.unwrap()[1].last_used_at_ms, Some(START_MS + 5));

    let writer = &bed.store.writer;
    assert!(writer.revoke_key(stranger, first.id, 1).await.unwrap().is_none());
    let revoked = writer.revoke_key(user, first.id, START_MS + 9).await.unwrap().unwrap();
    assert_eq!((revoked.revoked_at_ms, revoked.name.as_str()), (Some(START_MS + 9), "a"));
    assert!(writer.revoke_key(user, first.id, 1).await.unwrap().is_none());
    assert!(writer.revoke_key(user, KeyId(999), 1).await.unwrap().is_none());
    assert_eq!(bed.store.reader.load_keys(0).await.unwrap().len(), 1);
}

async fn a_restricted_key_needs_membership(bed: &StoreFixture) {
    let (user, other) = (bed.user(1, 0).await, bed.user(1, 0).await);
    let own = bed.organisation(user, "Own Ltd", true).await.id;
    let foreign = bed.organisation(other, "Foreign Ltd", false).await.id;
    let before = bed.store.reader.epochs().await.unwrap();
    let refused = bed.store.writer.create_key(new_key(user, "r", Some(vec![own, foreign]))).await.unwrap();
    assert!(matches!(refused, KeyCreated::UnknownOrganisation { index: 1, id } if id == foreign));
    assert_eq!(bed.store.reader.epochs().await.unwrap(), before);
    let key = create_key(bed, new_key(user, "r", Some(vec![own]))).await;
    assert!(key.reach.covers(own) && !key.reach.covers(foreign));
    assert_eq!(bed.store.reader.load_keys(before.keys).await.unwrap()[0].reach, key.reach);
    let revoked = bed.store.writer.revoke_key(user, key.id, 1).await.unwrap().unwrap();
    assert_eq!(revoked.reach, key.reach);
}

async fn followers_load_only_what_moved(bed: &StoreFixture) {
    let user = bed.user(1, 0).await;
    let start = bed.store.reader.epochs().await.unwrap();
    let key = create_key(bed, new_key(user, "a", None)).await;
    let created = bed.store.reader.epochs().await.unwrap();
    assert_eq!((created.keys, created.credits), (start.keys + 1, start.credits));
    assert_eq!(key.changed_epoch, created.keys);
    assert!(bed.store.reader.load_keys(created.keys).await.unwrap().is_empty());
    bed.store.writer.flush_last_used(vec![(ConnectionId::Key(key.id), START_MS)]).await.unwrap();
    assert_eq!(bed.store.reader.epochs().await.unwrap(), created);
    bed.store.writer.revoke_key(user, key.id, START_MS).await.unwrap().unwrap();
    let changed = bed.store.reader.load_keys(created.keys).await.unwrap();
    assert_eq!(changed.iter().map(|key| (key.id, key.revoked_at_ms)).collect::<Vec<_>>(), [(key.id, Some(START_MS))]);
    bed.organisation(user, "Own Ltd", false).await;
    let moved = bed.store.reader.epochs().await.unwrap();
    assert_eq!(moved.memberships, created.memberships + 1);
    let memberships = bed.store.reader.memberships_changed_after(created.memberships).await.unwrap();
    assert_eq!(memberships.iter().map(|membership| membership.user_id).collect::<Vec<_>>(), [user]);
}

async fn organisations_are_seen_by_accepted_members(bed: &StoreFixture) {
    let (owner, member) = (bed.user(1, 0).await, bed.user(1, 0).await);
    let created = bed.organisation(owner, "Larkspur Joinery Ltd", true).await;
    assert_eq!((created.version, created.has_vat_control, created.status.as_str()), (1, true, "active"));
    let reader = &bed.store.reader;
    assert_eq!(reader.organisations_of(owner).await.unwrap(), [(created.clone(), Role::Owner)]);
    assert!(reader.organisation_for(member, created.id).await.unwrap().is_none());
    let add = |role| bed.store.writer.add_member(created.id, member, role);
    assert_eq!(add(Role::Viewer).await.unwrap(), MemberAdded::Added);
    assert_eq!(add(Role::Bookkeeper).await.unwrap(), MemberAdded::RoleChanged);
    assert_eq!(reader.organisation_for(member, created.id).await.unwrap().unwrap().1, Role::Bookkeeper);
    bed.tamper("update membership set accepted = false where role = 'bookkeeper'").await;
    assert!(reader.organisations_of(member).await.unwrap().is_empty());
    let unknown = bed.store.writer.add_member(OrganisationId(999), member, Role::Viewer).await.unwrap();
    assert_eq!(unknown, MemberAdded::UnknownOrganisation);
}

async fn organisations_read_before_are_seen_as_they_are_now(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let (store, here, there) = (&bed.store, &bed.store.reader, bed.second_process().await);
    let (id, member) = (books.organisation.id, bed.user(1, 0).await);
    let seen = async |reader: &Reader, user| {
        let found = reader.recent_organisation_for(user, id).await.unwrap();
        found.map(|found| (found.0.timezone.clone(), found.1))
    };
    let in_zone = |zone: &str, role| Some((zone.to_owned(), role));
    for reader in [here, &there.reader] {
        assert_eq!(seen(reader, books.user).await, in_zone("Europe/London", Role::Owner));
        assert_eq!(seen(reader, member).await, None);
    }
    store.writer.add_member(id, member, Role::Viewer).await.unwrap();
    assert_eq!(seen(here, member).await, in_zone("Europe/London", Role::Viewer), "what is not there is not kept");
    let fields = vec![OrganisationField::Timezone("Europe/Paris".to_owned())];
    books
        .done(BooksCommand::PatchOrganisation(Box::new(OrganisationChange { fields, vat: VatPatch::default() })))
        .await;
    assert_eq!(seen(here, books.user).await, in_zone("Europe/Paris", Role::Owner));
    store.writer.add_member(id, member, Role::Bookkeeper).await.unwrap();
    assert_eq!(seen(here, member).await, in_zone("Europe/Paris", Role::Bookkeeper));
    // Another process is told by the epochs.
    assert!(there.reader.epochs().await.unwrap().memberships > books.organisation.changed_epoch);
    there.reader.forget_recent_organisations();
    assert_eq!(seen(&there.reader, books.user).await, in_zone("Europe/Paris", Role::Owner));
    assert_eq!(seen(&there.reader, member).await, in_zone("Europe/Paris", Role::Bookkeeper));
}

async fn the_first_setting_counts(bed: &StoreFixture) {
    assert_eq!(bed.store.reader.setting("secret").await.unwrap(), None);
    assert_eq!(bed.store.writer.setting_or_insert("secret", "a".to_owned()).await.unwrap(), "a");
    assert_eq!(bed.store.writer.setting_or_insert("secret", "b".to_owned()).await.unwrap(), "a");
    assert_eq!(bed.store.reader.setting("secret").await.unwrap().as_deref(), Some("a"));
}

async fn permits_never_exceed_the_limit(bed: &StoreFixture) {
    let second_process = bed.second_process().await;
    let mut granted = Vec::new();
    loop {
        let writer = if granted.len() % 2 == 0 { &bed.store.writer } else { &second_process.writer };
        let lease = writer.lease_permits("key:1", 45, 60_000, 10).await.unwrap();
        assert_eq!(lease.window_start_ms, START_MS);
        if lease.granted == 0 {
            assert_eq!(lease.left, 0);
            break;
        }
        granted.push(lease.granted);
    }
    assert_eq!(granted.iter().sum::<i64>(), 45);
    assert_eq!(granted[..4], [10, 10, 10, 1]);
    bed.clock.advance_ms(60_000);
    let lease = second_process.writer.lease_permits("key:1", 45, 60_000, 10).await.unwrap();
    assert_eq!((lease.granted, lease.left, lease.window_start_ms), (10, 35, START_MS + 60_000));
    second_process.close().await;
}

async fn migration_is_done_once(bed: &StoreFixture) {
    let second_process = bed.second_process().await;
    let (one, two) = tokio::join!(bed.store.migrate(), second_process.migrate());
    assert_eq!((one.unwrap().len(), two.unwrap().len()), (0, 0));
    second_process.close().await;
}
