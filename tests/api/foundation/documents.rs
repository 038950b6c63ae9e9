//! OpenAPI and the documentation page.
