-- The wallets that put transactions on a chain, one at a time.
create table svc.sender (
  chain_id bigint not null,
  address text not null check (address = lower(address)),
  next_nonce bigint,
  noted_at timestamptz not null default now(),
  primary key (chain_id, address)
);
