create type svc.job_status as enum ('submitted', 'running', 'succeeded', 'failed', 'expired');

create table svc.job (
  id uuid primary key,
  account_id uuid not null,
  service_key text not null,
  lane text not null,
  status svc.job_status not null,
  attempt smallint not null default 0,
  is_async boolean not null default false,
  held_micros bigint not null default 0,
  charged_micros bigint,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  deadline_at timestamptz,
  worker_id uuid,
  idempotency_key text,
  progress json,
  result json,
  problem json,
  -- The key that it was called with.
  key_hash bytea,
  -- The most that it may be charged, while that is more than what is held for it.
  ceiling_micros bigint,
  -- In which it is held, so that it is charged and released in the same one.
  asset text not null default 'USD',
  -- Attempts that it lost because its worker died, and those that it used up itself by crashing its tools.
  lost smallint not null default 0,
  crashed smallint not null default 0,
  -- How long its attempts ran until their tools crashed or were killed: together they have the time limit of the job.
  ran_ms integer not null default 0
) with (fillfactor = 50);
create index job_of_account on svc.job (account_id, id desc);
create index job_open on svc.job (deadline_at) where status in ('submitted', 'running');
-- The open jobs of an account in a lane, oldest first: the first of them are within its share (sql/functions/lane.sql).
create index job_in_lane on svc.job (account_id, lane, id) where status in ('submitted', 'running');

create table svc.idempotency (
  account_id uuid not null,
  key text not null,
  fingerprint bytea not null,
  job_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
create index idempotency_age on svc.idempotency (created_at);

-- What crosses into the two batch functions and the one that closes jobs.
create type svc.call as (
  ord bigint, id uuid, account_id uuid, service_key text, lane text, amount_micros bigint, is_async boolean,
  seconds integer, key text, fingerprint bytea, payload json, payment json, key_hash bytea, ceiling_micros bigint
);
create type svc.closing as (
  id uuid, account_id uuid, attempt integer, status svc.job_status, charge_micros bigint, result json, problem json,
  started_at timestamptz, objects json
);
