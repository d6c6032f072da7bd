-- This installation, its backups, and when the books were checked last.
create table svc.installation (
  only_row boolean primary key default true check (only_row),
  -- Backups are of one installation: a restored copy gets an id of its own.
  id uuid not null default gen_random_uuid(),
  -- While this is set, nothing is settled, sent or asked of others.
  quiet_since timestamptz,
  restored_from text
);
insert into svc.installation default values;

create table svc.backup (
  id text primary key,
  address text not null,
  state text not null default 'running' check (state in ('running', 'succeeded', 'failed')),
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Of one that failed, why, as the operator is told.
  reason text,
  -- How much it holds: tables, rows, objects, bytes.
  counts jsonb
);
create index backup_started on svc.backup (started_at);

create table svc.book_check (
  id bigint generated always as identity primary key,
  started_at timestamptz not null,
  ended_at timestamptz not null default clock_timestamp(),
  counts jsonb not null,
  -- How much was wrong, and the first of it.
  fault_count integer not null,
  faults jsonb not null
);
