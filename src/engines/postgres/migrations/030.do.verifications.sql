-- One-time codes that are checked by their recipient, and can be canceled. The newest challenge of each subject, a keyed
-- hash, until the challenge is deleted.
alter table pombo.challenges add column canceled_at bigint;
grant update (canceled_at) on pombo.challenges to pombo_tenant;

create table pombo.newest_challenges (
  tenant text collate "C" not null check (tenant <> ''),
  subject text collate "C" not null,
  challenge uuid not null,
  primary key (tenant, subject)
);
create index newest_challenges_of on pombo.newest_challenges (challenge);

alter table pombo.newest_challenges enable row level security;
alter table pombo.newest_challenges force row level security;
create policy tenant on pombo.newest_challenges to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.newest_challenges to pombo_system using (true) with check (true);
grant select, insert, delete, update (challenge) on pombo.newest_challenges to pombo_tenant;

create or replace view pombo.otp_challenges with (security_invoker = true) as
select c.id, pombo.text_of(pombo.places(m.searchable) -> 'to') as to_number, null::text as otp_hash,
  c.id as sms_request_id, c.expires_at as ttl_expires_at, c.attempts, c.max_attempts,
  case
    when c.verified_at is not null then 'verified'
    when c.canceled_at is not null then 'canceled'
    when c.expires_at <= extract(epoch from now()) * 1000 then 'expired'
    when c.attempts >= c.max_attempts then 'exhausted'
    else 'pending'
  end as status,
  c.created_at, coalesce(c.verified_at, c.canceled_at, c.created_at) as updated_at, c.tenant as tenant_id,
  c.account as account_id
from pombo.challenges c left join pombo.messages m on m.id = c.id and m.tenant = c.tenant;
