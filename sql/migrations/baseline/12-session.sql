-- Who people are, and how they come in.

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

-- A link serves once. It leads to an address's own account, or to one that an operator names.
create table svc.sign_in_link (
  hash bytea primary key,
  email text,
  account_id uuid references svc.account,
  expires_at timestamptz not null,
  check ((email is null) <> (account_id is null))
);
create index sign_in_link_age on svc.sign_in_link (expires_at);

create table svc.session (
  hash bytea primary key,
  account_id uuid not null references svc.account,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index session_of_account on svc.session (account_id);
create index session_age on svc.session (seen_at);
