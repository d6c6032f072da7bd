-- Decision 0153: write a ledger line for each step.

-- Ends jobs: charges, releases, writes entries, result and objects. A job that has ended before is left as it is, so a second
-- end changes nothing. Jobs are locked before accounts and both in order, because one statement over many rows locks them in
-- no fixed order; a single job needs no order. What few batches need is looked for once (`_few`), because each look at the jobs
-- costs as much as a small statement. Jobs that have ended are not locked: wallet.link changes those after it has locked their
-- accounts. Returns the jobs that ended here, as they are now.
create or replace function job.close(_closings svc.closing[]) returns svc.job[] language plpgsql as $$
declare
  _ended svc.job[];
  _accounts uuid[];
  _authors uuid[];
  _jobs uuid[];
  _few record;
begin
  if cardinality(_closings) > 1 then
    perform from svc.job where id = any (array(select c.id from unnest(_closings) c)) and status in ('submitted', 'running')
      order by account_id, id for no key update;
  end if;
  with closed as (
    update svc.job j set status = c.status, result = c.result, problem = c.problem,
      charged_micros = least(coalesce(c.charge_micros, 0), j.held_micros),
      started_at = coalesce(j.started_at, c.started_at), finished_at = clock_timestamp(), progress = null
    from (select * from unnest(_closings) order by account_id, id) c
    where j.id = c.id and j.status in ('submitted', 'running') and j.attempt <= c.attempt
    returning j.*)
  select coalesce(array_agg(closed::svc.job), '{}'), coalesce(array_agg(account_id), '{}'), array_agg(id)
    into _ended, _accounts, _jobs from closed;
  select bool_or(e.idempotency_key is not null and e.status <> 'succeeded') as frees_keys,
    bool_or(e.key_hash is not null and e.held_micros > e.charged_micros) as unspends,
    bool_or(e.service_key = 'pipeline.run' and e.charged_micros > 0) as has_pipelines into _few from unnest(_ended) e;
  if _few.frees_keys then
    delete from svc.idempotency i using unnest(_ended) e
      where e.status <> 'succeeded' and i.account_id = e.account_id and i.key = e.idempotency_key and i.job_id = e.id;
  end if;
  if exists (select from unnest(_closings) c where c.objects is not null) then
    perform object.record_outputs(e.account_id, e.id, c.objects)
    from unnest(_ended) e join unnest(_closings) c on c.id = e.id where c.objects is not null;
  end if;
  _authors := plugin.list_authors(_ended);
  if cardinality(_accounts || _authors) > 1 then
    perform from svc.account where id = any (_accounts || _authors) order by id for no key update;
  end if;
  update svc.account a set held_micros = a.held_micros - spent.held,
    balance_micros = a.balance_micros + spent.held - spent.charged
  from (select e.account_id, sum(e.held_micros)::bigint as held, sum(e.charged_micros)::bigint as charged
    from unnest(_ended) e group by e.account_id order by e.account_id) spent
  where a.id = spent.account_id;
  if _few.unspends then
    perform key.unspend(_ended);
  end if;
  perform lane.promote(_ended);
  insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key)
    select e.account_id, e.id, part.kind, part.amount, e.asset, e.service_key
    from unnest(_ended) e
    cross join lateral (values ('capture'::svc.transfer_kind, e.charged_micros),
      ('release'::svc.transfer_kind, e.held_micros - e.charged_micros)) part (kind, amount)
    where part.amount > 0 and (part.kind = 'release' or e.service_key <> 'pipeline.run');
  if _few.has_pipelines then
    perform job.capture_steps(_ended);
  end if;
  if cardinality(_authors) > 0 then
    perform plugin.share_charges(_ended);
  end if;
  perform webhook.emit_jobs(_accounts, _jobs);
  return _ended;
end $$;

-- Divides what pipelines were charged among their steps, in proportion to what the result says of each, so that the parts
-- are the charge to the last micro whatever limited it.
create or replace function job.capture_steps(_ended svc.job[]) returns void language sql as $$
  with step as (
    select e.id, e.account_id, e.asset, e.charged_micros, coalesce(s.ord, 0) as ord,
      coalesce(replace(s.each ->> 'op', '/', '.'), e.service_key) as service_key, s.each ->> 'id' as name,
      coalesce((s.each ->> 'chargedMicros')::bigint, 1) as micros
    from unnest(_ended) e
    left join lateral json_array_elements(e.result -> 'steps') with ordinality s (each, ord) on true
    where e.service_key = 'pipeline.run' and e.charged_micros > 0),
  part as (
    select step.*, div(charged_micros * sum(micros) over so_far, sum(micros) over (partition by id))
      - div(charged_micros * (sum(micros) over so_far - micros), sum(micros) over (partition by id)) as amount
    from step window so_far as (partition by id order by ord))
  insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key, reference)
  select account_id, id, 'capture', amount, asset, service_key, name from part where amount > 0 order by id, ord
$$;

-- Notifies every api process of the jobs that ended. Small results are included, which saves the process a query.
create or replace function job.announce(_ended svc.job[]) returns void language plpgsql as $$
declare
  _payload text;
begin
  if cardinality(_ended) = 0 then
    return;
  end if;
  select json_agg(json_build_array(id, status, charged_micros::text, coalesce(result, problem)))::text into _payload
    from unnest(_ended);
  if octet_length(_payload) > 7800 then
    select json_agg(json_build_array(id))::text into _payload from unnest(_ended);
  end if;
  perform pg_notify('job_done', _payload);
end $$;

-- Ends the jobs that a worker has finished. The answer has a row for each job that had already ended or been taken over.
create or replace function job.finish_batch(_batch json, _is_repeat boolean) returns json language plpgsql as $$
declare
  _closings svc.closing[];
  _ended svc.job[];
begin
  select array_agg(row(id, acct, attempt, status, charge, coalesce(result, shut_result::json),
      coalesce(problem, shut_problem::json), started, objects)::svc.closing order by ord) into _closings
    from rows from (json_to_recordset(_batch) as (id uuid, acct uuid, attempt integer, status svc.job_status, charge bigint,
      result json, shut_result text, problem json, shut_problem text, started timestamptz, objects json))
      with ordinality as c (id, acct, attempt, status, charge, result, shut_result, problem, shut_problem, started, objects, ord);
  _ended := job.close(_closings);
  perform job.announce(_ended);
  if cardinality(_ended) = cardinality(_closings) then
    return null;
  end if;
  return (select json_agg(json_build_array(c.ord, 'late', _is_repeat))
    from unnest(_closings) with ordinality as c (id, acct, attempt, status, charge, result, problem, started, objects, ord)
    where not exists (select from unnest(_ended) e where e.id = c.id)
      or exists (select from unnest(_closings[:c.ord - 1]) earlier where earlier.id = c.id));
end $$;

-- Ends the job of a priced call with its charge, in the transaction that does its work. The work is undone if the job has
-- ended already, because its hold was released then.
create or replace function job.settle(_job json, _result json) returns void language sql as $$
  select job.settle_all(array[job.build_success(_job, _result)])
$$;

create or replace function job.settle_all(_closings svc.closing[]) returns void language plpgsql as $$
begin
  if cardinality(_closings) > 0 and cardinality(job.close(_closings)) < cardinality(_closings) then
    raise exception 'TIME_LIMIT_EXCEEDED' using errcode = 'SVC01';
  end if;
end $$;

create or replace function job.build_success(_job json, _result json) returns svc.closing language sql stable as $$
  select row((_job ->> 'id')::uuid, (_job ->> 'account')::uuid, 1, 'succeeded', (_job ->> 'charge')::bigint, _result, null,
    (_job ->> 'started')::timestamptz, null)::svc.closing
$$;

-- Tells who waits for them that calls have been settled. Not told by the transactions that settle them: a transaction that
-- notifies lets no other one commit beside it. Told too late, or not at all, a wait ends when its time is over.
create or replace function job.announce_batch(_batch json, _is_repeat boolean) returns json language sql as $$
  select null::json from pg_notify('job_done', (select json_agg(json_build_array(id))::text
    from json_array_elements_text(_batch) id))
$$;

-- Cancels a job that has not ended.
create or replace function job.cancel(_account uuid, _id uuid) returns text language plpgsql as $$
declare
  _owner uuid;
  _ended svc.job[];
begin
  select account_id into _owner from svc.job where id = _id and (_account is null or account_id = _account);
  if _owner is null then
    return 'missing';
  end if;
  _ended := job.close(array[job.build_closing(_id, _owner, 'failed', 'JOB_CANCELLED')]);
  perform job.announce(_ended);
  if cardinality(_ended) = 0 then
    return 'ended';
  end if;
  perform pg_notify('job_cancel', _id::text);
  return 'cancelled';
end $$;

-- Builds a closing that wins over every attempt.
create or replace function job.build_closing(_id uuid, _account uuid, _status svc.job_status, _code text) returns svc.closing
language sql immutable as $$
  select row(_id, _account, 32767, _status, 0, null, json_build_object('code', _code, 'hints', json_build_object()), null,
    null)::svc.closing
$$;

-- Ends jobs that are past their deadline. At most 100 at a time, so that many of them do not hold locks for long.
create or replace function job.expire() returns integer language plpgsql as $$
declare
  _ended svc.job[];
begin
  _ended := job.close((
    select coalesce(array_agg(job.build_closing(id, account_id, 'expired', 'TIME_LIMIT_EXCEEDED')), '{}')
    from (select id, account_id from svc.job where status in ('submitted', 'running') and deadline_at < now()
      order by deadline_at limit 100) late));
  perform job.announce(_ended);
  perform pg_notify('job_cancel', e.id::text) from unnest(_ended) e;
  return cardinality(_ended);
end $$;
