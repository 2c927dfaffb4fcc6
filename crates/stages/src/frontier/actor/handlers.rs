//! The handlers of the frontier's messages.

use actix::{Context, Handler, MessageResult};

use super::FrontierActor;
use crate::frontier::EndReason;
use crate::frontier::messages::{
    Control, DiscoveredLinks, DropHosts, ErrandsAdded, ErrandsDone, FleetEvent, FollowNow, HostDue, LeaseEnded,
    LeasesCommitted, LeasesOf, LimitsChanged, LinksFound, OrderChanged, Outcome, OwnRequestEnded, PageFindings,
    RetryNow, SitemapLinks, SurveyQuery, TakeOver, WaitingHosts,
};
use harvestman_core::model::{Change, Ended, Failure, Fate, FleetEffects};
use harvestman_core::url::HostKey;

impl Handler<HostDue> for FrontierActor {
    type Result = ();

    fn handle(&mut self, HostDue(host): HostDue, _: &mut Context<Self>) {
        let now = self.setup.clock.now();
        match self.frontier.best(&host, now) {
            Ok(rank) => self.due.add(host, rank),
            Err(reason) => self.turn_away(&host, reason),
        }
        self.grant(now);
        self.worked_since(now);
    }
}

impl Handler<LeaseEnded> for FrontierActor {
    type Result = ();

    fn handle(&mut self, mut ended: LeaseEnded, _: &mut Context<Self>) {
        let now = self.setup.clock.now();
        if let Some(bytes) = ended.received {
            self.setup.ledger.lock().request(bytes);
        }
        let mut change = Change::default();
        self.events += 1;
        match ended.outcome {
            Outcome::Final(fate, page) => {
                if let Some(number) = self.frontier.end(ended.lease.id) {
                    self.settle(fate);
                    let item = &ended.lease.item;
                    let (url, host) = (item.url.fingerprint(), item.url.host_key());
                    // What another run is to go on with still waits in the state.
                    if fate != Fate::Failed(Failure::WaitOver) {
                        change.ended.push(Ended { number: Some(number), url, host, fate });
                    }
                    change.leases = 1;
                }
                let PageFindings { links, visit, recrawl_visit } = *page;
                (change.visit, change.recrawl_visit) = (visit, recrawl_visit);
                self.take_in(links, &mut change);
                self.look_ahead(now);
            }
            Outcome::Retry(not_before) => {
                // Classes may have changed their meaning during the request.
                if self.setup.order.generation > 0 {
                    self.renew(&mut ended.lease.item);
                }
                let number = match ended.received {
                    Some(_) => self.frontier.retry(&ended.lease, not_before),
                    None => self.frontier.put_back(&ended.lease, not_before),
                };
                if let Some(number) = number {
                    self.setup.metrics.returned.inc();
                    self.wake(ended.lease.item.url.host_key());
                    change.waiting.push((number, ended.lease.item));
                }
            }
        }
        self.keep(change);
        self.grant(now);
        self.worked_since(now);
    }
}

impl Handler<LinksFound> for FrontierActor {
    type Result = ();

    fn handle(&mut self, LinksFound(links): LinksFound, _: &mut Context<Self>) {
        self.take_in_event(links, Change::default());
    }
}

impl Handler<SitemapLinks> for FrontierActor {
    type Result = ();

    fn handle(&mut self, SitemapLinks { links, credit }: SitemapLinks, _: &mut Context<Self>) {
        self.take_in_event(links, Change::default());
        drop(credit);
    }
}

impl Handler<OwnRequestEnded> for FrontierActor {
    type Result = ();

    fn handle(&mut self, ended: OwnRequestEnded, _: &mut Context<Self>) {
        self.setup.ledger.lock().own_requests(1, ended.bytes);
        self.setup.allowance.errands_ended(1);
        self.errands = self.errands.saturating_sub(u64::from(ended.announced));
        self.take_in_event(ended.links, Change { progress: ended.progress, ..Change::default() });
    }
}

impl Handler<ErrandsDone> for FrontierActor {
    type Result = ();

    fn handle(&mut self, ErrandsDone(count): ErrandsDone, _: &mut Context<Self>) {
        self.errands = self.errands.saturating_sub(u64::from(count));
        self.take_in_event(DiscoveredLinks::default(), Change::default());
    }
}

impl Handler<FleetEvent> for FrontierActor {
    type Result = ();

    fn handle(&mut self, FleetEvent { links, effects }: FleetEvent, _: &mut Context<Self>) {
        self.take_in_event(links, Change { fleet_effects: Some(effects), ..Change::default() });
    }
}

impl Handler<LeasesOf> for FrontierActor {
    type Result = usize;

    fn handle(&mut self, LeasesOf(hosts): LeasesOf, _: &mut Context<Self>) -> usize {
        self.frontier.leased_of(&*hosts)
    }
}

impl Handler<RetryNow> for FrontierActor {
    type Result = ();

    fn handle(&mut self, RetryNow(hosts): RetryNow, _: &mut Context<Self>) {
        hosts.iter().for_each(|host| self.frontier.retry_now(host));
    }
}

impl Handler<WaitingHosts> for FrontierActor {
    type Result = Vec<HostKey>;

    fn handle(&mut self, _: WaitingHosts, _: &mut Context<Self>) -> Vec<HostKey> {
        self.frontier.waiting_hosts()
    }
}

impl Handler<TakeOver> for FrontierActor {
    type Result = ();

    fn handle(&mut self, TakeOver { waiting, admitted }: TakeOver, _: &mut Context<Self>) {
        let links = DiscoveredLinks { accepted: waiting, ..DiscoveredLinks::default() };
        let effects = Box::new(FleetEffects { imported: true, ..FleetEffects::default() });
        self.take_in_event(links, Change { fleet_effects: Some(effects), ..Change::default() });
        admitted.iter().for_each(|(host, count)| self.frontier.restore_admitted(host, *count));
    }
}

impl Handler<DropHosts> for FrontierActor {
    type Result = ();

    fn handle(&mut self, DropHosts { hosts, mut fleet_effects }: DropHosts, _: &mut Context<Self>) {
        self.events += 1;
        fleet_effects.dropped = self.frontier.forget(&*hosts);
        // Their actors end. Actors that take over these hosts later know nothing of an earlier wake-up.
        self.awake.retain(|host| !hosts(host));
        self.due.forget(&*hosts);
        self.discard(Fate::HandedOver, fleet_effects.dropped.len() as u64);
        self.keep(Change { fleet_effects: Some(fleet_effects), ..Change::default() });
        self.grant(self.setup.clock.now());
    }
}

impl Handler<LeasesCommitted> for FrontierActor {
    type Result = ();

    fn handle(&mut self, LeasesCommitted(leases): LeasesCommitted, _: &mut Context<Self>) {
        self.uncommitted = self.uncommitted.saturating_sub(u64::from(leases));
        self.grant(self.setup.clock.now());
    }
}

impl Handler<OrderChanged> for FrontierActor {
    type Result = ();

    fn handle(&mut self, _: OrderChanged, _: &mut Context<Self>) {
        self.follow_waiting();
    }
}

impl Handler<FollowNow> for FrontierActor {
    type Result = u64;

    fn handle(&mut self, _: FollowNow, _: &mut Context<Self>) -> u64 {
        self.follow_waiting()
    }
}

impl Handler<LimitsChanged> for FrontierActor {
    type Result = ();

    fn handle(&mut self, LimitsChanged { limits }: LimitsChanged, _: &mut Context<Self>) {
        self.frontier.set_limits(limits);
    }
}

impl Handler<SurveyQuery> for FrontierActor {
    type Result = MessageResult<SurveyQuery>;

    fn handle(&mut self, SurveyQuery(rows): SurveyQuery, _: &mut Context<Self>) -> Self::Result {
        MessageResult(self.frontier.survey(rows))
    }
}

impl Handler<ErrandsAdded> for FrontierActor {
    type Result = ();

    fn handle(&mut self, ErrandsAdded(count): ErrandsAdded, _: &mut Context<Self>) {
        self.errands += u64::from(count);
    }
}

impl Handler<Control> for FrontierActor {
    type Result = ();

    fn handle(&mut self, control: Control, _: &mut Context<Self>) {
        match control {
            Control::Stop => self.setup.allowance.stop(EndReason::Stopped),
            Control::Pause => self.pause(true),
            Control::Resume => self.pause(false),
            Control::Look => {}
            Control::End(why) => self.setup.allowance.stop(why),
            Control::HoldOpen => self.holds += 1,
            Control::Release => self.holds = self.holds.saturating_sub(1),
        }
        self.grant(self.setup.clock.now());
    }
}
