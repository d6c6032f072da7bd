-- Wallets, each of which is an account or belongs to one, and what they prove themselves with.
create table svc.wallet (
  address text primary key constraint address_is_lower_case check (address ~ '^0x[0-9a-f]{40}$'),
  account_id uuid not null references svc.account,
  -- When a payment of this wallet last arrived; none after one that did not.
  settled_at timestamptz,
  created_at timestamptz not null default now()
);
create index wallet_of_account on svc.wallet (account_id);

create table svc.wallet_challenge (
  nonce text primary key,
  address text not null check (address = lower(address)),
  chain_id bigint not null,
  domain text not null,
  expires_at timestamptz not null
);
create index wallet_challenge_age on svc.wallet_challenge (expires_at);

-- Texts that a wallet has signed in with: each nonce serves once.
create table svc.used_nonce (
  nonce text primary key,
  expires_at timestamptz not null
);
create index used_nonce_age on svc.used_nonce (expires_at);
