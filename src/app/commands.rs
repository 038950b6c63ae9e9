//! The commands that are not `serve`: each opens the store, does one thing, prints data to standard output.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::secrets;
use crate::cli::{CreditsCommand, OrganisationCommand, UserCommand};
use crate::clock::Clock;
use crate::config::{SettingError, Settings};
use crate::domain::books::request::{CreateOrganisation, OrganisationCreated};
use crate::domain::caller::Role;
use crate::domain::date::{Month, date_time_text};
use crate::domain::ids::{OrganisationId, UserId};
use crate::domain::password::weakness;
use crate::http::resources::organisations::OrganisationJson;
use crate::session::{Sessions, hash_password};
use crate::store::{MemberAdded, MovementRow, NewUser, Store, StoreError, StoreOptions, UserCreated, UserRow};

/// How often the database is tried at start, and how long between.
const OPEN_ATTEMPTS_MAX: u32 = 5;
const OPEN_RETRY_AFTER: Duration = Duration::from_secs(1);
/// How often a service that waits for its database says so again.
const TELL_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// A command was used wrongly; the program ends with exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Prints a line of data; a reader that has gone away is not an error worth a message.
pub(super) fn print(line: &str) {
    drop(writeln!(std::io::stdout(), "{line}"));
}

/// The address of the database.
pub fn database_url(settings: &Settings) -> String {
    settings.database_url.clone().unwrap_or_else(|| database_in(&settings.data_dir))
}

/// The address of the database that a data folder has unless another one is named.
pub(super) fn database_in(data_dir: &Path) -> String {
    format!("sqlite://{}", data_dir.join("bookkeeping.db").display())
}

/// An error, for which the program ends as for any bad setting, when the address of the database cannot be used: it cannot be read, of
/// which nothing is repeated, or leads to a file that has other names.
pub fn check_database_url(url: &str) -> anyhow::Result<()> {
    if let Err(allowed) = Store::check_address(url) {
        // Only the scheme is shown: the rest may hold a password.
        let scheme = url.split_once(':').map_or("(no scheme)", |(scheme, _)| scheme);
        let (value, allowed) = (format!("{scheme}:…"), allowed.to_owned());
        return Err(SettingError { key: "database_url", value, allowed }.into());
    }
    let names = Store::names(url)?;
    if names > 1 {
        return Err(Usage(format!(
            "setting database_url: the file {} has {names} names (hard links); allowed: one, because its log is kept beside the name it \
             is opened by, and what is written under one name is lost under another; remove the other names, or make a copy of the file",
            address_without_secrets(url)
        ))
        .into());
    }
    Ok(())
}

/// Makes the data folder, readable by its owner alone.
pub fn prepare_data_dir(folder: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("cannot create data_dir {}", folder.display()))
}

/// Opens the store of the settings and brings its schema up to date.
pub async fn open_store(settings: &Settings, clock: Arc<dyn Clock>) -> anyhow::Result<(Store, Vec<String>)> {
    open_store_with(settings, StoreOptions::new(database_url(settings)), clock).await
}

/// The same with options of the caller's.
pub async fn open_store_with(
    settings: &Settings,
    options: StoreOptions,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<(Store, Vec<String>)> {
    check_database_url(&options.database_url)?;
    prepare_data_dir(&settings.data_dir)?;
    open_patiently(options, clock, false).await?.context("the database has no schema")
}

/// The same for a service, which waits for its database as long as it takes, and says through `tell` what for.
pub(super) async fn await_store(
    options: StoreOptions,
    clock: Arc<dyn Clock>,
    tell: impl Fn(String),
) -> anyhow::Result<(Store, Vec<String>)> {
    let address = address_without_secrets(&options.database_url);
    let mut told_at: Option<Instant> = None;
    loop {
        let reason = match Store::reach(&options.database_url).await {
            Err(reason) => reason,
            Ok(()) => match try_open(options.clone(), Arc::clone(&clock), false).await {
                Err(StoreError::Unavailable(reason)) => {
                    format!("the database at {address} cannot be opened yet: {reason}")
                }
                opened => return opened.context("cannot open the database")?.context("the database has no schema"),
            },
        };
        // Once, and now and then for whoever looks at the last lines only.
        if told_at.is_none_or(|at| at.elapsed() >= TELL_AGAIN_AFTER) {
            told_at = Some(Instant::now());
            tracing::error!(reason, "waiting for the database");
        }
        tell(reason);
        tokio::time::sleep(OPEN_RETRY_AFTER).await;
    }
}

/// Opens a database that is there already. Only `serve`, `migrate` and `user add` make one: any other command would
/// answer a wrong folder with an empty database.
async fn open_existing_store(settings: &Settings, clock: Arc<dyn Clock>) -> anyhow::Result<Store> {
    let url = database_url(settings);
    let nothing_there = || {
        let address = address_without_secrets(&url);
        Usage(format!("there is no database at {address}; `serve`, `migrate` and `user add` make one"))
    };
    check_database_url(&url)?;
    if !Store::may_exist(&url)? {
        return Err(nothing_there().into());
    }
    let (store, _) = open_patiently(StoreOptions::new(url.clone()), clock, true).await?.ok_or_else(nothing_there)?;
    Ok(store)
}

/// The address of a database without the name, the password and the options in it.
pub(super) fn address_without_secrets(url: &str) -> String {
    let address = url.split_once('?').map_or(url, |(address, _)| address);
    match address.split_once("://") {
        Some(("sqlite", path)) => path.to_owned(),
        Some((scheme, rest)) => format!("{scheme}://{}", rest.rsplit_once('@').map_or(rest, |(_, place)| place)),
        None => address.to_owned(),
    }
}

/// `None` when the database must exist and does not.
async fn open_patiently(
    options: StoreOptions,
    clock: Arc<dyn Clock>,
    must_exist: bool,
) -> anyhow::Result<Option<(Store, Vec<String>)>> {
    let mut attempts = OPEN_ATTEMPTS_MAX;
    let url = options.database_url.clone();
    loop {
        match try_open(options.clone(), Arc::clone(&clock), must_exist).await {
            // A database server that is just starting or busy is given a moment.
            Err(StoreError::Unavailable(reason)) if attempts > 1 => {
                attempts -= 1;
                let reason = Store::reach(&url).await.err().unwrap_or(reason);
                tracing::warn!("the database cannot be reached yet: {reason}");
                tokio::time::sleep(OPEN_RETRY_AFTER).await;
            }
            Err(StoreError::Unavailable(reason)) => {
                let reason = Store::reach(&url).await.err().unwrap_or(reason);
                return Err(StoreError::Unavailable(reason)).context("cannot open the database");
            }
            opened => return opened.context("cannot open the database"),
        }
    }
}

async fn try_open(
    options: StoreOptions,
    clock: Arc<dyn Clock>,
    must_exist: bool,
) -> Result<Option<(Store, Vec<String>)>, StoreError> {
    let store = Store::open(options, clock).await?;
    let migrated =
        async { if must_exist && !store.has_schema().await? { Ok(None) } else { store.migrate().await.map(Some) } };
    match migrated.await {
        Ok(Some(applied)) => Ok(Some((store, applied))),
        Ok(None) => {
            store.close().await;
            Ok(None)
        }
        Err(error) => {
            store.close().await;
            Err(error)
        }
    }
}

async fn person(store: &Store, email: &str) -> anyhow::Result<UserRow> {
    store
        .reader
        .find_user_by_email(email)
        .await?
        .with_context(|| format!("there is no person with the e-mail address {email}"))
}

/// `migrate`.
pub async fn migrate(settings: &Settings, clock: Arc<dyn Clock>) -> anyhow::Result<()> {
    let (store, applied) = open_store(settings, clock).await?;
    for name in &applied {
        print(name);
    }
    if applied.is_empty() {
        eprintln!("nothing to apply");
    }
    store.close().await;
    Ok(())
}

/// `user add` and `user session`.
pub async fn user(settings: &Settings, clock: Arc<dyn Clock>, command: UserCommand) -> anyhow::Result<()> {
    let store = match command {
        UserCommand::Add { email, name, password_file, monthly_credits, bonus_credits, overage } => {
            // What is refused makes no database.
            check_email(&email)?;
            let shown_name = name.as_deref().unwrap_or_default();
            let given = password_file.map(|path| read_password(&path, settings, &email, shown_name)).transpose()?;
            let generated = given.is_none();
            let password = given.unwrap_or_else(|| generate_password(clock.as_ref()));
            let (store, _) = open_store(settings, Arc::clone(&clock)).await?;
            let new = NewUser {
                name: name.unwrap_or_else(|| email.clone()),
                email,
                password_hash: hash_password(&password, clock.as_ref()).context("cannot hash the password")?,
                monthly_allocation: monthly_credits.unwrap_or(settings.default_monthly_credits),
                bonus: bonus_credits,
                overage_allowed: overage,
            };
            let email = new.email.clone();
            match store.writer.create_user(new).await? {
                UserCreated::Created(id) => {
                    let mut record = json!({ "user_id": id, "email": email });
                    if let (true, Some(object)) = (generated, record.as_object_mut()) {
                        object.insert("password".to_owned(), password.into());
                    }
                    print(&record.to_string());
                }
                UserCreated::EmailTaken => bail!("a person with the e-mail address {email} exists already"),
            }
            store
        }
        UserCommand::Session { email, ttl_s } => {
            let store = open_existing_store(settings, Arc::clone(&clock)).await?;
            let user = person(&store, &email).await?;
            let secret = secrets::session_secret(settings, &store, clock.as_ref()).await?;
            let token =
                Sessions::new(&secret).issue(user.id, ttl_s, clock.as_ref()).context("cannot sign the session")?;
            print(&token);
            store
        }
    };
    store.close().await;
    Ok(())
}

/// `organisation add` and `organisation add-member`.
pub async fn organisation(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    command: OrganisationCommand,
) -> anyhow::Result<()> {
    let store = open_existing_store(settings, clock).await?;
    match command {
        OrganisationCommand::Add { email, name, vat_control } => {
            if name.is_empty() || name.chars().count() > 255 || name.contains('\0') {
                return Err(Usage("--name takes 1 to 255 characters".to_owned()).into());
            }
            let owner = person(&store, &email).await?;
            let new = CreateOrganisation::named(owner.id, name, vat_control);
            match store.writer.create_organisation(new).await? {
                OrganisationCreated::Created(record) => {
                    print(&serde_json::to_string(&OrganisationJson::new(&record, Role::Owner))?)
                }
                OrganisationCreated::Refused(refusal) => bail!("{}", refusal.message()),
                OrganisationCreated::Replayed(_) => bail!("the organisation was made before"),
            }
        }
        OrganisationCommand::AddMember { organisation, email, role } => {
            let user = person(&store, &email).await?;
            let role = Role::parse(&role).ok_or_else(|| Usage(format!("unknown role {role}")))?;
            match store.writer.add_member(OrganisationId(organisation), user.id, role).await? {
                MemberAdded::Added | MemberAdded::RoleChanged => {
                    print(
                        &json!({ "organisation_id": organisation, "user_id": user.id, "role": role.as_str() })
                            .to_string(),
                    );
                }
                MemberAdded::UnknownOrganisation => bail!("there is no organisation {organisation}"),
            }
        }
    }
    store.close().await;
    Ok(())
}

/// `credits grant` and `credits show`.
pub async fn credits(settings: &Settings, clock: Arc<dyn Clock>, command: CreditsCommand) -> anyhow::Result<()> {
    let store = open_existing_store(settings, clock).await?;
    let user = match command {
        CreditsCommand::Grant { email, bonus, reason } => {
            let user = person(&store, &email).await?;
            store.writer.grant_bonus(user.id, bonus, reason).await?.context("the person has no credit account")?;
            user
        }
        CreditsCommand::Show { email } => person(&store, &email).await?,
    };
    print(&credits_json(&store, user.id).await?.to_string());
    store.close().await;
    Ok(())
}

async fn credits_json(store: &Store, user: UserId) -> anyhow::Result<Value> {
    let account = store.reader.credit_account(user).await?.context("the person has no credit account")?;
    // A month that is over is renewed by the next charge or the service's housekeeping; show what would be there.
    let (current, _) = account.rolled_over(Month::of_ms(store.now_ms()));
    let movements: Vec<Value> = store.reader.credit_movements(user).await?.iter().map(movement_json).collect();
    Ok(json!({
        "user_id": user,
        "period": account.period.to_string(),
        "monthly": account.monthly,
        "bonus": account.bonus,
        "overage_used": account.overage_used,
        "reserved": account.reserved,
        "monthly_allocation": account.monthly_allocation,
        "overage_allowed": account.overage_allowed,
        "available_now": current.available(),
        "movements": movements,
    }))
}

fn movement_json(movement: &MovementRow) -> Value {
    json!({
        "id": movement.id,
        "kind": movement.kind,
        "reference": movement.reference,
        "monthly": movement.change.monthly,
        "bonus": movement.change.bonus,
        "overage": movement.change.overage,
        "note": movement.note,
        "at": date_time_text(movement.at_ms),
    })
}

/// `check`; `false` when there is a difference.
pub async fn check(settings: &Settings, clock: Arc<dyn Clock>, organisation: Option<i64>) -> anyhow::Result<bool> {
    let store = open_existing_store(settings, clock).await?;
    if let Some(id) = organisation
        && !store.reader.organisation_exists(OrganisationId(id)).await?
    {
        bail!("there is no organisation {id}");
    }
    let differences = store.reader.check().await?;
    for difference in &differences {
        print(difference);
    }
    eprintln!(
        "{}",
        if differences.is_empty() { "no differences".to_owned() } else { format!("{} differences", differences.len()) }
    );
    store.close().await;
    Ok(differences.is_empty())
}

fn read_password(path: &Path, settings: &Settings, email: &str, name: &str) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let password = text.trim_end_matches(['\r', '\n']).to_owned();
    let length = u64::try_from(password.chars().count()).unwrap_or(u64::MAX);
    if !(settings.password_min_length..=128).contains(&length) {
        return Err(Usage(format!(
            "the password has {length} characters; allowed: {} to 128",
            settings.password_min_length
        ))
        .into());
    }
    if let Some(weakness) = weakness(&password, email, name) {
        return Err(Usage(format!("the password {weakness}")).into());
    }
    Ok(password)
}

/// 20 characters of 32: 100 bits, without look-alikes.
fn generate_password(clock: &dyn Clock) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut random = [0_u8; 20];
    clock.fill_random(&mut random);
    random.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 32))).map(|byte| char::from(*byte)).collect()
}

fn check_email(email: &str) -> Result<(), Usage> {
    if crate::http::wire::person::email_is_usable(email) {
        return Ok(());
    }
    Err(Usage(format!(
        "--email {email:?} is not usable; allowed: name@domain without invisible characters, at most 254 characters"
    )))
}
