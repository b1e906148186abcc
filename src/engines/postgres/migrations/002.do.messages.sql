-- The index: the newest state of every message. Times are milliseconds since the epoch, as everywhere in Pombo.
create table pombo.messages (
  id uuid primary key,
  tenant text collate "C" not null check (tenant <> ''),
  -- The newest event that this row includes.
  position bigint not null,
  created_at bigint not null,
  channel text collate "C" not null,
  lane text collate "C" not null,
  status text collate "C" not null,
  handoff_state text collate "C" not null,
  provider_state text collate "C" not null,
  provider text collate "C",
  dead boolean not null,
  outcome_unknown boolean not null,
  handed_off_at bigint,
  ended_at bigint,
  silent_since bigint,
  stalled_since bigint,
  -- The immutable and the changing fields, as src/engines/shared/codec.ts encodes them.
  facts text not null,
  state text not null,
  -- Personal data: all four are cleared for good once the message is forgotten.
  to_key text collate "C",
  tags text[] collate "C",
  said tsvector,
  searchable text,
  forgotten boolean not null,
  failed tsvector,
  words tsvector generated always as (coalesce(said, '') || coalesce(failed, '')) stored
) with (
  -- Every change of a message leaves a dead row.
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02
);

-- Lists are newest first, so each of these indexes returns its rows in that order. A value that most messages end up
-- with is found soon enough by messages_newest; the partial ones are for the rest.
create index messages_newest on pombo.messages (tenant, created_at, id);
create index messages_to on pombo.messages (tenant, to_key, created_at, id) where to_key is not null;
create index messages_channel on pombo.messages (tenant, channel, created_at, id);
create index messages_lane on pombo.messages (tenant, lane, created_at, id);
create index messages_provider on pombo.messages (tenant, provider, created_at, id);
create index messages_status on pombo.messages (tenant, status, created_at, id) where status <> 'delivered';
create index messages_handoff_state on pombo.messages (tenant, handoff_state, created_at, id)
  where handoff_state <> 'handed_off';
create index messages_provider_state on pombo.messages (tenant, provider_state, created_at, id)
  where provider_state <> 'delivered';
create index messages_dead on pombo.messages (tenant, created_at, id) where dead;
create index messages_outcome_unknown on pombo.messages (tenant, created_at, id) where outcome_unknown;
create index messages_silent on pombo.messages (silent_since) where silent_since is not null;
create index messages_stalled on pombo.messages (stalled_since) where stalled_since is not null;
-- Every search reads the pending list, so it is kept short.
create index messages_tags on pombo.messages using gin (tags) with (gin_pending_list_limit = 512);
create index messages_words on pombo.messages using gin (words) with (gin_pending_list_limit = 512);

alter table pombo.messages enable row level security;
alter table pombo.messages force row level security;
create policy tenant on pombo.messages to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.messages to pombo_system using (true) with check (true);
grant select on pombo.messages to pombo_tenant;
grant select, insert, update, truncate on pombo.messages to pombo_system;

-- How far each reader has read the log.
create table pombo.progress (
  name text primary key,
  position bigint not null
);
grant select, insert, update, delete on pombo.progress to pombo_system;
