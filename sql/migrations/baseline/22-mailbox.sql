-- What mailboxes hold.
create table svc.mailbox_message (
  lease_id uuid not null,
  -- Begins with its number in the mailbox, so that ids are in the order of arrival.
  id uuid not null,
  body bytea not null,
  size_bytes integer not null,
  sha256 bytea not null,
  content_type text not null,
  filename text,
  idempotency_key text,
  received_at timestamptz not null default now(),
  read_at timestamptz,
  primary key (lease_id, id)
);
create unique index mailbox_message_of_key on svc.mailbox_message (lease_id, idempotency_key) where idempotency_key is not null;
