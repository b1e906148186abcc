-- The code of a message's latest error, for counting: the 18th element of the state in src/engines/shared/codec.ts.
alter table pombo.messages add column error_code text collate "C";
-- Policies bind the owner too, except here.
alter table pombo.messages no force row level security;
update pombo.messages set error_code = left(pombo.text_of(pombo.places(state) -> 17), 200)
  where pombo.text_of(pombo.places(state) -> 17) is not null;
alter table pombo.messages force row level security;
create index messages_errors on pombo.messages (tenant, created_at, channel, provider, error_code, dead)
  where error_code is not null;
