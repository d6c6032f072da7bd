-- Who owns money and things, and the keys that speak for them.
create schema svc;

create table svc.account (
  id uuid primary key,
  name text,
  is_test boolean not null default false,
  balance_micros bigint not null default 0 constraint balance_is_not_negative check (balance_micros >= 0),
  held_micros bigint not null default 0 constraint held_is_not_negative check (held_micros >= 0),
  suspended_at timestamptz,
  created_at timestamptz not null default now()
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);

create table svc.api_key (
  hash bytea primary key,
  prefix text not null,
  mode text not null check (mode in ('live', 'test')),
  account_id uuid not null references svc.account,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index api_key_account on svc.api_key (account_id);
