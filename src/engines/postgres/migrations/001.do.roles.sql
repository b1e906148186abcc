-- The two roles a login takes on for the length of one transaction, and nobody by default.
-- pombo_tenant is bound by policies to the tenant that the transaction names; pombo_system keeps the index of all.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['pombo_tenant', 'pombo_system'] loop
    -- Roles belong to the whole server: another database of it may have made them, even this very moment.
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
