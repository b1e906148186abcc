-- How many messages were accepted and sent, by day. Counted by triggers, so that each counts once, however often and by
-- how many projectors it is written. Kept when messages are deleted.
create table pombo.usage_records (
  tenant text collate "C" not null check (tenant <> ''),
  -- Days since the epoch, in UTC.
  day bigint not null,
  account text collate "C" not null,
  channel text collate "C" not null,
  -- Empty if there is none.
  country text collate "C" not null,
  provider text collate "C" not null,
  -- Whether a provider took the messages; otherwise they were accepted.
  sent boolean not null,
  -- Of messages in the index.
  messages bigint not null default 0,
  segments bigint not null default 0,
  -- What these were when the index was last cleared: a rebuild finds no messages that the log has dropped by age.
  cleared_messages bigint not null default 0,
  cleared_segments bigint not null default 0,
  -- Of messages that were deleted.
  deleted_messages bigint not null default 0,
  deleted_segments bigint not null default 0,
  primary key (tenant, day, account, channel, country, provider, sent)
) with (fillfactor = 70);

alter table pombo.usage_records enable row level security;
alter table pombo.usage_records force row level security;
create policy tenant on pombo.usage_records to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.usage_records to pombo_system using (true) with check (true);
grant select on pombo.usage_records to pombo_tenant;
grant select, insert, update on pombo.usage_records to pombo_system;

-- The hand-offs of a message: by attempt, their time and provider. Null if there was none.
alter table pombo.messages add column handoffs jsonb;

create function pombo.day_of(at bigint) returns bigint language sql immutable parallel safe return
  floor(at / 86400000.0)::bigint;

-- What a message adds, one row for each time it is counted. `facts` as src/engines/shared/codec.ts encodes them.
create function pombo.usage_of(created_at bigint, facts text, handoffs jsonb)
  returns table (day bigint, account text, country text, provider text, sent boolean, segments bigint)
  language sql immutable parallel safe as $$
    with message as (
      select pombo.text_of(place -> 2) as account, coalesce(pombo.text_of(place -> 14), '') as country,
        pombo.number_of(place -> 6) as segments
      from (select pombo.places(facts) as place) as decoded
    )
    select pombo.day_of(created_at), account, country, '', false, segments from message
    union all
    select pombo.day_of((handoff.value ->> 0)::bigint), account, country, coalesce(handoff.value ->> 1, ''), true, segments
    from message cross join jsonb_each(handoffs) as handoff
  $$;

-- Once for each statement. The lock keeps two writers from deadlocking, because rows come in the order of two triggers.
create function pombo.count_usage() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7026621, 0);
  if tg_op = 'TRUNCATE' then
    update pombo.usage_records set messages = 0, segments = 0,
      cleared_messages = greatest(cleared_messages, messages), cleared_segments = greatest(cleared_segments, segments)
    where messages <> 0 or segments <> 0;
  elsif tg_op = 'INSERT' then
    insert into pombo.usage_records as known (tenant, day, account, channel, country, provider, sent, messages, segments)
    select m.tenant, u.day, u.account, m.channel, u.country, u.provider, u.sent, count(*), sum(u.segments)
    from added m cross join lateral pombo.usage_of(m.created_at, m.facts, m.handoffs) u
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (tenant, day, account, channel, country, provider, sent) do update
      set messages = known.messages + excluded.messages, segments = known.segments + excluded.segments;
  elsif tg_op = 'DELETE' then
    insert into pombo.usage_records as known (tenant, day, account, channel, country, provider, sent,
      messages, segments, cleared_messages, cleared_segments, deleted_messages, deleted_segments)
    select m.tenant, u.day, u.account, m.channel, u.country, u.provider, u.sent,
      -count(*), -sum(u.segments), -count(*), -sum(u.segments), count(*), sum(u.segments)
    from removed m cross join lateral pombo.usage_of(m.created_at, m.facts, m.handoffs) u
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (tenant, day, account, channel, country, provider, sent) do update
      set messages = known.messages + excluded.messages, segments = known.segments + excluded.segments,
        cleared_messages = known.cleared_messages + excluded.cleared_messages,
        cleared_segments = known.cleared_segments + excluded.cleared_segments,
        deleted_messages = known.deleted_messages + excluded.deleted_messages,
        deleted_segments = known.deleted_segments + excluded.deleted_segments;
  else
    -- A new message may have taken over the row of a deleted one of the same id, which is then gone.
    with pairs as (
      select a as after, r as before, (a.created_at <> r.created_at)::int as gone
      from added a join removed r using (id)
      where a.handoffs is distinct from r.handoffs or a.created_at <> r.created_at
    ),
    changed as (
      select (after).tenant, (after).channel, u.*, 1 as counts, 0 as gone
      from pairs cross join lateral pombo.usage_of((after).created_at, (after).facts, (after).handoffs) u
      union all
      select (before).tenant, (before).channel, u.*, -1, gone
      from pairs cross join lateral pombo.usage_of((before).created_at, (before).facts, (before).handoffs) u
    )
    insert into pombo.usage_records as known (tenant, day, account, channel, country, provider, sent,
      messages, segments, cleared_messages, cleared_segments, deleted_messages, deleted_segments)
    select tenant, day, account, channel, country, provider, sent, sum(counts), sum(counts * segments),
      -sum(gone), -sum(gone * segments), sum(gone), sum(gone * segments)
    from changed group by 1, 2, 3, 4, 5, 6, 7 having sum(counts) <> 0 or sum(gone) <> 0 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (tenant, day, account, channel, country, provider, sent) do update
      set messages = known.messages + excluded.messages, segments = known.segments + excluded.segments,
        cleared_messages = known.cleared_messages + excluded.cleared_messages,
        cleared_segments = known.cleared_segments + excluded.cleared_segments,
        deleted_messages = known.deleted_messages + excluded.deleted_messages,
        deleted_segments = known.deleted_segments + excluded.deleted_segments;
  end if;
  return null;
end
$$;
create trigger usage_added after insert on pombo.messages
  referencing new table as added for each statement execute function pombo.count_usage();
create trigger usage_changed after update on pombo.messages
  referencing new table as added old table as removed for each statement execute function pombo.count_usage();
create trigger usage_removed after delete on pombo.messages
  referencing old table as removed for each statement execute function pombo.count_usage();
create trigger usage_truncated after truncate on pombo.messages
  for each statement execute function pombo.count_usage();
