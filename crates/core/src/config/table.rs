//! The configuration as a TOML table. The conversions are compiled here, once, and not in every crate that calls them.

use super::{Config, retired};
use toml::Table;

impl Config {
    /// Returns the configuration of `table`. Settings that are absent have their defaults, and those of earlier
    /// versions whose values are fixed now are passed over.
    ///
    /// # Errors
    ///
    /// If a setting is unknown, or its value malformed.
    pub fn from_table(mut table: Table) -> Result<Self, toml::de::Error> {
        retired::remove(&mut table);
        table.try_into()
    }

    /// Returns all settings, a table per section.
    ///
    /// # Errors
    ///
    /// If a value cannot be written as TOML.
    pub fn to_table(&self) -> Result<Table, toml::ser::Error> {
        Table::try_from(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_a_configuration_reads_back_as_it_was_also_by_its_text() {
        let mut config = Config::default();
        config.budget.pages = 7;
        let table = config.to_table().unwrap();
        assert_eq!(Config::from_table(table.to_string().parse().unwrap()).unwrap(), config);
        assert_eq!(Config::from_table(table).unwrap(), config);
    }

    #[test]
    fn unknown_settings_are_refused() {
        assert!(Config::from_table("[host]\ndely = \"1s\"".parse().unwrap()).is_err());
    }
}
