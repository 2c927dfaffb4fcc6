//! The commands to one page.

use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};

use super::connection::{CommandError, Connection};
use crate::actions::Seen;
use crate::page::RenderFailure;

/// Time in which the browser itself answers.
const BROWSER_MAX: Duration = Duration::from_secs(10);
/// Time in which a page answers that does not compute.
const PAGE_MAX: Duration = Duration::from_secs(5);
/// Time until the document is there. Its answer is at hand, so this is the browser's own time.
const NAVIGATE_MAX: Duration = Duration::from_secs(20);
/// Watches and uses the page, out of its sight.
const PAGE: &str = include_str!("page.js");

/// A page in a browser, with storage of its own.
#[derive(Debug)]
pub(super) struct Session {
    connection: Connection,
    context: String,
    /// The page; also the name of its main frame.
    pub(super) target: String,
    session: String,
    /// The context of scripts that the page cannot see.
    world: OnceLock<i64>,
}

impl Session {
    /// Opens an empty page that shares nothing with other pages.
    pub(super) async fn open(connection: &Connection) -> Result<Self, CommandError> {
        let ask = |method, params| connection.command(None, method, params, BROWSER_MAX);
        let context = ask("Target.createBrowserContext", json!({"disposeOnDetach": true})).await?;
        let context = text(&context["browserContextId"]);
        ask("Browser.setDownloadBehavior", json!({"behavior": "deny", "browserContextId": context})).await?;
        let target = ask("Target.createTarget", json!({"url": "about:blank", "browserContextId": context})).await?;
        let target = text(&target["targetId"]);
        let session = ask("Target.attachToTarget", json!({"targetId": target, "flatten": true})).await?;
        let session = text(&session["sessionId"]);
        let page = Self { connection: connection.clone(), context, target, session, world: OnceLock::new() };
        page.command("Page.enable", json!({}), PAGE_MAX).await?;
        Ok(page)
    }

    async fn command(&self, method: &'static str, params: Value, deadline: Duration) -> Result<Value, CommandError> {
        self.connection.command(Some(&self.session), method, params, deadline).await
    }

    /// Loads the page. Returns once its document is there.
    pub(super) async fn navigate(&self, url: &str) -> Result<(), CommandError> {
        let method = "Page.navigate";
        let result = self.command(method, json!({"url": url}), NAVIGATE_MAX).await?;
        match result["errorText"].as_str() {
            Some(why) => Err(CommandError::Rejected(method, why.to_owned())),
            None => Ok(()),
        }
    }

    /// Begins to count the changes of the document.
    pub(super) async fn observe(&self) -> Result<(), CommandError> {
        let world = json!({"frameId": self.target, "worldName": "harvestman"});
        let world = self.command("Page.createIsolatedWorld", world, PAGE_MAX).await?;
        let world = world["executionContextId"].as_i64().unwrap_or_default();
        let world = *self.world.get_or_init(|| world);
        self.evaluate(world, PAGE.to_owned()).await.map(drop)
    }

    /// Returns the number of changes of the document since [`Session::observe`].
    pub(super) async fn changes(&self) -> Result<u64, CommandError> {
        Ok(self.ask("changes()".to_owned()).await?.as_u64().unwrap_or_default())
    }

    /// Scrolls the page to its end. Returns whether it was not there.
    pub(super) async fn scroll(&self) -> Result<bool, CommandError> {
        Ok(self.ask("scroll()".to_owned()).await?.as_bool().unwrap_or_default())
    }

    /// Returns what the page has shown, and what can be clicked. `led` are the URLs to which clicks led since the last
    /// time.
    pub(super) async fn look(&self, led: &[String]) -> Result<Option<Seen>, CommandError> {
        let seen = self.ask(format!("look({})", json!(led))).await?;
        Ok(serde_json::from_value(seen).ok())
    }

    /// Clicks the control with this index among those that the page was last found to have.
    pub(super) async fn click(&self, index: usize) -> Result<bool, CommandError> {
        Ok(self.ask(format!("click({index})")).await?.as_bool().unwrap_or_default())
    }

    /// Returns to the URL that the page had before it was clicked first. Returns whether there is a way.
    pub(super) async fn back(&self) -> Result<bool, CommandError> {
        Ok(self.ask("back()".to_owned()).await?.as_bool().unwrap_or_default())
    }

    /// Returns what the page removed while it was used and does not show again, as HTML: the first elements, up to this
    /// length.
    pub(super) async fn removed(&self, length_max: usize) -> Result<String, RenderFailure> {
        Ok(text(&self.ask(format!("removedHtml({length_max})")).await?))
    }

    /// Calls a function of the script that watches the page.
    async fn ask(&self, call: String) -> Result<Value, CommandError> {
        let world = self.world.get().copied().unwrap_or_default();
        self.evaluate(world, format!("page.{call}")).await
    }

    /// Returns the document as HTML, shadow trees included.
    pub(super) async fn document(&self, bytes_max: usize) -> Result<String, RenderFailure> {
        let world = self.world.get().copied().ok_or(RenderFailure::Hung)?;
        let length = "document.documentElement ? document.documentElement.outerHTML.length : 0".to_owned();
        let length = self.evaluate(world, length).await?;
        if length.as_u64().is_none_or(|length| length > bytes_max as u64) {
            return Err(RenderFailure::TooLarge);
        }
        let ask = async {
            let root = self.command("DOM.getDocument", json!({"depth": 0}), PAGE_MAX).await?;
            let node = &root["root"]["nodeId"];
            self.command("DOM.getOuterHTML", json!({"nodeId": node, "includeShadowDOM": true}), PAGE_MAX).await
        };
        let html = ask.await?;
        html["outerHTML"]
            .as_str()
            .filter(|html| html.len() <= bytes_max.saturating_mul(2))
            .map(str::to_owned)
            .ok_or(RenderFailure::TooLarge)
    }

    /// Dismisses the dialog that is open.
    pub(super) async fn dismiss_dialog(&self) -> Result<(), CommandError> {
        let dismiss = json!({"accept": false});
        self.connection.tell(Some(&self.session), "Page.handleJavaScriptDialog", dismiss).await
    }

    /// Closes the page with its storage and its workers, also if it hangs.
    pub(super) async fn close(connection: &Connection, target: &str, context: &str) -> Result<(), CommandError> {
        let ask = |method, params| connection.command(None, method, params, BROWSER_MAX);
        ask("Target.closeTarget", json!({"targetId": target})).await?;
        ask("Target.disposeBrowserContext", json!({"browserContextId": context})).await.map(drop)
    }

    /// Returns what [`Session::close`] needs.
    pub(super) fn names(&self) -> (String, String) {
        (self.target.clone(), self.context.clone())
    }

    async fn evaluate(&self, world: i64, expression: String) -> Result<Value, CommandError> {
        let method = "Runtime.evaluate";
        let params = json!({"expression": expression, "contextId": world, "returnByValue": true});
        let mut result = self.command(method, params, PAGE_MAX).await?;
        if result.get("exceptionDetails").is_some() {
            return Err(CommandError::Rejected(method, "an exception".to_owned()));
        }
        Ok(result["result"]["value"].take())
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
