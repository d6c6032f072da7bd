-- Of one sequence for all locks, so that a fence is never used again, not even by a lock that was forgotten in between.
create sequence svc.coordination_fence;

create table svc.coordination_lock (
  account_id uuid not null references svc.account (id),
  name text not null,
  hold_id uuid not null,
  token_hash bytea not null,
  owner text,
  fence bigint not null,
  acquired_at timestamptz not null,
  -- In the past if nobody holds it.
  expires_at timestamptz not null,
  primary key (account_id, name)
);

create table svc.coordination_barrier (
  account_id uuid not null references svc.account (id),
  name text not null,
  round integer not null,
  parties integer not null,
  members text[] not null default '{}',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  released_at timestamptz,
  primary key (account_id, name, round)
);

create table svc.coordination_counter (
  account_id uuid not null references svc.account (id),
  name text not null,
  value bigint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (account_id, name)
);
