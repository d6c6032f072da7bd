create table svc.contract_dispute (
  id uuid primary key,
  contract_id uuid not null references svc.contract (id) on delete cascade,
  -- Who has opened it and paid for it.
  account_id uuid not null,
  job_id uuid not null,
  charged_micros bigint not null,
  claimant text not null,
  claim text not null,
  relief text not null,
  state text not null default 'open' check (state in ('open', 'deliberating', 'ruled', 'withdrawn', 'failed')),
  evidence_until timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  ruling json,
  ruling_jws text,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index contract_dispute_open on svc.contract_dispute (contract_id) where state in ('open', 'deliberating');
create index contract_dispute_of_contract on svc.contract_dispute (contract_id, created_at);

create table svc.contract_evidence (
  id uuid primary key,
  dispute_id uuid not null references svc.contract_dispute (id) on delete cascade,
  position integer not null,
  party_key text not null,
  title text not null,
  -- Of evidence that is named by its hash alone, nothing.
  content text,
  sha256 bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (dispute_id, position)
);
