create table svc.channel (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  name text,
  mode text not null check (mode in ('broadcast', 'queue')),
  keeps_history boolean not null,
  -- How many messages are paid for.
  max_messages integer not null,
  max_message_bytes integer not null,
  -- Of the last message, so also how many there were.
  seq integer not null default 0 check (seq <= max_messages),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  closed_at timestamptz
);
create index channel_of_account on svc.channel (account_id, created_at desc, id);
create index channel_by_end on svc.channel (expires_at);

create table svc.channel_token (
  id uuid primary key,
  channel_id uuid not null references svc.channel (id) on delete cascade,
  token_hash bytea not null unique,
  role text not null check (role in ('read', 'write', 'read_write')),
  label text,
  -- Without history, its holder reads what comes after this.
  joined_seq integer not null,
  created_at timestamptz not null default now()
);
create index channel_token_of_channel on svc.channel_token (channel_id, created_at, id);

create table svc.channel_message (
  channel_id uuid not null references svc.channel (id) on delete cascade,
  seq integer not null,
  id uuid not null,
  -- The label of the token with which it came; null if it is of the owner.
  sender text,
  type text,
  recipient text,
  reply_to uuid,
  dedupe_key text,
  body json not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  -- In a queue: when it can be claimed next.
  visible_at timestamptz,
  attempts integer not null default 0,
  receipt uuid unique,
  dead_at timestamptz,
  primary key (channel_id, seq)
);
create unique index channel_message_by_id on svc.channel_message (channel_id, id);
create unique index channel_message_by_dedupe_key on svc.channel_message (channel_id, dedupe_key) where dedupe_key is not null;
create index channel_message_to_claim on svc.channel_message (channel_id, visible_at) where visible_at is not null;

create table svc.channel_member (
  channel_id uuid not null references svc.channel (id) on delete cascade,
  member text not null,
  state text,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (channel_id, member)
);
