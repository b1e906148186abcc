-- Tenants that an operator has described. Adding or changing one assigns the next version, so that processes can poll
-- for changes. Writers are serialized, so that versions become visible in order. Only the system writes them: a tenant
-- cannot change what it may do.
create sequence pombo.tenant_versions as bigint;
grant usage on sequence pombo.tenant_versions to pombo_system;

create table pombo.tenants (
  tenant text collate "C" not null check (tenant <> ''),
  version bigint not null,
  -- JSON.
  description text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (tenant)
);
create index tenants_version on pombo.tenants (version);

alter table pombo.tenants enable row level security;
alter table pombo.tenants force row level security;
create policy tenant on pombo.tenants to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.tenants to pombo_system using (true) with check (true);
grant select, insert, update on pombo.tenants to pombo_system;

-- Limits that operators have set for tenants, beside those in limit_rules, which tenants set for themselves. They share
-- the versions of limit_rules. A tenant may see them; only the system writes them.
create table pombo.operator_limit_rules (
  tenant text collate "C" not null check (tenant <> ''),
  scope text collate "C" not null,
  -- For a recipient a keyed hash.
  key text collate "C" not null,
  version bigint not null,
  removed boolean not null,
  most bigint not null,
  window_ms bigint not null,
  algorithm text collate "C" not null,
  -- The key as displayed to people.
  shown text not null,
  updated_at bigint not null,
  primary key (tenant, scope, key)
);
create index operator_limit_rules_version on pombo.operator_limit_rules (version);

alter table pombo.operator_limit_rules enable row level security;
alter table pombo.operator_limit_rules force row level security;
create policy tenant on pombo.operator_limit_rules to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.operator_limit_rules to pombo_system using (true) with check (true);
grant select on pombo.operator_limit_rules to pombo_tenant;
grant select, insert, update on pombo.operator_limit_rules to pombo_system;
grant usage on sequence pombo.limit_versions to pombo_system;
