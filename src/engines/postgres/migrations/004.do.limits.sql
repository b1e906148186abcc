-- Limit rules. Setting or removing a rule assigns the next version, so that processes can poll for changes; removed
-- rules stay for that reason. Writers are serialized, so that versions become visible in order.
create sequence pombo.limit_versions as bigint;
grant usage on sequence pombo.limit_versions to pombo_tenant;

create table pombo.limit_rules (
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
create index limit_rules_version on pombo.limit_rules (version);

alter table pombo.limit_rules enable row level security;
alter table pombo.limit_rules force row level security;
create policy tenant on pombo.limit_rules to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.limit_rules to pombo_system using (true) with check (true);
grant select, insert, update on pombo.limit_rules to pombo_tenant;
grant select on pombo.limit_rules to pombo_system;

-- Counts per key and version of the rule: changing a rule starts a new count.
create table pombo.limit_counts (
  tenant text collate "C" not null check (tenant <> ''),
  scope text collate "C" not null,
  key text collate "C" not null,
  version bigint not null,
  -- [[start, count], …], oldest first.
  tally text not null,
  -- When none of it counts any more.
  ends_at bigint not null,
  primary key (tenant, scope, key, version)
) with (
  -- Rows are updated often: updates stay on the page.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.05
);
create index limit_counts_ends_at on pombo.limit_counts (ends_at);

alter table pombo.limit_counts enable row level security;
alter table pombo.limit_counts force row level security;
create policy tenant on pombo.limit_counts to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.limit_counts to pombo_system using (true) with check (true);
grant select, insert, update, delete on pombo.limit_counts to pombo_system;
