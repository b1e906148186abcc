-- The users of the console. Without "password" and "subject" nobody can sign in as the user yet. "operates": can sign
-- in as an operator.
create table pombo.users (
  id text collate "C" primary key,
  tenant text collate "C" not null check (tenant <> ''),
  email text collate "C" not null unique,
  name text,
  role text collate "C" not null,
  state text collate "C" not null,
  sign_in text collate "C" not null,
  password text collate "C",
  subject text collate "C" unique,
  invitation_hash text collate "C",
  invitation_expires_at bigint,
  operates boolean not null,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  last_sign_in_at bigint
);
create index users_of_tenant on pombo.users (tenant, email);
create index users_operating on pombo.users (id) where operates;

alter table pombo.users enable row level security;
alter table pombo.users force row level security;
create policy tenant on pombo.users to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.users to pombo_system using (true) with check (true);
grant select, insert on pombo.users to pombo_tenant;
-- Who signs in names no tenant, and the last operator is found among the users of all.
grant select, update, delete on pombo.users to pombo_system;

-- Their sessions. "hash" is that of the token in the cookie.
create table pombo.sessions (
  hash text collate "C" primary key,
  user_id text collate "C" not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index sessions_of_user on pombo.sessions (user_id);
create index sessions_by_end on pombo.sessions (expires_at);
grant select, insert, update, delete on pombo.sessions to pombo_system;
