-- Leases: space that an account has paid for until a time. A checkpoint holds versions of one JSON body, a mailbox messages
-- from anybody who has its drop token.
create type svc.lease_kind as enum ('checkpoint', 'mailbox');

create table svc.lease (
  id uuid primary key,
  account_id uuid not null,
  kind svc.lease_kind not null,
  -- The job that paid for it.
  job_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When it was deleted or found expired. Its contents are deleted with it; the row stays for a while to say so.
  ended_at timestamptz,
  is_deleted boolean not null default false,
  -- The largest body of a checkpoint, the largest message of a mailbox.
  max_body_bytes integer not null check (max_body_bytes > 0),
  workflow_id text,
  version integer not null default 0,
  label text,
  capacity_bytes bigint,
  used_bytes bigint not null default 0,
  max_messages integer,
  message_count integer not null default 0,
  -- The number of the last message.
  sequence bigint not null default 0,
  -- Drops a minute from one address.
  drop_rate integer,
  content_types text[],
  drop_token_hash bytea,
  has_webhook boolean not null default false,
  constraint checkpoint_has_workflow check ((kind = 'checkpoint') = (workflow_id is not null)),
  constraint mailbox_has_capacity check ((kind = 'mailbox') = (capacity_bytes is not null)),
  constraint capacity_is_kept check (used_bytes between 0 and coalesce(capacity_bytes, 0)),
  constraint count_is_kept check (message_count between 0 and coalesce(max_messages, 0))
) with (fillfactor = 70);
create unique index lease_of_workflow on svc.lease (account_id, workflow_id) where workflow_id is not null and ended_at is null;
create index lease_of_account on svc.lease (account_id, kind, created_at desc);
create unique index lease_of_drop_token on svc.lease (drop_token_hash) where drop_token_hash is not null;
create index lease_expiry on svc.lease (expires_at) where ended_at is null;
create index lease_tombstone on svc.lease (ended_at) where ended_at is not null;

create table svc.checkpoint_version (
  lease_id uuid not null,
  version integer not null,
  body bytea not null,
  -- Of the write that made it.
  idempotency_key text,
  created_at timestamptz not null default now(),
  primary key (lease_id, version)
);

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
