-- The timeline: a copy of every event, without content. It outlives the log, so nothing here is deleted.
create table pombo.message_events (
  message uuid not null,
  event_id bytea not null,
  tenant text collate "C" not null check (tenant <> ''),
  position bigint not null,
  -- The facts of the message and the event, as src/engines/shared/codec.ts encodes them.
  facts text not null,
  body text not null,
  primary key (message, event_id)
);

alter table pombo.message_events enable row level security;
alter table pombo.message_events force row level security;
create policy tenant on pombo.message_events to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.message_events to pombo_system using (true) with check (true);
grant select on pombo.message_events to pombo_tenant;
grant select, insert on pombo.message_events to pombo_system;
