-- Payments without an account: the wallet is the account, a chunk is money on its way from the chain.
create type svc.chunk_state as enum ('claimed', 'pending', 'sending', 'unknown', 'settled', 'failed');

-- An authorization that is, or will be, put on the chain. `claimed`: a call waits for it. `pending`: credited, to be sent.
-- `sending`: perhaps broadcast. `unknown`: broadcast and not found yet. It is broadcast at most once.
create table svc.chunk (
  id uuid primary key,
  account_id uuid not null,
  payer text not null,
  chain_id bigint not null,
  asset text not null,
  symbol text not null,
  amount_micros bigint not null check (amount_micros > 0),
  state svc.chunk_state not null,
  is_credited boolean not null,
  -- The signed authorization, encrypted; gone once the state is final.
  sealed text,
  tx_hash text,
  reason text,
  valid_before timestamptz not null,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  ended_at timestamptz
) with (fillfactor = 70);
create index chunk_open on svc.chunk (created_at) where state in ('claimed', 'pending', 'sending', 'unknown');
create index chunk_open_of_account on svc.chunk (account_id) where state in ('claimed', 'pending', 'sending', 'unknown');

-- Every authorization that a call was paid with, so that none pays twice; without a chunk it was drawn down from credit,
-- and its signature was never kept.
create table svc.payment (
  chain_id bigint not null,
  asset bytea not null,
  payer bytea not null,
  nonce bytea not null,
  account_id uuid not null,
  job_id uuid,
  fingerprint bytea,
  chunk_id uuid,
  valid_before timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (chain_id, asset, payer, nonce)
);
-- Only authorizations that were drawn down are swept: those with a chunk would stand before them in the index for good.
create index payment_age on svc.payment (created_at) where chunk_id is null;
