//! A map whose changes can be undone back to a mark, so that a refused command is undone without a copy of the map.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Deref;

/// A map that logs the value before every change. It reads like a [`HashMap`].
#[derive(Debug)]
pub(crate) struct UndoMap<K, V> {
    map: HashMap<K, V>,
    log: Vec<(K, Option<V>)>,
}

/// A state of an [`UndoMap`]: the length of its log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UndoMark(usize);

impl<K, V> Default for UndoMap<K, V> {
    fn default() -> Self {
        Self { map: HashMap::new(), log: Vec::new() }
    }
}

impl<K, V> Deref for UndoMap<K, V> {
    type Target = HashMap<K, V>;

    fn deref(&self) -> &HashMap<K, V> {
        &self.map
    }
}

impl<K: Hash + Eq + Clone, V> UndoMap<K, V> {
    /// The map itself, for values that are loaded before any command is decided; such changes are never undone.
    pub(crate) const fn loading(&mut self) -> &mut HashMap<K, V> {
        &mut self.map
    }

    /// Sets a value; returns the one before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<&V> {
        let before = self.map.insert(key.clone(), value);
        self.log.push((key, before));
        self.log.last().and_then(|(_, before)| before.as_ref())
    }

    /// Removes a value; returns it.
    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let entry = self.map.remove_entry(key);
        let (key, before) = entry?;
        self.log.push((key, Some(before)));
        self.log.last().and_then(|(_, before)| before.as_ref())
    }

    /// Removes the values that do not pass.
    pub(crate) fn retain(&mut self, passes: impl Fn(&K, &V) -> bool) {
        let failing: Vec<K> =
            self.map.iter().filter(|(key, value)| !passes(key, value)).map(|(key, _)| key.clone()).collect();
        for key in failing {
            self.remove(&key);
        }
    }

    /// The present state, to be returned to by [`Self::undo_to`].
    pub(crate) const fn mark(&self) -> UndoMark {
        UndoMark(self.log.len())
    }

    /// Undoes every change since a mark, the latest first.
    pub(crate) fn undo_to(&mut self, mark: UndoMark) {
        while self.log.len() > mark.0 {
            match self.log.pop() {
                Some((key, Some(before))) => {
                    self.map.insert(key, before);
                }
                Some((key, None)) => {
                    self.map.remove(&key);
                }
                None => return,
            }
        }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> UndoMap<K, V> {
    /// Changes a value in place, if there is one.
    pub(crate) fn update<Q: Hash + Eq + ?Sized>(&mut self, key: &Q, change: impl FnOnce(&mut V))
    where
        K: Borrow<Q>,
    {
        let Some((key, before)) = self.map.get_key_value(key) else { return };
        let (key, before) = (key.clone(), before.clone());
        if let Some(value) = self.map.get_mut::<K>(&key) {
            change(value);
            self.log.push((key, Some(before)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_undone_to_the_mark_and_no_further() {
        let mut map = UndoMap::default();
        map.loading().insert(1, "loaded");
        map.insert(2, "before");
        let mark = map.mark();
        assert_eq!(map.insert(1, "changed"), Some(&"loaded"));
        map.insert(3, "new");
        map.update(&2, |value| *value = "updated");
        map.remove(&2);
        map.retain(|key, _| *key != 3);
        let inner = map.mark();
        map.insert(1, "again");
        map.undo_to(inner);
        assert_eq!(map.get(&1), Some(&"changed"));
        map.undo_to(mark);
        let mut left: Vec<_> = map.iter().map(|(key, value)| (*key, *value)).collect();
        left.sort_unstable();
        assert_eq!(left, [(1, "loaded"), (2, "before")]);
    }

    #[test]
    fn a_missing_value_is_neither_updated_nor_removed() {
        let mut map: UndoMap<i32, i32> = UndoMap::default();
        let mark = map.mark();
        map.update(&1, |value| *value += 1);
        assert_eq!(map.remove(&1), None);
        map.undo_to(mark);
        assert!(map.is_empty());
    }
}
