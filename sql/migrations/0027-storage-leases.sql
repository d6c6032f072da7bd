-- Storage leases: one file each, which its owner may hand off. Checkpoints may have another type than JSON where that is allowed.
alter table svc.checkpoint_version add column content_type text;

alter table svc.lease add column delete_on_claim boolean not null default false;
-- When it was handed off for good; its content is removed once that has arrived, or a little later.
alter table svc.lease add column claimed_at timestamptz;
create index lease_claimed on svc.lease (claimed_at) where claimed_at is not null and ended_at is null;

create table svc.lease_content (
  lease_id uuid primary key,
  object_key text not null,
  size_bytes integer not null check (size_bytes > 0),
  sha256 text not null,
  content_type text not null,
  filename text
);

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

alter table svc.object drop constraint object_kind_check;
alter table svc.object add constraint object_kind_check check (kind in ('upload', 'output', 'baton', 'lease')) not valid;
alter table svc.object validate constraint object_kind_check;
