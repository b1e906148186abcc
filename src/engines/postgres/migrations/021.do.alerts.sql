-- Alerts: what is told of a tenant or of the installation.

-- JSON. Where there is one, "message" is its id.
alter table pombo.webhook_deliveries add column alert text;

-- The alerts that are raised, each until it is cleared. "subject" may name a tenant, so only the system reads it.
create table pombo.raised_alerts (
  kind text collate "C" not null,
  subject text collate "C" not null,
  since bigint not null,
  primary key (kind, subject)
);
grant select, insert, update, delete on pombo.raised_alerts to pombo_system;

-- The results of providers by minute; "provider" is empty for messages that no provider got. Contains no tenant data.
create table pombo.provider_results (
  minute bigint not null,
  provider text collate "C" not null,
  succeeded bigint not null,
  failed bigint not null,
  dead_lettered bigint not null,
  primary key (minute, provider)
) with (fillfactor = 50);
grant select, insert, update, delete on pombo.provider_results to pombo_system;
