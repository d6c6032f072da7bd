-- The keys that speak for an account. A key that was replaced may work on for some time; what is spent with it counts on its
-- successor, so that a rotation never doubles a limit.
create table svc.api_key (
  hash bytea primary key,
  prefix text not null,
  mode text not null check (mode in ('live', 'test')),
  account_id uuid not null references svc.account,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  -- What it may spend. The day is that of UTC; what is held counts until it is released.
  call_cap_micros bigint check (call_cap_micros > 0),
  daily_cap_micros bigint check (daily_cap_micros > 0),
  spent_on date,
  spent_micros bigint not null default 0 check (spent_micros >= 0),
  name text,
  used_at timestamptz,
  ends_at timestamptz,
  successor bytea references svc.api_key,
  -- What a connector spends is counted, and limited, on a key of its own that authenticates nothing.
  is_connector boolean not null default false
);
create index api_key_account on svc.api_key (account_id);
