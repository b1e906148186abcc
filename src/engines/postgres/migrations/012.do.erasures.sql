-- Recipients of copies of mails, by keyed hash, so that a search for a recipient finds them too.
create table pombo.message_copies (
  tenant text collate "C" not null check (tenant <> ''),
  to_key text collate "C" not null,
  message uuid not null,
  primary key (tenant, to_key, message)
);
create index message_copies_of on pombo.message_copies (message);

alter table pombo.message_copies enable row level security;
alter table pombo.message_copies force row level security;
create policy tenant on pombo.message_copies to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.message_copies to pombo_system using (true) with check (true);
grant select on pombo.message_copies to pombo_tenant;
grant select, insert, delete, truncate on pombo.message_copies to pombo_system;

-- Erasures by recipient. "due_at" is when the next step is due; null once the erasure is complete. "body" is JSON:
-- its progress and its receipt. The only personal data is the keyed hash.
create table pombo.erasures (
  tenant text collate "C" not null check (tenant <> ''),
  id text collate "C" not null,
  to_key text collate "C" not null,
  requested_at bigint not null,
  due_at bigint,
  lease_token bigint not null,
  body text not null,
  primary key (tenant, id)
);
create unique index erasures_running on pombo.erasures (tenant, to_key) where due_at is not null;
create index erasures_due on pombo.erasures (due_at) where due_at is not null;
create index erasures_newest on pombo.erasures (tenant, requested_at, id);

alter table pombo.erasures enable row level security;
alter table pombo.erasures force row level security;
create policy tenant on pombo.erasures to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.erasures to pombo_system using (true) with check (true);
grant select, insert on pombo.erasures to pombo_tenant;
grant select, update on pombo.erasures to pombo_system;
