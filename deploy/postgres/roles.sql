-- Pombo's two logins and its database. Run once as a superuser:
--   POSTGRES_OWNER_PASSWORD=… POSTGRES_APP_PASSWORD=… psql -v ON_ERROR_STOP=1 -f roles.sql
-- `pombo migrate` does the rest as pombo_owner: it creates the tables and the roles that the app assumes.
\getenv owner_password POSTGRES_OWNER_PASSWORD
\getenv app_password POSTGRES_APP_PASSWORD

CREATE ROLE pombo_owner LOGIN NOSUPERUSER NOCREATEDB CREATEROLE NOBYPASSRLS PASSWORD :'owner_password';

-- Neither owner nor superuser, so row-level security applies to it.
CREATE ROLE pombo_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'app_password';

CREATE DATABASE pombo OWNER pombo_owner;
REVOKE ALL ON DATABASE pombo FROM PUBLIC;
GRANT CONNECT ON DATABASE pombo TO pombo_app;
