-- Decision 0013: write a short run once, at its end.

-- Marks jobs as running. A job that ends before it is reported here is never marked.
create or replace function job.begin_batch(_batch json, _is_repeat boolean) returns json language sql as $$
  update svc.job j set status = 'running', started_at = b.started, worker_id = b.worker, attempt = greatest(j.attempt, 1)
  from json_to_recordset(_batch) as b (id uuid, started timestamptz, worker uuid)
  where j.id = b.id and j.status = 'submitted' and _is_repeat is not null;
  select null::json
$$;

-- Begins an attempt of a job that may have ended or been attempted before. From then on a late end of an earlier attempt
-- changes nothing. `lost` counts the attempts that began and never ended, because their workers died. There is no row if the
-- job has ended.
create or replace function job.begin_attempt(_id uuid, _worker uuid, _is_first boolean)
returns table (attempt integer, lost integer) language sql as $$
  update svc.job j set status = 'running', started_at = now(), worker_id = _worker,
    attempt = case when _is_first then greatest(j.attempt, 1) else greatest(j.attempt, 1) + 1 end,
    lost = j.lost + case when not _is_first and j.status = 'running' and j.worker_id is not null then 1 else 0 end
  where j.id = _id and j.status in ('submitted', 'running')
  returning j.attempt, j.lost
$$;

-- Ends an attempt whose job is run again: it was handed back by a worker that stops, or it crashed. Returns how often the job
-- has crashed, or null if the job has ended or belongs to a later attempt.
create or replace function job.end_attempt(_id uuid, _attempt integer, _has_crashed boolean) returns integer language sql as $$
  update svc.job set status = 'running', started_at = coalesce(started_at, now()), worker_id = null,
    attempt = greatest(attempt, _attempt), crashed = crashed + _has_crashed::integer
  where id = _id and status in ('submitted', 'running') and attempt <= _attempt
  returning crashed
$$;

-- Adds the time that an attempt ran until its tool crashed or was killed, and returns that of all such attempts, which share
-- the time limit of the job; null if the job has ended or belongs to a later attempt.
create or replace function job.add_run(_id uuid, _attempt integer, _ran_ms integer) returns integer language sql as $$
  update svc.job set ran_ms = ran_ms + _ran_ms
  where id = _id and status in ('submitted', 'running') and attempt <= _attempt
  returning ran_ms
$$;

-- Raises a hold to the price that follows from the content of the input. Raises INSUFFICIENT_BALANCE or SPEND_LIMIT_REACHED.
create or replace function job.raise_hold(_id uuid, _attempt integer, _micros bigint) returns boolean language plpgsql as $$
declare
  _job svc.job;
  _balance bigint;
  _limit json;
begin
  select * into _job from svc.job where id = _id and status in ('submitted', 'running') and attempt <= _attempt for update;
  if not found then
    return false;
  end if;
  if _micros <= _job.held_micros then
    return true;
  end if;
  update svc.account set balance_micros = balance_micros - (_micros - _job.held_micros),
    held_micros = held_micros + (_micros - _job.held_micros)
    where id = _job.account_id and balance_micros >= _micros - _job.held_micros;
  if not found then
    select balance_micros + _job.held_micros into _balance from svc.account where id = _job.account_id;
    raise exception 'INSUFFICIENT_BALANCE' using errcode = 'SVC01',
      detail = json_build_object('amountMicros', _micros::text, 'balanceMicros', _balance::text)::text;
  end if;
  if _job.key_hash is not null then
    _limit := key.spend(_job.key_hash, _micros - _job.held_micros, _micros);
    if _limit is not null then
      raise exception 'SPEND_LIMIT_REACHED' using errcode = 'SVC01', detail = _limit::text;
    end if;
  end if;
  insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key)
    values (_job.account_id, _id, 'raise', _micros - _job.held_micros, _job.asset, _job.service_key);
  update svc.job set held_micros = _micros, ceiling_micros = null where id = _id;
  return true;
end $$;

create or replace function job.report_progress(_id uuid, _attempt integer, _progress json) returns void language sql as $$
  update svc.job set progress = _progress where id = _id and attempt <= _attempt and status = 'running'
$$;

create or replace function job.ticket(_job svc.job) returns json language sql stable as $$
  select json_strip_nulls(json_build_object('id', _job.id, 'ticket', _job.id, 'serviceKey', _job.service_key,
    'status', _job.status, 'createdAt', _job.created_at, 'startedAt', _job.started_at, 'finishedAt', _job.finished_at,
    'progress', _job.progress, 'ceilingMicros', case when _job.status in ('submitted', 'running') then greatest(_job.ceiling_micros, _job.held_micros)
      else _job.held_micros end::text,
    'actualMicros', case when _job.status in ('submitted', 'running') then null else coalesce(_job.charged_micros, 0)::text end))
$$;

create or replace function job.read(_account uuid, _id uuid) returns json language sql stable as $$
  select json_build_array(job.ticket(j), j.result, j.problem) from svc.job j
  where j.id = _id and (_account is null or j.account_id = _account)
$$;

-- Jobs, newest first: of some days (in UTC, both included), of one operation, or of one key, by its prefix or the id of its
-- connector. The days are compared by id, because ids begin with the time and are indexed.
create or replace function job.search(_account uuid, _status svc.job_status, _from date, _to date, _operation text, _key text,
  _limit integer, _offset integer) returns json language sql stable as $$
  with page as (
    select * from svc.job j where (_account is null or j.account_id = _account) and (_status is null or j.status = _status)
      and (_from is null or j.id >= job.first_id(_from::timestamp at time zone 'utc'))
      and (_to is null or j.id < job.first_id((_to + 1)::timestamp at time zone 'utc'))
      and (_operation is null or j.service_key = _operation)
      and (_key is null or j.key_hash in (
        select k.hash from svc.api_key k where k.prefix = _key and (_account is null or k.account_id = _account)
        union all select c.key_hash from svc.connector c where c.id::text = _key and (_account is null or c.account_id = _account)))
    order by j.id desc limit _limit offset _offset
  )
  select coalesce(json_agg((job.ticket(page)::jsonb || jsonb_strip_nulls(jsonb_build_object(
    'durationMs', round(extract(epoch from page.finished_at - page.started_at) * 1000)::bigint,
    'keyPrefix', key.prefix, 'problem', page.problem))) order by page.id desc), '[]')
  from page left join svc.api_key key on key.hash = page.key_hash
$$;

-- Of the deploy before this one; the next one drops it.
create or replace function job.list(_account uuid, _status svc.job_status, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(job.ticket(page) order by page.id desc), '[]') from (
    select * from svc.job where (_account is null or account_id = _account) and (_status is null or status = _status)
    order by id desc limit _limit offset _offset) page
$$;

-- Those of the jobs that have not ended.
create or replace function job.find_open(_ids uuid[]) returns table (id uuid) language sql stable as $$
  select j.id from svc.job j where j.id = any (_ids) and j.status in ('submitted', 'running')
$$;

-- How these jobs ended, for results that were too large for a notification.
create or replace function job.outcomes(_ids uuid[]) returns json language sql stable as $$
  select coalesce(json_agg(json_build_array(id, status, charged_micros::text, coalesce(result, problem))), '[]')
  from svc.job where id = any (_ids) and status in ('succeeded', 'failed', 'expired')
$$;

-- Deletes results that can no longer be replayed. The job row stays, because the customer's ledger shows it.
create or replace function job.forget_results(_older_than interval) returns integer language plpgsql as $$
declare
  _forgotten integer;
begin
  delete from svc.idempotency where created_at < now() - interval '24 hours';
  with old as (
    select id from svc.job where id < job.first_id(now() - _older_than) and (result is not null or problem is not null)
      and status not in ('submitted', 'running') order by id limit 5000)
  update svc.job j set result = null, problem = null from old where j.id = old.id;
  get diagnostics _forgotten = row_count;
  return _forgotten;
end $$;

-- The smallest version 7 id of a moment.
create or replace function job.first_id(_at timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from _at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- What an account spent on each UTC day, oldest first, including days without spending.
create or replace function job.spend_by_day(_account uuid, _days integer) returns json language sql stable as $$
  select json_agg(json_build_object('day', d.day::date, 'micros', coalesce(s.micros, 0)::text, 'calls', coalesce(s.calls, 0))
    order by d.day)
  from generate_series((now() at time zone 'utc')::date - (_days - 1), (now() at time zone 'utc')::date, interval '1 day') d (day)
  left join (
    select (j.created_at at time zone 'utc')::date as day, sum(j.charged_micros) as micros, count(*) as calls
    from svc.job j where j.account_id = _account and j.charged_micros > 0
      and j.id >= job.first_id(((now() at time zone 'utc')::date - (_days - 1))::timestamp at time zone 'utc')
    group by 1) s on s.day = d.day::date
$$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists job.forget(interval), job.begin_again(uuid, uuid, boolean);
