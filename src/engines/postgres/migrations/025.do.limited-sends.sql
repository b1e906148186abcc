-- How many sends rate limits have refused, by minute.
create table pombo.limited_sends (
  tenant text collate "C" not null check (tenant <> ''),
  minute bigint not null,
  channel text collate "C" not null,
  count bigint not null,
  primary key (tenant, minute, channel)
) with (fillfactor = 50);

alter table pombo.limited_sends enable row level security;
alter table pombo.limited_sends force row level security;
create policy tenant on pombo.limited_sends to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.limited_sends to pombo_system using (true) with check (true);
grant select on pombo.limited_sends to pombo_tenant;
grant select, insert, update, delete on pombo.limited_sends to pombo_system;
