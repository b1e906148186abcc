-- The newest attempts of webhook deliveries. "message" may be the id of an alert, or stand for a test event; "sealed" is
-- everything else. Ids are in the order of time.
create table pombo.webhook_attempts (
  id uuid primary key,
  tenant text collate "C" not null check (tenant <> ''),
  account text collate "C" not null,
  endpoint text collate "C" not null,
  message uuid not null,
  sealed text not null
);
create index webhook_attempts_of_endpoint on pombo.webhook_attempts (tenant, account, endpoint, id);
create index webhook_attempts_of_message on pombo.webhook_attempts (message, tenant, account, endpoint, id);

alter table pombo.webhook_attempts enable row level security;
alter table pombo.webhook_attempts force row level security;
create policy tenant on pombo.webhook_attempts to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.webhook_attempts to pombo_system using (true) with check (true);
grant select, delete on pombo.webhook_attempts to pombo_tenant;
grant select, insert, delete on pombo.webhook_attempts to pombo_system;
