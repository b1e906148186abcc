-- The routes of tenants. Adding, changing or removing a route assigns the next version, so that processes can poll for
-- changes; removed routes stay for that reason. Writers are serialized, so that versions become visible in order.
create sequence pombo.route_versions as bigint;
grant usage on sequence pombo.route_versions to pombo_tenant;

create table pombo.routes (
  tenant text collate "C" not null check (tenant <> ''),
  id text collate "C" not null,
  version bigint not null,
  removed boolean not null,
  -- JSON: conditions and providers.
  directions text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (tenant, id)
);
create index routes_version on pombo.routes (version);

alter table pombo.routes enable row level security;
alter table pombo.routes force row level security;
create policy tenant on pombo.routes to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.routes to pombo_system using (true) with check (true);
grant select, insert, update on pombo.routes to pombo_tenant;
grant select on pombo.routes to pombo_system;
