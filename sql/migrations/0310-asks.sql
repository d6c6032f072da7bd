create table svc.ask (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  job_id uuid not null,
  thread_id text not null,
  reference_id text,
  metadata json,
  kind text not null check (kind in ('approval', 'choice', 'text', 'number', 'form', 'file')),
  urgency text not null,
  question text not null,
  context json,
  options json,
  form json,
  proposal json,
  allows_comment boolean not null,
  allows_edit boolean not null,
  -- How many approvals, or replies of another kind, end it, and how many can reply at all.
  needed integer not null check (needed > 0),
  voters integer not null check (voters >= needed),
  denial_ends boolean not null,
  default_reply json,
  -- The times of the reminders that are still to come.
  reminders timestamptz[] not null default '{}',
  reminded_at timestamptz,
  state text not null default 'open',
  state_at timestamptz not null default now(),
  outcome text check (outcome in ('approved', 'denied', 'choice', 'answered', 'timeout')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index ask_of_account on svc.ask (account_id, created_at desc, id);
create index ask_by_end on svc.ask (ended_at) where ended_at is not null;

create table svc.ask_recipient (
  id uuid primary key,
  ask_id uuid not null references svc.ask (id) on delete cascade,
  position integer not null,
  name text,
  kind text not null check (kind in ('link', 'email', 'slack', 'telegram', 'sms', 'webhook', 'wallet', 'channel')),
  address text,
  token_hash bytea not null unique,
  -- The address of the page, encrypted for the id of the row, for whoever sends it.
  sealed_url text not null,
  -- Which step of the escalation it is; 0 for those who are asked first.
  step integer not null,
  ask_at timestamptz not null,
  asked_at timestamptz,
  delivery text not null check (delivery in ('none', 'waiting', 'sent', 'failed')),
  delivery_error text,
  unique (ask_id, position)
);
create index ask_recipient_by_address on svc.ask_recipient (kind, address);

create table svc.ask_reply (
  id uuid primary key default gen_random_uuid(),
  ask_id uuid not null references svc.ask (id) on delete cascade,
  recipient_id uuid not null references svc.ask_recipient (id) on delete cascade,
  seq integer not null,
  name text,
  decision text,
  value json,
  comment text,
  edited_proposal json,
  method text not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (ask_id, seq)
);
create index ask_reply_of_recipient on svc.ask_reply (recipient_id);

create table svc.ask_file (
  id uuid primary key,
  ask_id uuid not null references svc.ask (id) on delete cascade,
  position integer not null,
  -- Null for what the owner has attached.
  recipient_id uuid references svc.ask_recipient (id) on delete cascade,
  name text not null,
  content_type text not null,
  sha256 bytea not null,
  content bytea not null
);
create index ask_file_of_ask on svc.ask_file (ask_id, position);
