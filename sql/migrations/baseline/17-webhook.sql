-- Webhook endpoints and what is delivered to them.
create table svc.webhook_endpoint (
  id uuid primary key,
  account_id uuid not null,
  -- The object whose events go here; null for an endpoint of the account itself.
  target_id uuid,
  url text not null,
  events text[] not null,
  description text,
  -- Encrypted. During a rotation the former secret signs as well.
  secret text not null,
  former_secret text,
  former_until timestamptz,
  is_active boolean not null default true,
  -- Set when its failures have disabled it; not set when its owner has.
  disabled_at timestamptz,
  disabled_reason text,
  -- Attempts that have failed since the last success, and since when.
  consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
  failing_since timestamptz,
  -- When it had been failing for half a day; from here on the days are counted after which it is disabled.
  doubted_since timestamptz,
  -- After several failures in a row nothing is sent for a while.
  pause_seconds integer not null default 0,
  paused_until timestamptz,
  -- How many deliveries it may be sent at once. It grows with prompt successes and falls to one with a failure.
  concurrency smallint not null default 1,
  is_prompt boolean not null default false,
  -- When the workers must next look at it; null if there is nothing to send.
  next_at timestamptz,
  -- The number of the last delivery.
  sequence bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
) with (fillfactor = 50);
create index webhook_endpoint_of_account on svc.webhook_endpoint (account_id, created_at) where target_id is null;
create index webhook_endpoint_of_target on svc.webhook_endpoint (target_id) where target_id is not null;
create index webhook_endpoint_due on svc.webhook_endpoint (is_prompt, next_at) where next_at is not null;
-- Asked by every batch of jobs that end, so it has only the endpoints that want to know.
create index webhook_endpoint_of_jobs on svc.webhook_endpoint (account_id)
  where target_id is null and deleted_at is null and 'job.completed' = any (events);

create type svc.delivery_status as enum ('PENDING', 'SUCCESS', 'FAILED');

create table svc.webhook_delivery (
  id uuid primary key,
  endpoint_id uuid not null,
  event text not null,
  subject_id uuid,
  -- Counts the deliveries of the endpoint in the order of their events.
  sequence bigint not null,
  payload json not null,
  status svc.delivery_status not null default 'PENDING',
  attempts integer not null default 0,
  -- Attempts since it was created or last sent again; the delay before the next one depends on it.
  round smallint not null default 0,
  -- When it is sent next; while a worker sends it, when that worker is considered lost.
  due_at timestamptz,
  worker_id uuid,
  response_code integer,
  response_body text,
  error_message text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint pending_is_due check ((status = 'PENDING') = (due_at is not null))
) with (fillfactor = 70);
create index webhook_delivery_of_endpoint on svc.webhook_delivery (endpoint_id, created_at desc, sequence desc);
create index webhook_delivery_due on svc.webhook_delivery (endpoint_id, due_at) where due_at is not null;
create index webhook_delivery_taken on svc.webhook_delivery (endpoint_id) where worker_id is not null;
create index webhook_delivery_age on svc.webhook_delivery (created_at);

-- One event, before it is known who wants it. With a target it goes to the endpoints of that target alone.
create type svc.webhook_emission as (account_id uuid, target_id uuid, event text, subject_id uuid, payload json);
-- How one attempt of a delivery ended.
create type svc.webhook_attempt as (
  id uuid, worker uuid, attempt integer, ok boolean, code integer, body text, error text, ms integer,
  retry_after integer, verdict text
);
