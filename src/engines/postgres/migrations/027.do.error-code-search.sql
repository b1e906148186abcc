-- transaction: none
-- Lists of messages with one error, newest first.
create index concurrently if not exists messages_error_code on pombo.messages (tenant, error_code, created_at, id)
  where error_code is not null;
