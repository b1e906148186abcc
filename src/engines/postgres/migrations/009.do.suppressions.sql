-- Addresses that a tenant's mail is not sent to any more.
create table pombo.suppressions (
  tenant text collate "C" not null check (tenant <> ''),
  address text collate "C" not null,
  -- A column, because under policies no index for an expression is used.
  domain text collate "C" not null generated always as (split_part(address, '@', 2)) stored,
  reason text collate "C" not null,
  note text,
  message uuid,
  created_at bigint not null,
  expires_at bigint,
  primary key (tenant, address)
);
create index suppressions_newest on pombo.suppressions (tenant, created_at, address);
create index suppressions_of_reason on pombo.suppressions (tenant, reason, created_at, address);
create index suppressions_of_domain on pombo.suppressions (tenant, domain);

alter table pombo.suppressions enable row level security;
alter table pombo.suppressions force row level security;
create policy tenant on pombo.suppressions to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.suppressions to pombo_system using (true) with check (true);
grant select, insert, update (reason, note, message, created_at, expires_at), delete on pombo.suppressions to pombo_tenant;
