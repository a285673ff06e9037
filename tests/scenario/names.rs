//! The names that a scenario gives to values.

use std::collections::BTreeMap;

use serde_json::Value;
use team_protocols::{Permit, SectionId};

/// A value that a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Named {
    Text(String),
    Permit(Permit),
    Section(SectionId),
}

#[derive(Default)]
pub(crate) struct Names(BTreeMap<String, Named>);

impl Names {
    pub(crate) fn set(&mut self, name: &str, value: Named) {
        self.0.insert(name.to_owned(), value);
    }

    /// What a text that is nothing but a name stands for.
    pub(crate) fn whole(&self, text: &str) -> Option<&Named> {
        self.0.get(text.strip_prefix("${")?.strip_suffix('}')?)
    }

    /// A value with every name in its texts, keys included, replaced.
    pub(crate) fn resolve(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.resolve(item)).collect(),
            Value::Object(fields) => {
                let resolved =
                    fields.iter().map(|(key, value)| (self.text(key), self.resolve(value)));
                Value::Object(resolved.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in &self.0 {
            if let Named::Text(value) = value {
                text = text.replace(&format!("${{{name}}}"), value);
            }
        }
        text
    }
}
