-- transaction: none
-- The newest messages of a shape; and, as null, the messages that are not counted yet.
create index concurrently if not exists messages_shape on pombo.messages (shape, created_at, id);
