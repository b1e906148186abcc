-- The domains that tenants send email from. Adding, changing or removing one assigns the next version, so that processes
-- can poll for changes; removed ones stay for that reason, without their key. Writers are serialized, so that versions
-- become visible in order.
create sequence pombo.domain_versions as bigint;
grant usage on sequence pombo.domain_versions to pombo_tenant;

create table pombo.domains (
  tenant text collate "C" not null check (tenant <> ''),
  name text collate "C" not null,
  version bigint not null,
  removed boolean not null,
  token text not null,
  selector text not null,
  public_key text not null,
  -- The DKIM key, sealed under the master key.
  sealed_key text not null,
  -- The last check, and what it found.
  checked_at bigint,
  ownership text,
  dkim text,
  verified_at bigint,
  created_at bigint not null,
  primary key (tenant, name)
);
create index domains_version on pombo.domains (version);
-- Across all tenants: policies do not hide rows from unique indexes.
create unique index domains_verified on pombo.domains (name) where verified_at is not null and not removed;

alter table pombo.domains enable row level security;
alter table pombo.domains force row level security;
create policy tenant on pombo.domains to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.domains to pombo_system using (true) with check (true);
grant select, insert, update on pombo.domains to pombo_tenant;
grant select on pombo.domains to pombo_system;
