-- Leases: space that an account has paid for until a time. A checkpoint holds versions of one body, a mailbox messages from
-- anybody who has its drop token, a storage lease one file.
create type svc.lease_kind as enum ('checkpoint', 'mailbox', 'storage');

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
  delete_on_claim boolean not null default false,
  -- When it was handed off for good; its content is removed once that has arrived, or a little later.
  claimed_at timestamptz,
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
create index lease_claimed on svc.lease (claimed_at) where claimed_at is not null and ended_at is null;
