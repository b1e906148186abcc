-- Messages that are no longer kept are deleted, with their timelines.
grant delete on pombo.messages, pombo.message_events to pombo_system;
