-- The recipients of a tenant. A removed recipient keeps its row and its external id; personal data is wiped.
create table pombo.recipients (
  id uuid primary key,
  tenant text collate "C" not null check (tenant <> ''),
  external_id text collate "C",
  name text,
  phone text collate "C",
  email text,
  locale text collate "C",
  -- The words it is searched by, from src/domain/directory/search-words.ts.
  words tsvector not null,
  created_at bigint not null,
  updated_at bigint not null,
  removed_at bigint
);
create unique index recipients_external on pombo.recipients (tenant, external_id)
  where external_id is not null and removed_at is null;
create index recipients_newest on pombo.recipients (tenant, created_at, id) where removed_at is null;
create index recipients_words on pombo.recipients using gin (words) where removed_at is null;

alter table pombo.recipients enable row level security;
alter table pombo.recipients force row level security;
create policy tenant on pombo.recipients to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.recipients to pombo_system using (true) with check (true);
grant select, insert, update (external_id, name, phone, email, locale, words, updated_at, removed_at)
  on pombo.recipients to pombo_tenant;
-- The system finds ids by words, because under policies no index for words is used.
grant select (id, tenant, words, created_at, removed_at) on pombo.recipients to pombo_system;

-- The templates of a tenant: every version of every text. The newest of a name and locale applies.
create table pombo.templates (
  tenant text collate "C" not null check (tenant <> ''),
  name text collate "C" not null,
  locale text collate "C" not null,
  version bigint not null,
  channel text collate "C" not null,
  -- JSON.
  texts text not null,
  created_at bigint not null,
  primary key (tenant, name, locale, version)
);

alter table pombo.templates enable row level security;
alter table pombo.templates force row level security;
create policy tenant on pombo.templates to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.templates to pombo_system using (true) with check (true);
grant select, insert, delete on pombo.templates to pombo_tenant;
