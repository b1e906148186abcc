-- API keys. Adding, ending or using a key assigns the next version, so that processes can poll for changes. Writers are
-- serialized, so that versions become visible in order. Keys that ended long ago are deleted: every process forgets
-- them by itself.
create sequence pombo.api_key_versions as bigint;
grant usage on sequence pombo.api_key_versions to pombo_tenant, pombo_system;

create table pombo.api_keys (
  id text collate "C" primary key,
  tenant text collate "C" not null check (tenant <> ''),
  account text collate "C" not null,
  version bigint not null,
  name text not null,
  -- Separated by spaces, as are the networks.
  scopes text not null,
  mode text collate "C" not null,
  networks text,
  -- A keyed hash of the secret.
  hash text collate "C" not null,
  created_at bigint not null,
  lifetime bigint,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);
create index api_keys_version on pombo.api_keys (version);
create index api_keys_of on pombo.api_keys (tenant, mode);

alter table pombo.api_keys enable row level security;
alter table pombo.api_keys force row level security;
create policy tenant on pombo.api_keys to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.api_keys to pombo_system using (true) with check (true);
grant select, insert, update (version, expires_at, revoked_at) on pombo.api_keys to pombo_tenant;
grant select, delete, update (version, last_used_at) on pombo.api_keys to pombo_system;
