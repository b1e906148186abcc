/** The schemas of earlier releases. Their messages are moved to the tables of today by messages/take-over.ts. */
import { ERASURE_TABLE } from './erasures.ts'

/** Each brings a file to the next version. Never changed. */
export const EARLIER_VERSIONS: readonly string[] = [
  `
  create table messages (
    n integer primary key,
    id blob not null,
    -- The immutable fields; null while only a job refers to the message.
    facts text
  ) strict;

  create table message_ids (
    id blob primary key,
    n integer not null
  ) strict, without rowid;

  -- The log. Every event holds the whole state after it.
  create table events (
    seq integer primary key,
    n integer not null,
    event_id blob not null,
    body text not null,
    sealed blob
  ) strict;
  create unique index events_of_message on events (n, event_id);

  -- Apart from the log: without its secret, which is empty once it is destroyed, a message's sealed content is unreadable.
  create table keys (
    n integer primary key,
    secret blob not null,
    searchable text not null
  ) strict;

  create table jobs (
    n integer primary key,
    lane text not null,
    tenant text not null,
    lease_token integer not null,
    due_at integer
  ) strict;
  create index jobs_ready on jobs (lane, tenant, lease_token) where due_at is null;
  create index jobs_delayed on jobs (due_at) where due_at is not null;

  -- The message index. \`seq\` is the newest event it includes.
  create table listing (
    n integer primary key,
    seq integer not null,
    tenant text not null,
    created_at integer not null,
    channel text not null,
    lane text not null,
    status text not null,
    handoff_state text not null,
    provider_state text not null,
    provider text,
    error_code text,
    to_key text,
    dead integer not null,
    outcome_unknown integer not null,
    handed_off_at integer,
    ended_at integer,
    silent_since integer,
    stalled_since integer,
    facts text not null,
    state text not null,
    searchable text
  ) strict;
  create index listing_newest on listing (tenant, created_at, n);
  create table listing_to (
    to_key text not null,
    n integer not null,
    primary key (to_key, n)
  ) strict, without rowid;
  create index listing_dead on listing (tenant, created_at, n) where dead = 1;
  create index listing_outcome_unknown on listing (tenant, created_at, n) where outcome_unknown = 1;
  create index listing_silent on listing (silent_since) where silent_since is not null;
  create index listing_stalled on listing (stalled_since) where stalled_since is not null;
  create table listing_tags (
    tenant text not null,
    tag text not null,
    n integer not null,
    primary key (tenant, tag, n)
  ) strict, without rowid;
  create index listing_tags_of on listing_tags (n);
  create virtual table listing_words using fts5 (words);
  insert into listing_words (listing_words, rank) values ('secure-delete', 1);
  -- Identifies the master key that everything here was sealed with.
  create table identity (
    mark text not null
  ) strict;
  create table progress (
    name text primary key,
    position integer not null
  ) strict;
  `,
  `
  -- Limit rules of operators, and their counts, which are written slightly later.
  create table limit_rules (
    tenant text not null,
    scope text not null,
    key text not null,
    shown text not null,
    max_count integer not null,
    window_ms integer not null,
    algorithm text not null,
    version integer not null,
    updated_at integer not null,
    primary key (tenant, scope, key)
  ) strict, without rowid;
  create table limit_counts (
    tenant text not null,
    scope text not null,
    key text not null,
    version integer not null,
    tally text not null,
    ends_at integer not null,
    primary key (tenant, scope, key, version)
  ) strict, without rowid;
  create index limit_counts_ended on limit_counts (ends_at);

  -- \`ends_at\` is null once the content of the message is known to be shredded.
  create table challenges (
    id text primary key,
    tenant text not null,
    account text not null,
    max_attempts integer not null,
    attempts integer not null,
    created_at integer not null,
    expires_at integer not null,
    hash text,
    verified_at integer,
    ends_at integer
  ) strict, without rowid;
  create index challenges_ended on challenges (ends_at) where ends_at is not null;
  create index challenges_cleared on challenges (tenant, created_at) where ends_at is null;

  create table recipients (
    n integer primary key,
    id text not null unique,
    tenant text not null,
    external_id text,
    name text,
    phone text,
    email text,
    locale text,
    created_at integer not null,
    updated_at integer not null,
    removed_at integer
  ) strict;
  create unique index recipients_external on recipients (tenant, external_id)
    where external_id is not null and removed_at is null;
  create index recipients_newest on recipients (tenant, created_at, n) where removed_at is null;
  -- The words by which recipients are searched.
  create table recipient_words (
    tenant text not null,
    word text not null,
    n integer not null,
    primary key (tenant, word, n)
  ) strict, without rowid;
  create index recipient_words_of on recipient_words (n);

  create table templates (
    tenant text not null,
    name text not null,
    locale text not null,
    version integer not null,
    channel text not null,
    texts text not null,
    created_at integer not null,
    primary key (tenant, name, locale, version)
  ) strict, without rowid;
  `,
  `
  -- The routes of tenants. \`directions\` is JSON.
  create table routes (
    tenant text not null,
    id text not null,
    version integer not null,
    directions text not null,
    created_at integer not null,
    updated_at integer not null,
    primary key (tenant, id)
  ) strict, without rowid;
  `,
  `
  -- The owners of carrier references, and the reports received under them. \`names\` is JSON.
  create table receipt_names (
    provider text not null,
    name text not null,
    message text not null,
    cycle integer not null,
    attempt integer not null,
    names text not null,
    at integer not null,
    primary key (provider, name)
  ) strict, without rowid;
  create index receipt_names_oldest on receipt_names (at);
  create table receipt_reports (
    provider text not null,
    name text not null,
    report text not null,
    at integer not null,
    primary key (provider, name)
  ) strict, without rowid;
  create index receipt_reports_oldest on receipt_reports (at);

  -- The webhook endpoints of customers. \`events\` is JSON.
  create table endpoints (
    tenant text not null,
    account text not null,
    id text not null,
    url text not null,
    description text,
    events text not null,
    secret_version integer not null,
    previous_secret_until integer,
    disabled text,
    failing_since integer,
    version integer not null,
    created_at integer not null,
    updated_at integer not null,
    primary key (tenant, account, id)
  ) strict, without rowid;

  -- Webhook deliveries. \`due_at\` is null when nothing is due; \`held_until\` is the lease of a worker.
  create table webhook_deliveries (
    n integer primary key,
    tenant text not null,
    account text not null,
    endpoint text not null,
    message text not null,
    state text not null,
    delivered_through integer not null,
    wanted_through integer not null,
    since integer not null,
    failures integer not null,
    due_at integer,
    held_until integer,
    last_status integer,
    last_error text,
    tried_at integer,
    created_at integer not null,
    updated_at integer not null
  ) strict;
  create unique index webhook_deliveries_of_message on webhook_deliveries (message, endpoint);
  -- One queue per endpoint: a long one does not delay others.
  create index webhook_deliveries_due on webhook_deliveries (tenant, account, endpoint, due_at) where due_at is not null;
  create index webhook_deliveries_held on webhook_deliveries (held_until) where held_until is not null;
  create index webhook_deliveries_newest on webhook_deliveries (tenant, account, endpoint, updated_at, n);
  create index webhook_deliveries_oldest on webhook_deliveries (updated_at);
  `,
  `
  -- Addresses that a tenant's mail is not sent to any more.
  create table suppressions (
    tenant text not null,
    address text not null,
    domain text not null generated always as (substr(address, instr(address, '@') + 1)) virtual,
    reason text not null,
    note text,
    message text,
    created_at integer not null,
    expires_at integer,
    primary key (tenant, address)
  ) strict, without rowid;
  create index suppressions_newest on suppressions (tenant, created_at, address);
  create index suppressions_of_reason on suppressions (tenant, reason, created_at, address);
  create index suppressions_of_domain on suppressions (tenant, domain, address);
  -- The provider's message id.
  alter table listing add column provider_message_id text;
  update listing set provider_message_id = nullif(state ->> '$[16]', 0) where state ->> '$[16]' is not 0;
  create index listing_mail_named on listing (provider_message_id)
    where channel = 'email' and provider_message_id is not null;
  `,
  `
  -- Lists are newest first. The index covers all columns that lists filter and count by, so no other rows are read, and
  -- an update changes only its own page.
  drop index listing_newest;
  create index listing_newest on listing (tenant, created_at, n, channel, lane, status, handoff_state, provider_state,
    provider, dead, outcome_unknown, handed_off_at, ended_at, provider_message_id);
  -- Covers the counting of errors.
  create index listing_errors on listing (tenant, created_at, channel, provider, error_code, dead)
    where error_code is not null;
  `,
  `
  ${ERASURE_TABLE}
  `,
  `
  -- A parked job waits until a provider of its gate can be called, at most until \`due_at\`. \`gate\` is the sorted names
  -- of the providers, separated by spaces; a job that has left its gate keeps it until it is returned.
  alter table jobs add column gate text;
  create index jobs_parked on jobs (gate, lane, lease_token) where gate is not null and due_at is not null;
  create index jobs_parked_of on jobs (tenant, lane, lease_token) where gate is not null and due_at is not null;
  `,
  `
  -- Jobs are in memory, and derived from the states of the messages at the start. The ids of new events are text.
  drop table jobs;
  `,
]
