//! The errors of the authorization server, as clients know them.

macro_rules! errors {
    ($($variant:ident $text:literal $source:literal,)*) => {
        /// An error code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum OAuthError {
            $(#[doc = $source] $variant,)*
        }

        impl OAuthError {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The wire form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
    };
}

errors! {
    InvalidRequest "invalid_request" "A parameter is missing, repeated or malformed (RFC 6749, sections 4.1.2.1 and 5.2).",
    InvalidClient "invalid_client" "The client is unknown or did not authenticate itself (RFC 6749, section 5.2).",
    InvalidGrant "invalid_grant" "The code or refresh token is not accepted (RFC 6749, section 5.2).",
    UnsupportedGrantType "unsupported_grant_type" "Neither a code nor a refresh token (RFC 6749, section 5.2).",
    UnsupportedResponseType "unsupported_response_type" "Not a code (RFC 6749, section 4.1.2.1).",
    InvalidScope "invalid_scope" "A scope is unknown or was not granted (RFC 6749, sections 4.1.2.1 and 5.2).",
    InvalidTarget "invalid_target" "The resource is not this service (RFC 8707, section 2).",
    AccessDenied "access_denied" "The person said no (RFC 6749, section 4.1.2.1).",
    InvalidRedirectUri "invalid_redirect_uri" "A redirect URI may not be registered (RFC 7591, section 3.2.2).",
    InvalidClientMetadata "invalid_client_metadata" "What the client says of itself is not usable (RFC 7591, section 3.2.2).",
    SlowDown "slow_down" "Too many registrations or failed exchanges of tokens from one address, or refreshes of one connection.",
    TemporarilyUnavailable "temporarily_unavailable" "The service cannot answer now (RFC 6749, section 4.1.2.1).",
    ServerError "server_error" "Something unexpected happened here (RFC 6749, section 4.1.2.1).",
}

/// Which grant tokens were issued for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantType {
    /// A code.
    AuthorizationCode,
    /// A refresh token.
    RefreshToken,
}

impl GrantType {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::AuthorizationCode, Self::RefreshToken];

    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorization_code",
            Self::RefreshToken => "refresh_token",
        }
    }
}

/// What came back although it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// A code: the connection was revoked.
    Code,
    /// A refresh token: the connection was revoked.
    RefreshToken,
    /// A refresh token within the grace: another pair was issued.
    WithinGrace,
}

impl Reuse {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Code, Self::RefreshToken, Self::WithinGrace];

    /// The label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::RefreshToken => "refresh_token",
            Self::WithinGrace => "within_grace",
        }
    }
}
