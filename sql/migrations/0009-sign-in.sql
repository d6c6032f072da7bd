-- Who people are, how they come in, and what their keys may spend.
insert into svc.transfer_side values
  ('link_out', 'available', 'linking'),
  ('link_in', 'linking', 'available');
drop index svc.transfer_line;
create index transfer_line on svc.transfer (account_id, id desc)
  where kind in ('topup', 'chunk', 'link_in', 'hold', 'charge', 'refund');

-- Raised, it ends every wallet token of the account.
alter table svc.account add column token_version integer not null default 1;

-- How a person is known: an address that took a link, or an account at a provider.
create table svc.identity (
  provider text not null check (provider in ('email', 'github', 'google')),
  subject text not null,
  account_id uuid not null references svc.account,
  email text,
  created_at timestamptz not null default now(),
  primary key (provider, subject)
);
create index identity_of_account on svc.identity (account_id);

create table svc.wallet_challenge (
  nonce text primary key,
  address text not null check (address = lower(address)),
  chain_id bigint not null,
  domain text not null,
  expires_at timestamptz not null
);

-- A link serves once. It leads to an address's own account, or to one that an operator names.
create table svc.sign_in_link (
  hash bytea primary key,
  email text,
  account_id uuid references svc.account,
  expires_at timestamptz not null,
  check ((email is null) <> (account_id is null))
);

create table svc.session (
  hash bytea primary key,
  account_id uuid not null references svc.account,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index session_of_account on svc.session (account_id);

create table svc.checkout (
  id uuid primary key,
  account_id uuid not null references svc.account,
  provider text not null check (provider in ('stripe', 'test')),
  amount_micros bigint not null check (amount_micros > 0),
  reference text,
  created_at timestamptz not null default now(),
  paid_at timestamptz
);
create index checkout_of_account on svc.checkout (account_id, created_at desc);

-- What a payment provider has told and was acted upon; told again, it changes nothing.
create table svc.billing_event (
  id text primary key,
  checkout_id uuid not null references svc.checkout,
  created_at timestamptz not null default now()
);

-- What one key may spend. The day is that of UTC; what is held counts until it is released.
alter table svc.api_key
  add column call_cap_micros bigint check (call_cap_micros > 0),
  add column daily_cap_micros bigint check (daily_cap_micros > 0),
  add column spent_on date,
  add column spent_micros bigint not null default 0 check (spent_micros >= 0);
alter table svc.job add column key_hash bytea;
alter type svc.call add attribute key_hash bytea;
