-- Payments without an account: the wallet is the account, a chunk is money on its way from the chain.
insert into svc.transfer_side values
  ('chunk', 'funding', 'available'),
  ('bounce', 'available', 'funding'),
  ('debt', 'owed', 'funding'),
  ('repay', 'available', 'owed');

drop index svc.transfer_line;
create index transfer_line on svc.transfer (account_id, id desc) where kind in ('topup', 'chunk', 'hold', 'charge', 'refund');

-- What a settlement that failed left unpaid.
alter table svc.account add column debt_micros bigint not null default 0
  constraint debt_is_not_negative check (debt_micros >= 0);

create table svc.wallet (
  address text primary key constraint address_is_lower_case check (address ~ '^0x[0-9a-f]{40}$'),
  account_id uuid not null references svc.account,
  -- When a payment of this wallet last arrived; none after one that did not.
  settled_at timestamptz,
  created_at timestamptz not null default now()
);
create index wallet_of_account on svc.wallet (account_id);

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
create index payment_age on svc.payment (created_at);

-- Texts that a wallet has signed in with: each nonce serves once.
create table svc.used_nonce (
  nonce text primary key,
  expires_at timestamptz not null
);

alter type svc.call add attribute payment json;
