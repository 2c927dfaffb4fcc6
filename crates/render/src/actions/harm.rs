//! Recognises controls that may change something on the server, by their names.
//!
//! This is the second guard: requests with methods other than GET and HEAD are refused whatever is clicked.

/// Names of actions in the languages of many forums. Each is one word, or two words joined.
const HARMFUL: [&str; 118] = [
    "accept",
    "add",
    "agree",
    "attach",
    "award",
    "ban",
    "block",
    "bookmark",
    "buy",
    "cart",
    "checkout",
    "clear",
    "consent",
    "delete",
    "destroy",
    "dislike",
    "donate",
    "downvote",
    "edit",
    "erase",
    "favorite",
    "favourite",
    "flag",
    "follow",
    "friend",
    "invite",
    "join",
    "leave",
    "like",
    "lock",
    "login",
    "logoff",
    "logout",
    "mute",
    "pay",
    "pin",
    "publish",
    "purge",
    "rate",
    "react",
    "reaction",
    "register",
    "remove",
    "report",
    "reset",
    "resolve",
    "save",
    "send",
    "share",
    "signin",
    "signoff",
    "signout",
    "signup",
    "spam",
    "star",
    "submit",
    "subscribe",
    "trash",
    "unblock",
    "undo",
    "unfollow",
    "unlike",
    "unlock",
    "unpin",
    "unsubscribe",
    "unvote",
    "upload",
    "upvote",
    "vote",
    "voteup",
    "votedown",
    "thumbsup",
    "thumbsdown",
    "abmelden",
    "abstimmen",
    "anmelden",
    "löschen",
    "melden",
    "sperren",
    "teilen",
    "folgen",
    "abonnieren",
    "supprimer",
    "signaler",
    "déconnexion",
    "connexion",
    "voter",
    "partager",
    "suivre",
    "bloquer",
    "borrar",
    "eliminar",
    "denunciar",
    "cerrarsesión",
    "votar",
    "compartir",
    "seguir",
    "excluir",
    "apagar",
    "sair",
    "curtir",
    "elimina",
    "segnala",
    "esci",
    "vota",
    "verwijderen",
    "melding",
    "uitloggen",
    "usuń",
    "zgłoś",
    "wyloguj",
    "удалить",
    "выйти",
    "пожаловаться",
    "削除",
    "報告",
    "删除",
    "举报",
];

/// Returns whether a text names an action that may change something. Names such as `btn-logOut` are split into words.
pub(super) fn is_harmful(text: &str) -> bool {
    let words = words(text);
    let is_listed = |word: &str| HARMFUL.contains(&word);
    words.iter().any(|word| is_listed(word)) || words.windows(2).any(|pair| is_listed(&pair.concat()))
}

/// Returns the words of a text in lower case; a capital after a small letter begins one.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for symbol in text.chars() {
        if !symbol.is_alphabetic() || (was_small && symbol.is_uppercase()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (symbol.is_alphabetic(), words.last_mut()) {
            word.extend(symbol.to_lowercase());
        }
        was_small = symbol.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn actions_are_found_in_labels_and_names() {
        for text in [
            "Delete",
            "log out",
            "btn-logOut",
            "LogOut",
            "post_vote",
            "Sign up!",
            "Löschen",
            "👎 Downvote",
            "js-thumbs-up",
        ] {
            assert!(is_harmful(text), "{text}");
        }
        for text in [
            "Load more posts",
            "Topics",
            "Posts",
            "Next page",
            "most-liked",
            "reported speech",
            "flagship",
            "12 replies",
            "",
        ] {
            assert!(!is_harmful(text), "{text}");
        }
    }

    #[test]
    fn every_listed_name_is_found() {
        assert!(HARMFUL.iter().all(|name| is_harmful(name)));
        assert!(HARMFUL.iter().all(|name| is_harmful(&name.to_uppercase())));
    }

    proptest! {
        #[test]
        fn what_stands_around_a_name_hides_it_not(before in "[ _0-9.:-]{0,4}", after in "[ _0-9.:-]{1,4}[a-z]{0,3}") {
            let text = format!("{before}delete{after}");
            prop_assert!(is_harmful(&text));
        }
    }
}
