//! Words of dates in many languages: names of months and days from the locales of the C library, and a few words of
//! ours.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;
use pure_rust_locales::{Locale, locale_match};

/// What a word means in a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// A month, from 1.
    Month(i8),
    /// A day of the week, from 0 for Sunday.
    Weekday(i8),
    /// A day before the present one, by this number of days.
    DaysBefore(i32),
    /// One, of a unit.
    One,
    /// What makes a distance one into the past.
    Ago,
    /// Before noon.
    Morning,
    /// After noon.
    Afternoon,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// 1 s.
    Second,
    /// 60 s.
    Minute,
    /// 60 minutes.
    Hour,
    /// A day of the calendar.
    Day,
    /// Seven days.
    Week,
    /// A month of the calendar.
    Month,
    /// A year of the calendar.
    Year,
}

type Names = HashMap<Box<str>, Name, FixedState>;

/// The locales whose names are known. Where a name has two meanings, the earlier locale decides.
const LOCALES: [Locale; 34] = [
    Locale::en_US,
    Locale::de_DE,
    Locale::fr_FR,
    Locale::es_ES,
    Locale::it_IT,
    Locale::pt_BR,
    Locale::nl_NL,
    Locale::ru_RU,
    Locale::pl_PL,
    Locale::tr_TR,
    Locale::cs_CZ,
    Locale::sv_SE,
    Locale::da_DK,
    Locale::nb_NO,
    Locale::fi_FI,
    Locale::hu_HU,
    Locale::ro_RO,
    Locale::el_GR,
    Locale::uk_UA,
    Locale::bg_BG,
    Locale::sk_SK,
    Locale::sl_SI,
    Locale::sr_RS,
    Locale::lt_LT,
    Locale::lv_LV,
    Locale::et_EE,
    Locale::ca_ES,
    Locale::id_ID,
    Locale::vi_VN,
    Locale::ar_EG,
    Locale::he_IL,
    Locale::fa_IR,
    Locale::hi_IN,
    Locale::th_TH,
];

/// Words that locales do not have.
const WORDS: [(&str, Name); 8] = [
    ("sept", Name::Month(9)),
    ("märz", Name::Month(3)),
    ("mrz", Name::Month(3)),
    ("today", Name::DaysBefore(0)),
    ("yesterday", Name::DaysBefore(1)),
    ("am", Name::Morning),
    ("pm", Name::Afternoon),
    ("an", Name::One),
];

/// Words for the present day and the one before.
const DAYS: [(&str, &str); 14] = [
    ("heute", "gestern"),
    ("aujourd'hui", "hier"),
    ("hoy", "ayer"),
    ("oggi", "ieri"),
    ("hoje", "ontem"),
    ("vandaag", "gisteren"),
    ("сегодня", "вчера"),
    ("dzisiaj", "wczoraj"),
    ("bugün", "dün"),
    ("dnes", "včera"),
    ("idag", "igår"),
    ("今天", "昨天"),
    ("今日", "昨日"),
    ("اليوم", "أمس"),
];

/// Words for units, by the starts of the words.
const UNITS: [(&str, Unit); 45] = [
    ("second", Unit::Second),
    ("sec", Unit::Second),
    ("sekund", Unit::Second),
    ("segundo", Unit::Second),
    ("секунд", Unit::Second),
    ("minut", Unit::Minute),
    ("min", Unit::Minute),
    ("мин", Unit::Minute),
    ("dakika", Unit::Minute),
    ("hour", Unit::Hour),
    ("hr", Unit::Hour),
    ("stunde", Unit::Hour),
    ("heure", Unit::Hour),
    ("hora", Unit::Hour),
    ("ore", Unit::Hour),
    ("uur", Unit::Hour),
    ("час", Unit::Hour),
    ("godzin", Unit::Hour),
    ("saat", Unit::Hour),
    ("day", Unit::Day),
    ("tag", Unit::Day),
    ("jour", Unit::Day),
    ("día", Unit::Day),
    ("dia", Unit::Day),
    ("giorn", Unit::Day),
    ("dag", Unit::Day),
    ("дн", Unit::Day),
    ("gün", Unit::Day),
    ("week", Unit::Week),
    ("woche", Unit::Week),
    ("semaine", Unit::Week),
    ("semana", Unit::Week),
    ("недел", Unit::Week),
    ("month", Unit::Month),
    ("monat", Unit::Month),
    ("mois", Unit::Month),
    ("mes", Unit::Month),
    ("maand", Unit::Month),
    ("месяц", Unit::Month),
    ("year", Unit::Year),
    ("jahr", Unit::Year),
    ("ans", Unit::Year),
    ("anni", Unit::Year),
    ("año", Unit::Year),
    ("jaar", Unit::Year),
];

/// Maximum length of a word that is looked up, in bytes.
const NAME_BYTES_MAX: usize = 48;

/// Words that make a distance one into the past.
const AGO: [&str; 10] = ["ago", "vor", "hace", "fa", "há", "geleden", "назад", "önce", "temu", "sedan"];
/// Words for one.
const ONE: [&str; 6] = ["a", "an", "one", "einer", "einem", "une"];

static NAMES: LazyLock<Names> = LazyLock::new(collect);

/// The lengths of the names that begin with each byte, as bits: most words are told from names by these.
static LENGTHS: LazyLock<[u64; 256]> = LazyLock::new(|| {
    let mut lengths = [0; 256];
    for word in NAMES.keys().filter(|word| !word.is_empty()) {
        lengths[usize::from(word.as_bytes()[0])] |= length_bit(word);
    }
    lengths
});

/// Returns what a word in lower case, without full stops at its end, means.
pub fn name(word: &str) -> Option<Name> {
    let first = word.bytes().next()?;
    if word.len() > NAME_BYTES_MAX || LENGTHS[usize::from(first)] & length_bit(word) == 0 {
        return None;
    }
    NAMES.get(word).copied()
}

fn length_bit(word: &str) -> u64 {
    1 << word.len().min(63)
}

/// Returns the unit that a word in lower case names.
pub fn unit(word: &str) -> Option<Unit> {
    let is_of = |start: &str| word.strip_prefix(start).is_some_and(|rest| rest.chars().count() <= 3);
    UNITS.iter().filter(|(start, _)| is_of(start)).max_by_key(|(start, _)| start.len()).map(|(_, unit)| *unit)
}

/// Returns a word as [`name`] takes it.
pub fn normal(word: &str) -> Cow<'_, str> {
    let word = word.trim_matches('.');
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase() })
}

fn collect() -> Names {
    let mut names = Names::default();
    names.extend(WORDS.iter().map(|(word, name)| ((*word).into(), *name)));
    for (today, yesterday) in DAYS {
        names.insert(today.into(), Name::DaysBefore(0));
        names.insert(yesterday.into(), Name::DaysBefore(1));
    }
    names.extend(AGO.iter().map(|word| ((*word).into(), Name::Ago)));
    for word in ONE {
        names.entry(word.into()).or_insert(Name::One);
    }
    for locale in LOCALES {
        let (full, short) = (locale_match!(locale => LC_TIME::MON), locale_match!(locale => LC_TIME::ABMON));
        for months in [full, short].into_iter().chain(locale_match!(locale => LC_TIME::ALT_MON)) {
            add(&mut names, months, Name::Month, 1);
        }
    }
    // After the months of all locales: `mar` is March more often than Tuesday.
    for locale in LOCALES {
        add(&mut names, locale_match!(locale => LC_TIME::DAY), Name::Weekday, 0);
        add(&mut names, locale_match!(locale => LC_TIME::ABDAY), Name::Weekday, 0);
    }
    names
}

fn add(names: &mut Names, words: &[&str], name: fn(i8) -> Name, first: i8) {
    for (number, word) in words.iter().enumerate() {
        let word = normal(word.trim());
        // Months that are numbers need no name; short names of days are words of other languages.
        let is_word = word.len() > 2 && !word.contains(|c: char| c.is_ascii_digit());
        if is_word {
            names.entry(word.as_ref().into()).or_insert(name(number as i8 + first));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_languages_are_known() {
        for (word, month) in
            [("januar", 1), ("févr", 2), ("mar", 3), ("апреля", 4), ("maj", 5), ("juin", 6), ("août", 8), ("sept", 9)]
        {
            assert_eq!(name(word), Some(Name::Month(month)), "{word}");
        }
        assert_eq!((name("sun"), name("mittwoch")), (Some(Name::Weekday(0)), Some(Name::Weekday(3))));
        assert_eq!((name("gestern"), name("word")), (Some(Name::DaysBefore(1)), None));
        assert_eq!((unit("minutes"), unit("tagen"), unit("mad")), (Some(Unit::Minute), Some(Unit::Day), None));
        assert_eq!(normal("Déc."), "déc");
    }
}
