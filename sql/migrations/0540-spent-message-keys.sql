-- Keys of messages that were acknowledged and deleted: a sender who has not heard of it repeats the message under its key.
create table svc.channel_spent_key (
  channel_id uuid not null references svc.channel (id) on delete cascade,
  dedupe_key text not null,
  id uuid not null,
  seq integer not null,
  body_hash bytea not null,
  primary key (channel_id, dedupe_key)
);
