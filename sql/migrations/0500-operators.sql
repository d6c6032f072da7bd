-- Who runs the service, and what they have changed.

-- The roles go from reading over support (free a caller from trouble) to full (money, prices, settings, operators).
create type svc.operator_role as enum ('read', 'support', 'full');

create table svc.operator (
  id uuid primary key,
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9._@-]{0,63}$'),
  role svc.operator_role not null,
  -- The secret of the codes of an authenticator app, encrypted, and the last step of time of which a code was used.
  totp_sealed text,
  totp_step bigint not null default 0,
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);

create table svc.operator_passkey (
  id text primary key,
  operator_id uuid not null references svc.operator,
  public_key bytea not null,
  counter bigint not null,
  name text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index operator_passkey_of on svc.operator_passkey (operator_id);

-- A link that lets an operator add what they sign in with. It serves once.
create table svc.operator_link (
  hash bytea primary key,
  operator_id uuid not null references svc.operator,
  expires_at timestamptz not null
);

create table svc.operator_session (
  hash bytea primary key,
  operator_id uuid not null references svc.operator,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index operator_session_of on svc.operator_session (operator_id);

-- A session that shows an operator the pages of an account, and can change nothing.
alter table svc.session add column operator text;
alter table svc.sign_in_link add column operator text;

-- A worker that is to take no more jobs.
alter table svc.worker add column draining_at timestamptz;

-- What may be set, as the program declares it.
create table svc.tunable (
  name text primary key,
  kind text not null check (kind in ('number', 'boolean', 'list')),
  standard jsonb not null,
  least double precision,
  most double precision,
  summary text not null
);

-- Every change of a setting or a price, also those that are to come.
create table svc.setting_change (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('setting', 'price')),
  name text not null,
  before jsonb,
  after jsonb,
  actor text not null,
  state text not null check (state in ('applied', 'scheduled', 'cancelled')),
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now()
);
create index setting_change_due on svc.setting_change (due_at) where state = 'scheduled';
create index setting_change_of on svc.setting_change (kind, name, id desc);
