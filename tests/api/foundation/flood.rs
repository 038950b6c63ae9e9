//! A thousand refused uploads at once.
