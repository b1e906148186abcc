-- Roles that a login switches to for one transaction; by default it has no rights.
-- pombo_tenant is bound by policies to the tenant of the transaction; pombo_system sees all tenants.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['pombo_tenant', 'pombo_system'] loop
    -- Roles belong to the whole server: another database may create them at the same moment.
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin noinherit', wanted);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
  end loop;
end $$;

grant usage on schema pombo to pombo_tenant, pombo_system;
grant select on pombo.schema_version to pombo_system;
