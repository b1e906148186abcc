-- One-time codes. A challenge has the id of the message that carries its code.
create table pombo.challenges (
  id uuid primary key,
  tenant text collate "C" not null check (tenant <> ''),
  account text collate "C" not null,
  max_attempts bigint not null,
  attempts bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  -- Null until the message is stored.
  hash text,
  verified_at bigint,
  -- When the content of the message is to be shredded; null once it is.
  ends_at bigint
);
create index challenges_ended on pombo.challenges (ends_at) where ends_at is not null;
create index challenges_cleared on pombo.challenges (tenant, created_at) where ends_at is null;

alter table pombo.challenges enable row level security;
alter table pombo.challenges force row level security;
create policy tenant on pombo.challenges to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.challenges to pombo_system using (true) with check (true);
grant select, insert, delete, update (max_attempts, attempts, expires_at, hash, verified_at, ends_at)
  on pombo.challenges to pombo_tenant;
grant select (id, tenant, ends_at) on pombo.challenges to pombo_system;
