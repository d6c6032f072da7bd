create table svc.sender (
  chain_id bigint not null,
  address text not null check (address = lower(address)),
  next_nonce bigint,
  noted_at timestamptz not null default now(),
  primary key (chain_id, address)
);
