-- Storage leases that their owners hand off.
create table svc.handoff (
  id uuid primary key,
  lease_id uuid not null,
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  max_claims integer not null check (max_claims > 0),
  claims integer not null default 0,
  pin_hash bytea,
  pin_faults integer not null default 0,
  -- Who may claim it: a wallet, or a signed-in mail address.
  wallet text,
  email text,
  note text,
  claimed_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  account_id uuid not null,
  state text not null default 'issued',
  state_at timestamptz not null default now(),
  constraint claims_within_cap check (claims <= max_claims)
);
create index handoff_of_lease on svc.handoff (lease_id);

-- A claim that was broken off may be repeated with its receipt for a while.
create table svc.handoff_claim (
  receipt_hash bytea primary key,
  handoff_id uuid not null,
  claimed_at timestamptz not null default clock_timestamp(),
  completed_at timestamptz
);
create index handoff_claim_of_handoff on svc.handoff_claim (handoff_id);
