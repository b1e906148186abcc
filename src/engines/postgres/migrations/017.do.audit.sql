-- The audit log: entries are added and read, never changed. "tenant" is null for what belongs to the operator, which no
-- tenant sees. "actor" and "target" are ids; "body" is the entry in JSON.
create table pombo.audit_log (
  id uuid primary key,
  tenant text collate "C" check (tenant <> ''),
  action text collate "C" not null,
  actor text collate "C",
  target text collate "C" not null,
  body text not null
);
create index audit_log_tenant on pombo.audit_log (tenant, id);
create index audit_log_action on pombo.audit_log (action, id);
create index audit_log_actor on pombo.audit_log (actor, id);
create index audit_log_target on pombo.audit_log (target, id);

alter table pombo.audit_log enable row level security;
alter table pombo.audit_log force row level security;
create policy tenant on pombo.audit_log to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.audit_log to pombo_system using (true) with check (true);
grant select, insert on pombo.audit_log to pombo_tenant;
grant select, insert on pombo.audit_log to pombo_system;

-- The roles have no right to change entries. The triggers also stop those who have every right, until they drop them.
create function pombo.refuse_audit_change() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception 'entries of the audit log cannot be changed or deleted' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_log_keeps before update or delete on pombo.audit_log
  for each row execute function pombo.refuse_audit_change();
create trigger audit_log_stays before truncate on pombo.audit_log
  for each statement execute function pombo.refuse_audit_change();
