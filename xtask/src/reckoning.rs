//! The reckoning after a scenario: nothing acknowledged is lost, nothing is charged twice, and every credit is accounted
//! for.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{
    http::{Connection, Request},
    jobs::{Job, Outcome, State, Workload, read_state},
    products::Product,
    program::{Installation, Person},
    report::Finding,
};

/// One row behind a balance.
#[derive(Debug, Clone)]
struct Movement {
    kind: String,
    reference: String,
    monthly: i64,
    bonus: i64,
    overage: i64,
}

/// An account as `bookkeeping credits show` prints it.
#[derive(Debug)]
pub struct Account {
    monthly: i64,
    bonus: i64,
    overage: i64,
    movements: Vec<Movement>,
}

fn number(object: &Value, names: &[&str]) -> Option<i64> {
    names.iter().find_map(|name| object.get(name).and_then(Value::as_i64))
}

impl Account {
    /// Ask the program.
    pub fn of(installation: &Installation, person: &Person) -> Result<Self> {
        Self::parse(&installation.run_json(&["credits", "show", "--email", &person.email])?)
    }

    /// Read what the program printed.
    fn parse(shown: &Value) -> Result<Self> {
        let rows = shown.get("movements").and_then(Value::as_array).context("`credits show` printed no movements")?;
        let movements = rows
            .iter()
            .map(|row| {
                // The change may stand in the row itself or in an object of its own.
                let change = row.get("change").unwrap_or(row);
                Movement {
                    kind: row.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned(),
                    reference: row.get("reference").and_then(Value::as_str).unwrap_or_default().to_owned(),
                    monthly: number(change, &["monthly"]).unwrap_or(0),
                    bonus: number(change, &["bonus"]).unwrap_or(0),
                    overage: number(change, &["overage"]).unwrap_or(0),
                }
            })
            .collect();
        let balances =
            shown.get("balances").or_else(|| shown.get("balance")).or_else(|| shown.get("credits")).unwrap_or(shown);
        let monthly = number(balances, &["remaining_monthly", "remainingMonthly", "monthly"])
            .context("`credits show` printed no monthly balance")?;
        let bonus = number(balances, &["bonus", "bonus_credits", "bonusCredits"])
            .context("`credits show` printed no bonus balance")?;
        let overage = number(balances, &["overage_used", "overageUsed", "overage"]).unwrap_or(0);
        Ok(Self { monthly, bonus, overage, movements })
    }

    /// What can still be spent.
    #[must_use]
    pub fn available(&self) -> i64 {
        self.monthly + self.bonus
    }

    /// Credits charged by job id; a job charged more than once has several amounts.
    fn charges(&self) -> BTreeMap<String, Vec<i64>> {
        let mut charges: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for movement in self.movements.iter().filter(|movement| movement.kind.contains("charge")) {
            let job = Product::of_job(&movement.reference).map_or(movement.reference.as_str(), |(_, id)| id);
            charges.entry(job.to_owned()).or_default().push(movement.overage.abs() - movement.monthly - movement.bonus);
        }
        charges
    }
}

/// What a person was given, for the sum that must come out.
#[derive(Debug, Clone)]
pub struct Given {
    /// Who.
    pub person: Person,
    /// Everything granted by us: the opening allocation, the bonus, later grants.
    pub credits: u64,
}

/// After every job has ended: movements, balances, charges and polls must tell the same story.
pub fn reckon(
    installation: &Installation,
    connection: &mut Connection,
    workload: &Workload,
    jobs: &[Job],
    people: &[Given],
    finding: &mut Finding,
) -> Result<()> {
    let by_id: HashMap<&str, &Job> = jobs.iter().map(|job| (job.id.as_str(), job)).collect();
    finding.must(by_id.len() == jobs.len(), format!("{} acknowledgements name only {} jobs", jobs.len(), by_id.len()));
    let (mut charged_in_all, mut unacknowledged) = (0_i64, 0_u64);
    let mut charges_of: Vec<BTreeMap<String, Vec<i64>>> = Vec::new();
    for (place, given) in people.iter().enumerate() {
        let email = &given.person.email;
        let account = Account::of(installation, &given.person)?;
        let sum = |part: fn(&Movement) -> i64| account.movements.iter().map(part).sum::<i64>();
        let (monthly, bonus) = (sum(|movement| movement.monthly), sum(|movement| movement.bonus));
        finding.must(
            (monthly, bonus) == (account.monthly, account.bonus),
            format!(
                "{email}: movements sum to {monthly} monthly and {bonus} bonus, balances are {} and {}",
                account.monthly, account.bonus
            ),
        );
        finding.must(
            account.monthly >= 0 && account.bonus >= 0,
            format!("{email}: a balance is negative: {} monthly, {} bonus", account.monthly, account.bonus),
        );
        finding.must(account.overage == 0, format!("{email}: overage of {} without permission", account.overage));
        let charges = account.charges();
        let charged: i64 = charges.values().flatten().sum();
        charged_in_all += charged;
        let given_credits = i64::try_from(given.credits)?;
        finding.must(
            given_credits - charged == account.available(),
            format!("{email}: given {given_credits}, charged {charged}, but {} are left", account.available()),
        );
        for (job, amounts) in &charges {
            finding.must(amounts.len() == 1, format!("job {job} was charged {} times: {amounts:?}", amounts.len()));
            if by_id.contains_key(job.as_str()) {
                continue;
            }
            // Accepted, but the acknowledgement never reached a client: the owner can still see it by its id.
            unacknowledged += 1;
            let Some(key) = workload.keys.iter().find(|key| key.person == place) else { continue };
            let Some((product, _)) = Product::of_job(job) else {
                finding.broken(format!("{email} was charged for {job}, which is no job"));
                continue;
            };
            let path = product.poll_path(job);
            let reply =
                connection.send_patiently(&Request::get(&path, Some(&key.plaintext)), Duration::from_secs(30))?;
            let told = match read_state(&reply) {
                Ok(State::Ended(Outcome::Completed(charged))) => i64::try_from(charged).ok(),
                _ => None,
            };
            finding.must(
                told == amounts.first().copied(),
                format!("job {job} was charged {amounts:?} but says {}", reply.summary()),
            );
        }
        charges_of.push(charges);
    }
    let mut completed_credits = 0_i64;
    for job in jobs {
        let person = workload.keys.get(job.key).map_or(0, |key| key.person);
        let amounts = charges_of.get(person).and_then(|charges| charges.get(&job.id)).map_or(&[][..], Vec::as_slice);
        match &job.outcome {
            Some(Outcome::Completed(0)) | Some(Outcome::Failed(_)) => {
                finding.must(
                    amounts.is_empty(),
                    format!("job {} ended as {:?} but was charged {amounts:?}", job.id, job.outcome),
                );
            }
            Some(Outcome::Completed(charged)) => {
                let charged = i64::try_from(*charged)?;
                completed_credits += charged;
                finding.must(
                    amounts == [charged],
                    format!("job {} says {charged} credits, the movements say {amounts:?}", job.id),
                );
            }
            None => finding.broken(format!("job {} never ended", job.id)),
        }
    }
    let (consistent, text) = installation.attempt(&["check"])?;
    finding.must(consistent, format!("`bookkeeping check` found differences: {}", text.trim()));
    workload.report(jobs, finding);
    finding.count("charged_credits", charged_in_all);
    finding.count("charged_to_acknowledged", completed_credits);
    finding.count("charged_unacknowledged_jobs", unacknowledged);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Account;

    #[test]
    fn charges_are_found_by_job_and_double_ones_are_seen() {
        let account = Account::parse(&json!({
            "monthly": 5, "bonus": 0,
            "movements": [
                {"kind": "opening", "reference": "opening", "monthly": 9, "bonus": 0, "overage": 0},
                {"kind": "charge", "reference": "rec_1", "monthly": -2, "bonus": 0, "overage": 0},
                {"kind": "charge", "reference": "reconciliation:rec_1", "monthly": -2, "bonus": 0, "overage": 0},
                {"kind": "charge", "reference": "coding:cod_1", "monthly": 0, "bonus": -7, "overage": 0},
            ],
        }))
        .unwrap();
        assert_eq!(account.charges().get("rec_1"), Some(&vec![2, 2]));
        assert_eq!(account.charges().get("cod_1"), Some(&vec![7]));
        assert_eq!(account.available(), 5);
    }
}
