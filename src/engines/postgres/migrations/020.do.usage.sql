-- What tenants use of their quotas. Counted by triggers, so that every writer counts, whatever its release. Several rows
-- for a tenant, because its writers would wait for each other on a single one.

-- How many recipients a tenant has: a million cannot be counted again with each that is added.
create table pombo.recipient_counts (
  tenant text collate "C" not null check (tenant <> ''),
  shard bigint not null,
  count bigint not null,
  primary key (tenant, shard)
) with (fillfactor = 50);

create function pombo.shard() returns bigint language sql stable return pg_backend_pid() % 16;

create function pombo.count_recipient() returns trigger language plpgsql as $$
begin
  insert into pombo.recipient_counts as known (tenant, shard, count)
  values (new.tenant, pombo.shard(), case tg_op when 'INSERT' then 1 else -1 end)
  on conflict (tenant, shard) do update set count = known.count + excluded.count;
  return null;
end
$$;
create trigger recipient_added after insert on pombo.recipients
  for each row when (new.removed_at is null) execute function pombo.count_recipient();
create trigger recipient_removed after update of removed_at on pombo.recipients
  for each row when (old.removed_at is null and new.removed_at is not null) execute function pombo.count_recipient();

-- Those that exist. Policies bind the owner too, except here.
alter table pombo.recipients no force row level security;
insert into pombo.recipient_counts (tenant, shard, count)
  select tenant, 0, count(*) from pombo.recipients where removed_at is null group by tenant;
alter table pombo.recipients force row level security;

alter table pombo.recipient_counts enable row level security;
alter table pombo.recipient_counts force row level security;
create policy tenant on pombo.recipient_counts to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.recipient_counts to pombo_system using (true) with check (true);
grant select, insert, update on pombo.recipient_counts to pombo_tenant;
grant select on pombo.recipient_counts to pombo_system;

-- The bytes of a tenant's messages: their rows in the index with the contents on the broker, and their timelines.
create table pombo.stored_bytes (
  tenant text collate "C" not null check (tenant <> ''),
  shard bigint not null,
  messages bigint not null default 0,
  timelines bigint not null default 0,
  primary key (tenant, shard)
) with (fillfactor = 50);

alter table pombo.stored_bytes enable row level security;
alter table pombo.stored_bytes force row level security;
create policy tenant on pombo.stored_bytes to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.stored_bytes to pombo_system using (true) with check (true);
grant select on pombo.stored_bytes to pombo_tenant;
grant select, insert, update on pombo.stored_bytes to pombo_system;

-- The sealed content on the broker; null if it is not known.
alter table pombo.messages add column content_bytes bigint;
-- Null for rows from before, until `pombo rebuild` counts them.
alter table pombo.messages add column counted boolean;
alter table pombo.messages alter column counted set default true;
alter table pombo.timelines add column counted boolean;
alter table pombo.timelines alter column counted set default true;
grant update (counted) on pombo.timelines to pombo_system;

-- Null unless the row is counted.
create function pombo.message_bytes(counted boolean, facts text, state text, searchable text, content_bytes bigint)
  returns bigint language sql immutable parallel safe return case when counted then
    octet_length(facts) + octet_length(state) + coalesce(octet_length(searchable), 0) + coalesce(content_bytes, 0)
  end;
create function pombo.timeline_bytes(counted boolean, facts text, events text)
  returns bigint language sql immutable parallel safe return case when counted then
    octet_length(facts) + octet_length(events)
  end;

-- Once for each statement. One statement may fire several of these triggers, and rows in different orders: the lock, with
-- any number that no other program uses, keeps two writers of one shard from deadlocking.
create function pombo.count_messages() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7026620, pombo.shard()::int);
  if tg_op = 'TRUNCATE' then
    update pombo.stored_bytes set messages = 0;
  elsif tg_op = 'INSERT' then
    insert into pombo.stored_bytes as known (tenant, shard, messages)
    select tenant, pombo.shard(), sum(pombo.message_bytes(counted, facts, state, searchable, content_bytes))
    from added where counted group by tenant
    on conflict (tenant, shard) do update set messages = known.messages + excluded.messages;
  elsif tg_op = 'DELETE' then
    insert into pombo.stored_bytes as known (tenant, shard, messages)
    select tenant, pombo.shard(), -sum(pombo.message_bytes(counted, facts, state, searchable, content_bytes))
    from removed where counted group by tenant
    on conflict (tenant, shard) do update set messages = known.messages + excluded.messages;
  else
    insert into pombo.stored_bytes as known (tenant, shard, messages)
    select tenant, pombo.shard(), sum(bytes) from (
      select tenant, pombo.message_bytes(counted, facts, state, searchable, content_bytes) as bytes from added
      union all
      select tenant, -pombo.message_bytes(counted, facts, state, searchable, content_bytes) from removed
    ) as changed group by tenant having sum(bytes) <> 0
    on conflict (tenant, shard) do update set messages = known.messages + excluded.messages;
  end if;
  return null;
end
$$;
create trigger messages_added after insert on pombo.messages
  referencing new table as added for each statement execute function pombo.count_messages();
create trigger messages_changed after update on pombo.messages
  referencing new table as added old table as removed for each statement execute function pombo.count_messages();
create trigger messages_removed after delete on pombo.messages
  referencing old table as removed for each statement execute function pombo.count_messages();
create trigger messages_truncated after truncate on pombo.messages
  for each statement execute function pombo.count_messages();

create function pombo.count_timelines() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7026620, pombo.shard()::int);
  if tg_op = 'INSERT' then
    insert into pombo.stored_bytes as known (tenant, shard, timelines)
    select tenant, pombo.shard(), sum(pombo.timeline_bytes(counted, facts, events))
    from added where counted group by tenant
    on conflict (tenant, shard) do update set timelines = known.timelines + excluded.timelines;
  elsif tg_op = 'DELETE' then
    insert into pombo.stored_bytes as known (tenant, shard, timelines)
    select tenant, pombo.shard(), -sum(pombo.timeline_bytes(counted, facts, events))
    from removed where counted group by tenant
    on conflict (tenant, shard) do update set timelines = known.timelines + excluded.timelines;
  else
    insert into pombo.stored_bytes as known (tenant, shard, timelines)
    select tenant, pombo.shard(), sum(bytes) from (
      select tenant, pombo.timeline_bytes(counted, facts, events) as bytes from added
      union all
      select tenant, -pombo.timeline_bytes(counted, facts, events) from removed
    ) as changed group by tenant having sum(bytes) <> 0
    on conflict (tenant, shard) do update set timelines = known.timelines + excluded.timelines;
  end if;
  return null;
end
$$;
create trigger timelines_added after insert on pombo.timelines
  referencing new table as added for each statement execute function pombo.count_timelines();
create trigger timelines_changed after update on pombo.timelines
  referencing new table as added old table as removed for each statement execute function pombo.count_timelines();
create trigger timelines_removed after delete on pombo.timelines
  referencing old table as removed for each statement execute function pombo.count_timelines();
