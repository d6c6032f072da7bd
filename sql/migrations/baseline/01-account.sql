-- Who owns money and things.
create schema svc;

create table svc.account (
  id uuid primary key,
  name text,
  is_test boolean not null default false,
  balance_micros bigint not null default 0 constraint balance_is_not_negative check (balance_micros >= 0),
  held_micros bigint not null default 0 constraint held_is_not_negative check (held_micros >= 0),
  suspended_at timestamptz,
  created_at timestamptz not null default now(),
  -- What a settlement that failed left unpaid.
  debt_micros bigint not null default 0 constraint debt_is_not_negative check (debt_micros >= 0),
  -- Raised, it ends every wallet token of the account.
  token_version integer not null default 1,
  -- When its owner last signed in, and whether the next new sign-in becomes its owner.
  signed_in_at timestamptz,
  awaits_owner boolean not null default false,
  -- In which asset its credit came in, or the larger part of it: what it pays is booked in that.
  credit_asset text not null default 'USD'
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
create index account_awaiting on svc.account (id) where awaits_owner;
