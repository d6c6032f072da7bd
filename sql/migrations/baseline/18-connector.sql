-- Programs that may act for an account because its owner approved them in a browser (OAuth 2.1).

-- Programs that have registered themselves. Those that are described at their own address are not stored.
create table svc.oauth_client (
  id text primary key,
  name text,
  redirect_uris text[] not null,
  is_approved boolean not null default false,
  created_at timestamptz not null default now(),
  -- When it was last approved or got a token.
  used_at timestamptz not null default now()
);
create index oauth_client_age on svc.oauth_client (is_approved, used_at);

create table svc.connector (
  id uuid primary key,
  account_id uuid not null references svc.account,
  client_id text not null,
  key_hash bytea not null unique references svc.api_key,
  redirect_host text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  approved_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index connector_of_client on svc.connector (account_id, client_id) where revoked_at is null;

-- What an approval gives to the client, which exchanges it for tokens once.
create table svc.oauth_code (
  hash bytea primary key,
  connector_id uuid not null references svc.connector,
  -- The approval: the code and every token that comes from it.
  family uuid not null,
  redirect_uri text not null,
  challenge text not null,
  resource text not null,
  scopes text[] not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index oauth_code_age on svc.oauth_code (expires_at);
create index oauth_code_of_connector on svc.oauth_code (connector_id);

create table svc.oauth_token (
  hash bytea primary key,
  kind text not null check (kind in ('access', 'refresh')),
  connector_id uuid not null references svc.connector,
  family uuid not null,
  resource text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Set for a refresh token that was exchanged. When it comes again, one of its two holders is a thief.
  used_at timestamptz,
  check (used_at is null or kind = 'refresh')
);
create index oauth_token_age on svc.oauth_token (expires_at);
create index oauth_token_of_family on svc.oauth_token (family);
create index oauth_token_of_connector on svc.oauth_token (connector_id);
