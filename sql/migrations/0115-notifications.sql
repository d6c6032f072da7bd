-- The outbox: every message to a person, written in the transaction that makes it necessary, and sent by a step.
create table svc.notification (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  name text not null,
  -- Makes it once.
  key text not null,
  -- Null if no address is known.
  recipient text,
  data jsonb not null,
  -- What only the recipient may read, encrypted, until it is sent.
  sealed text,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'kept', 'refused')),
  attempts integer not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check (sealed is null or state = 'waiting'),
  unique (account_id, name, key)
);
create index notification_of_account on svc.notification (account_id, created_at desc, id desc);
create index notification_by_age on svc.notification (created_at);
