-- The delivery receipts owed to SMPP clients, one row per message. "due_at" is null when nothing is owed, and "ended" is
-- set once nothing ever will be; the row is leased until "held_until".
create table pombo.receipt_deliveries (
  message uuid primary key,
  tenant text collate "C" not null check (tenant <> ''),
  account text collate "C" not null,
  delivered_through bigint not null,
  wanted_through bigint not null,
  ended boolean not null,
  due_at bigint,
  held_until bigint,
  updated_at bigint not null
) with (
  -- Every receipt leaves dead rows.
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02
);
create index receipt_deliveries_due on pombo.receipt_deliveries (tenant, account, due_at) where due_at is not null;
create index receipt_deliveries_oldest on pombo.receipt_deliveries (updated_at);

alter table pombo.receipt_deliveries enable row level security;
alter table pombo.receipt_deliveries force row level security;
create policy tenant on pombo.receipt_deliveries to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.receipt_deliveries to pombo_system using (true) with check (true);
grant select, delete on pombo.receipt_deliveries to pombo_tenant;
grant select, insert, update, delete on pombo.receipt_deliveries to pombo_system;

-- Long messages of SMPP clients whose parts have not all arrived. "joint" is a keyed hash, or the id once another message
-- has taken its place.
create table pombo.partial_messages (
  id uuid primary key,
  tenant text collate "C" not null check (tenant <> ''),
  account text collate "C" not null,
  joint text collate "C" not null,
  total bigint not null,
  joined boolean not null,
  until_at bigint not null,
  held_until bigint
);
create unique index partial_messages_of_joint on pombo.partial_messages (tenant, account, joint);
create index partial_messages_until on pombo.partial_messages (until_at);

alter table pombo.partial_messages enable row level security;
alter table pombo.partial_messages force row level security;
create policy tenant on pombo.partial_messages to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.partial_messages to pombo_system using (true) with check (true);
grant select, delete on pombo.partial_messages to pombo_tenant;
grant select, insert, update, delete on pombo.partial_messages to pombo_system;

-- Their parts, and how often each was sent again. "sealed" is empty once the message is joined, unless it was sent again.
create table pombo.message_parts (
  message uuid not null,
  number bigint not null,
  tenant text collate "C" not null check (tenant <> ''),
  digest text not null,
  sealed text not null,
  repeats bigint not null default 0,
  primary key (message, number)
);

alter table pombo.message_parts enable row level security;
alter table pombo.message_parts force row level security;
create policy tenant on pombo.message_parts to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.message_parts to pombo_system using (true) with check (true);
grant select, delete on pombo.message_parts to pombo_tenant;
grant select, insert, update, delete on pombo.message_parts to pombo_system;
