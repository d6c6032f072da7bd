-- Ends jobs: charge, release, entries, result and objects, all guarded so that whoever comes second changes nothing.
-- Jobs are locked before accounts, both in order. Returns the ids that really ended here.
create or replace function job.close(_closings svc.closing[]) returns uuid[] language plpgsql as $$
declare
  _ended svc.job[];
  _account record;
begin
  select array_agg(j) into _ended from (
    select j.* from svc.job j join unnest(_closings) c on c.id = j.id
    where j.status in ('submitted', 'running') and j.attempt <= c.attempt
    order by j.account_id, j.id for update of j) j;
  if _ended is null then
    return '{}';
  end if;
  for _account in
    select e.account_id, sum(e.held_micros) as held, sum(least(coalesce(c.charge_micros, 0), e.held_micros)) as charged
    from unnest(_ended) e join unnest(_closings) c on c.id = e.id group by e.account_id order by e.account_id
  loop
    update svc.account set held_micros = held_micros - _account.held,
      balance_micros = balance_micros + _account.held - _account.charged
      where id = _account.account_id;
  end loop;
  insert into svc.transfer (account_id, job_id, kind, amount_micros, service_key)
    select e.account_id, e.id, part.kind, part.amount, e.service_key
    from unnest(_ended) e join unnest(_closings) c on c.id = e.id
    cross join lateral (values
      ('capture'::svc.transfer_kind, least(coalesce(c.charge_micros, 0), e.held_micros)),
      ('release'::svc.transfer_kind, e.held_micros - least(coalesce(c.charge_micros, 0), e.held_micros))) part (kind, amount)
    where part.amount > 0;
  perform job.write_ends(_ended, _closings);
  return (select array_agg(id) from unnest(_ended));
end $$;

create or replace function job.write_ends(_ended svc.job[], _closings svc.closing[]) returns void language plpgsql as $$
declare
  _end record;
begin
  for _end in select e.id, e.account_id, e.held_micros, e.idempotency_key, c.status, c.charge_micros, c.result, c.problem,
      c.started_at, c.objects
    from unnest(_ended) e join unnest(_closings) c on c.id = e.id
  loop
    update svc.job set status = _end.status, result = _end.result, problem = _end.problem,
      charged_micros = least(coalesce(_end.charge_micros, 0), _end.held_micros),
      started_at = coalesce(started_at, _end.started_at), finished_at = clock_timestamp(), progress = null
      where id = _end.id;
    if _end.idempotency_key is not null and _end.status <> 'succeeded' then
      delete from svc.idempotency where account_id = _end.account_id and key = _end.idempotency_key and job_id = _end.id;
    end if;
    if _end.objects is not null then
      insert into svc.object (key, account_id, kind, job_id, size_bytes, content_type, name, expires_at)
        select o.key, _end.account_id, 'output', _end.id, o.size, o.type, o.name, now() + make_interval(hours => 24)
        from json_to_recordset(_end.objects) as o (key text, size bigint, type text, name text);
    end if;
  end loop;
end $$;

-- Tells every api process which jobs ended; what is small rides along and saves it a query.
create or replace function job.announce(_ids uuid[]) returns void language plpgsql as $$
declare
  _news text;
begin
  if coalesce(cardinality(_ids), 0) = 0 then
    return;
  end if;
  select json_agg(json_build_array(id, status, charged_micros::text, coalesce(result, problem)))::text into _news
    from svc.job where id = any (_ids);
  if octet_length(_news) > 7800 then
    select json_agg(json_build_array(id))::text into _news from unnest(_ids) id;
  end if;
  perform pg_notify('job_done', _news);
end $$;

-- Ends what a worker has finished. The answer has a row only for a job that had already ended or been taken over.
create or replace function job.finish_batch(_batch json, _is_repeat boolean) returns json language plpgsql as $$
declare
  _closings svc.closing[];
  _ended uuid[];
begin
  select array_agg(row(id, attempt, status, charge, result, problem, started, objects)::svc.closing order by ord) into _closings
    from rows from (json_to_recordset(_batch) as (id uuid, attempt integer, status svc.job_status, charge bigint,
      result json, problem json, started timestamptz, objects json))
      with ordinality as c (id, attempt, status, charge, result, problem, started, objects, ord);
  _ended := job.close(_closings);
  perform job.announce(_ended);
  return (select json_agg(json_build_array(c.ord, 'late', _is_repeat))
    from unnest(_closings) with ordinality as c (id, attempt, status, charge, result, problem, started, objects, ord)
    where c.id <> all (_ended));
end $$;

-- A caller takes back a job that has not ended.
create or replace function job.cancel(_account uuid, _id uuid) returns text language plpgsql as $$
declare
  _status svc.job_status;
begin
  select status into _status from svc.job where id = _id and (_account is null or account_id = _account);
  if _status is null then
    return 'missing';
  end if;
  if cardinality(job.close(array[row(_id, 32767, 'failed', 0, null, '{"code":"JOB_CANCELLED","hints":{}}', null, null)::svc.closing])) = 0 then
    return 'ended';
  end if;
  perform job.announce(array[_id]);
  perform pg_notify('job_cancel', _id::text);
  return 'cancelled';
end $$;

-- Ends what was not finished by its deadline. Never more than a batch, so that a flood cannot hold locks for long.
create or replace function job.expire() returns integer language plpgsql as $$
declare
  _ended uuid[];
begin
  _ended := job.close((
    select coalesce(array_agg(row(id, 32767, 'expired', 0, null, '{"code":"TIME_LIMIT_EXCEEDED","hints":{}}', null, null)::svc.closing), '{}')
    from (select id from svc.job where status in ('submitted', 'running') and deadline_at < now()
      order by deadline_at limit 100 for update skip locked) late));
  perform job.announce(_ended);
  return coalesce(cardinality(_ended), 0);
end $$;
