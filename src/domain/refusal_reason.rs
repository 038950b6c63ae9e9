//! Why a request that is well formed and permitted is not served right now: the closed list behind 429 and 503.

/// Why the service does not take a request now. The list is closed: it is `details.reason` of 503 and the label of
/// `http_refused_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalReason {
    /// 429: too many requests in the window of a key or person.
    RateLimited,
    /// As many jobs of the product wait as may.
    QueueFull,
    /// As many jobs of the person wait as one person may have waiting.
    QueueShare,
    /// The bodies being read fill their budget.
    BodyBudget,
    /// The bodies of the person, or of the address without a key, fill their share of the budget.
    BodyShare,
    /// Too many log-ins or unknown tokens are being looked at.
    LoginQueue,
    /// As many e-mails of the organisation wait as may.
    MailQueue,
    /// The database cannot be reached, or has too much to write.
    StoreUnavailable,
    /// The service is stopping.
    Stopping,
    /// The service is starting.
    Starting,
}

impl RefusalReason {
    /// Every reason.
    pub const ALL: [Self; 10] = [
        Self::RateLimited,
        Self::QueueFull,
        Self::QueueShare,
        Self::BodyBudget,
        Self::BodyShare,
        Self::LoginQueue,
        Self::MailQueue,
        Self::StoreUnavailable,
        Self::Stopping,
        Self::Starting,
    ];

    /// Its place in [`Self::ALL`].
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|known| *known == self).unwrap_or_default()
    }

    /// The wire form, also the label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RateLimited => "rate_limited",
            Self::QueueFull => "queue_full",
            Self::QueueShare => "queue_share",
            Self::BodyBudget => "body_budget",
            Self::BodyShare => "body_share",
            Self::LoginQueue => "login_queue",
            Self::MailQueue => "mail_queue",
            Self::StoreUnavailable => "store_unavailable",
            Self::Stopping => "stopping",
            Self::Starting => "starting",
        }
    }
}
