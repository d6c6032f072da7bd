create table svc.contract (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  job_id uuid not null,
  title text not null,
  -- The canonical JSON of what the parties agree to, and its hash.
  document text not null,
  terms_hash bytea not null,
  chain_id bigint not null,
  reference_id text,
  metadata json,
  supersedes uuid references svc.contract (id) on delete set null,
  -- The ledger of the creator that has a copy of the log.
  baton_id uuid not null,
  copied_entries integer not null default 0,
  state text not null default 'pending',
  state_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  active_at timestamptz
);
create index contract_of_account on svc.contract (account_id, created_at desc, id);
create index contract_superseding on svc.contract (supersedes) where supersedes is not null;

create table svc.contract_party (
  id uuid primary key,
  contract_id uuid not null references svc.contract (id) on delete cascade,
  position integer not null,
  key text not null,
  name text,
  role text,
  method text not null check (method in ('wallet', 'account')),
  address text,
  customer_id uuid,
  email text,
  is_required boolean not null,
  nonce bytea not null,
  token_hash bytea not null unique,
  state text not null default 'pending' check (state in ('pending', 'signed', 'declined')),
  signature text,
  -- What the wallet has signed, or when the service has recorded the assent of an account.
  signed_at timestamptz,
  signed_by uuid,
  unique (contract_id, key),
  check ((method = 'wallet') = (address is not null)),
  check ((method = 'account') = (customer_id is not null or email is not null))
);
create index contract_party_by_address on svc.contract_party (address) where address is not null;
create index contract_party_by_customer on svc.contract_party (customer_id) where customer_id is not null;
create index contract_party_by_email on svc.contract_party (email) where email is not null;
